#include "theme_check.h"

#include <math.h>
#include <stdio.h>

#include "theme_sight.h"

struct check {
    const struct theme_load *load;
    const struct template_file *file;
    struct diag *diag;
};

#define FILL(area) (THEME_ROLE_AREAS + (size_t)(area)*THEME_ROLE_PARTS + THEME_ROLE_FILL)

/* A role as a JSON pointer of theme.json. */
static const char *role_name(char out[64], size_t role)
{
    if (role < THEME_ROLE_AREAS)
        snprintf(out, 64, "/inks/%s", theme_role_ink(role));
    else if (role >= THEME_ROLE_SERIES)
        snprintf(out, 64, "/series/%s/colour", theme_role_series(role - THEME_ROLE_SERIES));
    else
        snprintf(out, 64, "/areas/%s/%s",
                 theme_role_area((role - THEME_ROLE_AREAS) / THEME_ROLE_PARTS),
                 theme_role_part((role - THEME_ROLE_AREAS) % THEME_ROLE_PARTS));
    return out;
}

/* At the first of the two that the file gives; the other may be of the theme below. */
static enum status refuse(const struct check *check, size_t a, size_t b, const char *why)
{
    char one[64], other[64];
    uint32_t node = check->load->places[a];
    if (node == JSON_READ_NONE)
        node = check->load->places[b];
    return json_read_refuse(&check->file->source, node, check->diag, "%s and %s %s",
                            role_name(one, a), role_name(other, b), why);
}

/* ---- Contrast ---- */

static enum status check_contrast(const struct check *check, size_t text, size_t ground)
{
    const struct theme *themes[2] = {&check->load->light, &check->load->dark};
    for (int i = 0; i < 2; i++) {
        canvas_colour ink = theme_role_get(themes[i], text);
        canvas_colour paper = theme_role_get(themes[i], ground);
        if (paper == CANVAS_NONE)
            continue;
        double contrast = theme_contrast(ink, paper);
        if (contrast >= THEME_CHECK_CONTRAST)
            continue;
        char why[256];
        /* rounded down: a message never shows the limit itself as too little */
        snprintf(why, sizeof why,
                 "have a contrast of %.1f:1 in the %s scheme (#%06x on #%06x), a text needs at "
                 "least %.1f:1: move them apart",
                 floor(contrast * 10) / 10, i == 0 ? "light" : "dark", (unsigned)ink,
                 (unsigned)paper, THEME_CHECK_CONTRAST);
        return refuse(check, text, ground, why);
    }
    return STATUS_OK;
}

static enum status check_texts(const struct check *check)
{
    static const size_t inks[] = {THEME_TEXT,    THEME_QUIET, THEME_GOOD,
                                  THEME_WARNING, THEME_BAD,   THEME_LIMIT};
    static const size_t grounds[] = {THEME_PAGE, THEME_STRIPE, THEME_NOTICE, FILL(THEME_TIGHT),
                                     FILL(THEME_FEASIBLE)};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof inks / sizeof inks[0]; i++)
        for (size_t j = 0; j < sizeof grounds / sizeof grounds[0] && status == STATUS_OK; j++)
            status = check_contrast(check, inks[i], grounds[j]);
    return status;
}

/* A picture is drawn once, in light colours: what a text on an area is there, it is in the dark. */
static enum status check_texts_on_areas(const struct check *check)
{
    const struct theme *light = &check->load->light;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < THEME_AREA_COUNT && status == STATUS_OK; i++) {
        canvas_colour ink = theme_text_on(light, (enum theme_area)i);
        size_t role = ink == light->ink[THEME_TEXT_ON_LIGHT]  ? THEME_TEXT_ON_LIGHT
                      : ink == light->ink[THEME_TEXT_ON_DARK] ? THEME_TEXT_ON_DARK
                                                              : THEME_TEXT;
        status = check_contrast(check, role, FILL(i));
    }
    return status;
}

/* ---- Telling apart ---- */

static double grey_step(canvas_colour a, canvas_colour b)
{
    return fabs(theme_sight_lightness(a) - theme_sight_lightness(b));
}

