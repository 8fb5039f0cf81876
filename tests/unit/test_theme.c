#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "theme_default.h"

Test(theme, luminance_and_contrast_are_those_of_wcag)
{
    cr_assert_eq(theme_luminance(0x000000), 0);
    /* 1e-12: three products are added */
    cr_assert(fabs(theme_luminance(0xFFFFFF) - 1) < 1e-12);
    cr_assert(fabs(theme_contrast(0x000000, 0xFFFFFF) - 21) < 1e-9);
    /* #767676 is the known grey that just reaches 4.5:1 on white: 4.54 to two decimals */
    cr_assert(fabs(theme_contrast(0x767676, 0xFFFFFF) - 4.54) < 0.005);
}

/* A picture is drawn in light colours; an HTML page shows it in dark ones, too. */
static const struct theme *scheme(int dark)
{
    return dark ? &theme_default_template()->dark : &theme_default_template()->theme;
}

Test(theme, text_has_a_contrast_of_at_least_4_5_on_every_ground)
{
    static const enum theme_ink inks[] = {THEME_TEXT,    THEME_QUIET, THEME_GOOD,
                                          THEME_WARNING, THEME_BAD,   THEME_LIMIT};
    static const enum theme_ink grounds[] = {THEME_PAGE, THEME_STRIPE, THEME_NOTICE};
    for (int dark = 0; dark < 2; dark++)
        for (size_t i = 0; i < sizeof inks / sizeof inks[0]; i++) {
            canvas_colour ink = scheme(dark)->ink[inks[i]];
            for (size_t g = 0; g < sizeof grounds / sizeof grounds[0]; g++)
                cr_assert(theme_contrast(ink, scheme(dark)->ink[grounds[g]]) >= 4.5,
                          "ink %d on ground %d, dark %d", (int)inks[i], (int)grounds[g], dark);
            cr_assert(theme_contrast(ink, scheme(dark)->area[THEME_TIGHT].fill) >= 4.5,
                      "ink %d on the tight band, dark %d", (int)inks[i], dark);
            cr_assert(theme_contrast(ink, scheme(dark)->area[THEME_FEASIBLE].fill) >= 4.5,
                      "ink %d within the limits, dark %d", (int)inks[i], dark);
        }
}

/* The dark colour of a text that is drawn in a light one. */
static canvas_colour dark_text(canvas_colour light)
{
    static const enum theme_ink inks[] = {THEME_TEXT, THEME_TEXT_ON_LIGHT, THEME_TEXT_ON_DARK};
    for (size_t i = 0; i < sizeof inks / sizeof inks[0]; i++)
        if (scheme(0)->ink[inks[i]] == light)
            return scheme(1)->ink[inks[i]];
    cr_assert_fail("no ink for texts on areas has the colour %06x", (unsigned)light);
    return 0;
}

Test(theme, text_on_areas_has_a_contrast_of_at_least_4_5)
{
    for (int area = 0; area < THEME_AREA_COUNT; area++) {
        canvas_colour text = theme_text_on(scheme(0), (enum theme_area)area);
        for (int dark = 0; dark < 2; dark++) {
            canvas_colour ground = scheme(dark)->area[area].fill;
            if (ground == CANVAS_NONE)
                ground = scheme(dark)->ink[THEME_PAGE];
            cr_assert(theme_contrast(ground, dark ? dark_text(text) : text) >= 4.5,
                      "area %d, dark %d", area, dark);
        }
    }
}

/* ---- Telling areas apart ---- */

struct rgb {
    double r, g, b; /* linear */
};

static double linear(unsigned channel)
{
    double value = channel / 255.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static struct rgb rgb_of(canvas_colour colour)
{
    return (struct rgb){linear(colour >> 16 & 0xFF), linear(colour >> 8 & 0xFF),
                        linear(colour & 0xFF)};
}

static double lightness_curve(double t)
{
    return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

/* CIE 1976 L*a*b*, D65. */
static void lab_of(struct rgb c, double lab[3])
{
    double x = lightness_curve((0.4124 * c.r + 0.3576 * c.g + 0.1805 * c.b) / 0.95047);
    double y = lightness_curve(0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b);
    double z = lightness_curve((0.0193 * c.r + 0.1192 * c.g + 0.9505 * c.b) / 1.08883);
    lab[0] = 116 * y - 16;
    lab[1] = 500 * (x - y);
    lab[2] = 200 * (y - z);
}

/* Full protanopia, deuteranopia, tritanopia (Machado, Oliveira, Fernandes 2009, table of severity
 * 1.0), and normal sight. */
static const double sights[4][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868},
     {0.114503, 0.786281, 0.099216},
     {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968},
     {0.280085, 0.672501, 0.047413},
     {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779},
     {-0.078411, 0.930809, 0.147602},
     {0.004733, 0.691367, 0.303900}},
};

static double clamp(double value)
{
    return fmax(0, fmin(value, 1));
}

static double distance(canvas_colour a, canvas_colour b, const double sight[3][3])
{
    double labs[2][3];
    canvas_colour colours[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        struct rgb c = rgb_of(colours[i]);
        struct rgb seen = {clamp(sight[0][0] * c.r + sight[0][1] * c.g + sight[0][2] * c.b),
                           clamp(sight[1][0] * c.r + sight[1][1] * c.g + sight[1][2] * c.b),
                           clamp(sight[2][0] * c.r + sight[2][1] * c.g + sight[2][2] * c.b)};
        lab_of(seen, labs[i]);
    }
    return sqrt(pow(labs[0][0] - labs[1][0], 2) + pow(labs[0][1] - labs[1][1], 2) +
                pow(labs[0][2] - labs[1][2], 2));
}

