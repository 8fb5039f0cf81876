#include "theme_role.h"

#include <string.h>

#include "training_state.h"

static const char *const inks[THEME_INK_COUNT] = {
    [THEME_PAGE] = "page",
    [THEME_STRIPE] = "stripe",
    [THEME_GRID] = "grid",
    [THEME_AXIS] = "axis",
    [THEME_TEXT] = "text",
    [THEME_QUIET] = "quiet",
    [THEME_GOOD] = "good",
    [THEME_WARNING] = "warning",
    [THEME_BAD] = "bad",
    [THEME_LIMIT] = "limit",
    [THEME_NOTICE] = "notice",
    [THEME_NOTICE_EDGE] = "notice_edge",
    [THEME_TEXT_ON_LIGHT] = "text_on_light",
    [THEME_TEXT_ON_DARK] = "text_on_dark",
};

static const char *const areas[THEME_AREA_COUNT] = {
    [THEME_PARAMETERS] = "parameters",
    [THEME_GRADIENTS] = "gradients",
    [THEME_OPTIMIZER] = "optimizer",
    [THEME_KEPT_WHOLE] = "kept_whole",
    [THEME_GATHERED] = "gathered",
    [THEME_GRADIENTS_WHOLE] = "gradients_whole",
    [THEME_BUFFERS] = "buffers",
    [THEME_ACTIVATIONS] = "activations",
    [THEME_WORKSPACE] = "workspace",
    [THEME_TEMPORARY] = "temporary",
    [THEME_NOT_ATTRIBUTED] = "not_attributed",
    [THEME_BEYOND] = "beyond",
    [THEME_TIGHT] = "tight",
    [THEME_SELECTED] = "selected",
    [THEME_ELIGIBLE] = "eligible",
    [THEME_NOT_ELIGIBLE] = "not_eligible",
    [THEME_NOT_COUNTED] = "not_counted",
    [THEME_COMMUNICATION] = "communication",
    [THEME_HIDDEN] = "hidden",
    [THEME_BANDWIDTH] = "bandwidth",
    [THEME_FORWARD] = "forward",
    [THEME_BACKWARD] = "backward",
    [THEME_UPDATE] = "update",
    [THEME_OTHER_TIME] = "other_time",
    [THEME_FEASIBLE] = "feasible",
};

static const char *const fonts[THEME_FONT_COUNT] = {
    [THEME_FONT_TITLE] = "title", [THEME_FONT_SUBTITLE] = "subtitle",
    [THEME_FONT_TEXT] = "text",   [THEME_FONT_STRONG] = "strong",
    [THEME_FONT_SMALL] = "small", [THEME_FONT_SMALL_STRONG] = "small_strong",
};

static const char *const markers[THEME_ROLE_MARKERS] = {
    [THEME_MARKER_CIRCLE] = "circle",     [THEME_MARKER_SQUARE] = "square",
    [THEME_MARKER_TRIANGLE] = "triangle", [THEME_MARKER_DIAMOND] = "diamond",
    [THEME_MARKER_INVERTED] = "inverted", [THEME_MARKER_RING] = "ring",
};

static const char *const parts[THEME_ROLE_PARTS] = {"fill", "hatch", "stroke"};

const char *theme_role_ink(size_t ink)
{
    return inks[ink];
}

const char *theme_role_area(size_t area)
{
    return areas[area];
}

const char *theme_role_font(size_t font)
{
    return fonts[font];
}

const char *theme_role_marker(size_t marker)
{
    return markers[marker];
}

const char *theme_role_part(size_t part)
{
    return parts[part];
}

const char *theme_role_series(size_t series)
{
    return series < STRATEGY_COUNT ? training_state_row((enum strategy)series)->name : "other";
}

/* Where a role's colour lies in a theme, in bytes. */
static size_t place_of(size_t role)
{
    static const size_t places[THEME_ROLE_PARTS] = {offsetof(struct canvas_paint, fill),
                                                    offsetof(struct canvas_paint, hatch),
                                                    offsetof(struct canvas_paint, stroke)};
    if (role < THEME_ROLE_AREAS)
        return offsetof(struct theme, ink) + role * sizeof(canvas_colour);
    if (role >= THEME_ROLE_SERIES)
        return offsetof(struct theme, series) +
               (role - THEME_ROLE_SERIES) * sizeof(struct theme_series) +
               offsetof(struct theme_series, colour);
    size_t part = role - THEME_ROLE_AREAS;
    return offsetof(struct theme, area) + part / THEME_ROLE_PARTS * sizeof(struct canvas_paint) +
           places[part % THEME_ROLE_PARTS];
}

canvas_colour theme_role_get(const struct theme *theme, size_t role)
{
    canvas_colour colour;
    memcpy(&colour, (const char *)theme + place_of(role), sizeof colour);
    return colour;
}

void theme_role_set(struct theme *theme, size_t role, canvas_colour colour)
{
    memcpy((char *)theme + place_of(role), &colour, sizeof colour);
}

bool theme_role_is_text(size_t role)
{
    return role == THEME_TEXT || role == THEME_QUIET || role == THEME_GOOD ||
           role == THEME_WARNING || role == THEME_BAD || role == THEME_LIMIT ||
           role == THEME_TEXT_ON_LIGHT || role == THEME_TEXT_ON_DARK;
}

bool theme_role_is_shape(size_t role)
{
    return role != THEME_TEXT_ON_LIGHT && role != THEME_TEXT_ON_DARK;
}