/* Says how two colours look alike in a scheme; false: they do not. */
static bool look_alike(char why[160], const canvas_colour pair[2], bool in_grey, const char *scheme)
{
    for (int i = 0; i < THEME_SIGHT_COUNT; i++)
        if (theme_sight_distance(pair[0], pair[1], (enum theme_sight)i) < THEME_CHECK_DISTANCE) {
            snprintf(why, 160, "look alike to %s in the %s scheme (#%06x, #%06x): move them apart",
                     theme_sight_name((enum theme_sight)i), scheme, (unsigned)pair[0],
                     (unsigned)pair[1]);
            return true;
        }
    if (in_grey && grey_step(pair[0], pair[1]) < THEME_CHECK_LIGHTNESS) {
        snprintf(why, 160, "look alike in grey in the %s scheme (#%06x, #%06x): move them apart",
                 scheme, (unsigned)pair[0], (unsigned)pair[1]);
        return true;
    }
    return false;
}

static enum status check_apart(const struct check *check, size_t a, size_t b, bool in_grey)
{
    const struct theme *themes[2] = {&check->load->light, &check->load->dark};
    char why[160];
    for (int i = 0; i < 2; i++) {
        canvas_colour pair[2] = {theme_role_get(themes[i], a), theme_role_get(themes[i], b)};
        if (pair[0] != CANVAS_NONE && pair[1] != CANVAS_NONE &&
            look_alike(why, pair, in_grey && i == 0, i == 0 ? "light" : "dark"))
            return refuse(check, a, b, why);
    }
    return STATUS_OK;
}

/* Grey is a print's, and what is printed is in light colours. Plain areas that stand side by side
 * in one chart; hatched ones have their pattern too. */
static enum status check_areas(const struct check *check)
{
    static const enum theme_area groups[][7] = {
        {THEME_PARAMETERS, THEME_GRADIENTS, THEME_OPTIMIZER, THEME_ACTIVATIONS,
         THEME_NOT_ATTRIBUTED, THEME_AREA_COUNT},
        {THEME_SELECTED, THEME_ELIGIBLE, THEME_NOT_ELIGIBLE, THEME_AREA_COUNT},
        {THEME_FORWARD, THEME_BACKWARD, THEME_UPDATE, THEME_COMMUNICATION, THEME_OTHER_TIME,
         THEME_NOT_ATTRIBUTED, THEME_AREA_COUNT},
    };
    enum status status = STATUS_OK;
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
        for (size_t i = 0; groups[g][i] != THEME_AREA_COUNT; i++)
            for (size_t j = 0; j < i && status == STATUS_OK; j++)
                status = check_apart(check, FILL(groups[g][i]), FILL(groups[g][j]), true);
    return status;
}

/* In grey, series have their dashes and markers. */
static enum status check_series(const struct check *check)
{
    const struct theme_series *series = check->load->light.series;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < THEME_SERIES_COUNT; i++)
        for (size_t j = 0; j < i && status == STATUS_OK; j++)
            if (series[i].dash == series[j].dash && series[i].marker == series[j].marker)
                status = check_apart(check, THEME_ROLE_SERIES + i, THEME_ROLE_SERIES + j, true);
    return status;
}

/* ---- Light to dark ---- */

static enum status check_map(const struct check *check, bool (*has)(size_t role))
{
    const struct theme *light = &check->load->light;
    const struct theme *dark = &check->load->dark;
    for (size_t i = 0; i < THEME_ROLE_COUNT; i++)
        for (size_t j = 0; j < i; j++)
            if (has(i) && has(j) && theme_role_get(light, i) == theme_role_get(light, j) &&
                theme_role_get(dark, i) != theme_role_get(dark, j))
                return refuse(check, i, j,
                              "are one colour in the light scheme and two in the dark one: give "
                              "both the same pair of colours, or different light ones");
    return STATUS_OK;
}

enum status theme_check(const struct theme_load *load, const struct template_file *file,
                        struct diag *diag)
{
    const struct check check = {load, file, diag};
    enum status status = check_texts(&check);
    if (status == STATUS_OK)
        status = check_texts_on_areas(&check);
    if (status == STATUS_OK)
        status = check_areas(&check);
    if (status == STATUS_OK)
        status = check_series(&check);
    if (status == STATUS_OK)
        status = check_map(&check, theme_role_is_shape);
    return status != STATUS_OK ? status : check_map(&check, theme_role_is_text);
}