static double grey_step(canvas_colour a, canvas_colour b)
{
    double labs[2][3];
    lab_of(rgb_of(a), labs[0]);
    lab_of(rgb_of(b), labs[1]);
    return fabs(labs[0][0] - labs[1][0]);
}

/* Areas of one chart that may touch or that a legend puts side by side. */
static const enum theme_area solid_memory[] = {THEME_PARAMETERS, THEME_GRADIENTS, THEME_OPTIMIZER,
                                               THEME_ACTIVATIONS, THEME_NOT_ATTRIBUTED};
static const enum theme_area hatched_memory[] = {THEME_KEPT_WHOLE,      THEME_GATHERED,
                                                 THEME_GRADIENTS_WHOLE, THEME_BUFFERS,
                                                 THEME_WORKSPACE,       THEME_TEMPORARY};
static const enum theme_area solid_throughput[] = {THEME_SELECTED, THEME_ELIGIBLE,
                                                   THEME_NOT_ELIGIBLE};
static const enum theme_area solid_times[] = {THEME_FORWARD,    THEME_BACKWARD,
                                              THEME_UPDATE,     THEME_COMMUNICATION,
                                              THEME_OTHER_TIME, THEME_NOT_ATTRIBUTED};

/* 20 units of CIE 1976 are told apart at a glance, 2.3 is the threshold of sight */
static void assert_seen_apart(canvas_colour a, canvas_colour b, const char *what)
{
    for (int s = 0; s < 4; s++)
        cr_assert(distance(a, b, sights[s]) >= 20, "%s, sight %d: %.1f", what, s,
                  distance(a, b, sights[s]));
}

static void assert_apart(const enum theme_area *areas, size_t count)
{
    for (int dark = 0; dark < 2; dark++)
        for (size_t i = 0; i < count; i++)
            for (size_t j = i + 1; j < count; j++) {
                canvas_colour a = scheme(dark)->area[areas[i]].fill;
                canvas_colour b = scheme(dark)->area[areas[j]].fill;
                char what[64];
                snprintf(what, sizeof what, "areas %d and %d, dark %d", (int)areas[i],
                         (int)areas[j], dark);
                assert_seen_apart(a, b, what);
                /* A tenth of the way from black to white, in even steps for the eye. What is
                 * printed is in light colours. */
                cr_assert(dark || grey_step(a, b) >= 10, "%s in grey: %.1f", what, grey_step(a, b));
            }
}

/* Hatched areas stand out from plain ones by their pattern, and from each other by ground or lines.
 */
static void assert_hatches_apart(int dark, const enum theme_area *areas, size_t count)
{
    const struct theme *theme = scheme(dark);
    for (size_t i = 0; i < count; i++) {
        const struct canvas_paint *a = &theme->area[areas[i]];
        cr_assert_neq(a->hatch, CANVAS_NONE);
        cr_assert(grey_step(a->fill, a->hatch) >= 20, "the lines of area %d", (int)areas[i]);
        for (size_t j = i + 1; j < count; j++) {
            const struct canvas_paint *b = &theme->area[areas[j]];
            for (int s = 0; s < 4; s++)
                cr_assert(fmax(distance(a->fill, b->fill, sights[s]),
                               distance(a->hatch, b->hatch, sights[s])) >= 20,
                          "areas %d and %d, sight %d", (int)areas[i], (int)areas[j], s);
            cr_assert(dark ||
                          fmax(grey_step(a->fill, b->fill), grey_step(a->hatch, b->hatch)) >= 10,
                      "areas %d and %d in grey", (int)areas[i], (int)areas[j]);
        }
    }
}

Test(theme, hatched_areas_of_memory_are_told_apart_with_colour_blindness_and_in_grey)
{
    for (int dark = 0; dark < 2; dark++)
        assert_hatches_apart(dark, hatched_memory,
                             sizeof hatched_memory / sizeof hatched_memory[0]);
}

/* In grey, where six lines cannot all differ, they have their dashes and markers. */
Test(theme, series_are_told_apart_with_colour_blindness_and_in_grey_by_dash_and_marker)
{
    for (int dark = 0; dark < 2; dark++) {
        const struct theme_series *series = scheme(dark)->series;
        for (int i = 0; i < THEME_SERIES_COUNT; i++) {
            /* WCAG 2.1, 1.4.11: graphical objects */
            cr_assert(theme_contrast(series[i].colour, scheme(dark)->ink[THEME_PAGE]) >= 3);
            for (int j = 0; j < i; j++) {
                char what[64];
                snprintf(what, sizeof what, "series %d and %d, dark %d", i, j, dark);
                assert_seen_apart(series[i].colour, series[j].colour, what);
                cr_assert_neq(series[i].marker, series[j].marker);
            }
        }
    }
}

Test(theme, areas_of_a_step_are_told_apart_with_colour_blindness_and_in_grey)
{
    assert_apart(solid_times, sizeof solid_times / sizeof solid_times[0]);
}

Test(theme, areas_of_memory_are_told_apart_with_colour_blindness_and_in_grey)
{
    assert_apart(solid_memory, sizeof solid_memory / sizeof solid_memory[0]);
}

Test(theme, areas_of_throughput_are_told_apart_with_colour_blindness_and_in_grey)
{
    assert_apart(solid_throughput, sizeof solid_throughput / sizeof solid_throughput[0]);
}
