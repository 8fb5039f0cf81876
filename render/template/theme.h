#ifndef RANKLEDGER_THEME_H
#define RANKLEDGER_THEME_H

#include "canvas.h"

/*
 * Colours and fonts, by what they mean; templates/theme.json has the built-in ones. Its areas are
 * told apart with the common forms of colour blindness and by lightness alone (grey print), its
 * series of strategies with colour blindness, and in grey by dash and marker; every text colour has
 * a contrast of at least 4.5:1 on the grounds it is used on (WCAG 2.1, success criterion 1.4.3). A
 * test computes all that, and theme_check.h holds a user's theme against it.
 */

enum theme_ink {
    THEME_PAGE,
    THEME_STRIPE, /* every second row */
    THEME_GRID,
    THEME_AXIS,
    THEME_TEXT,
    THEME_QUIET, /* secondary text */
    THEME_GOOD,
    THEME_WARNING,
    THEME_BAD, /* failed runs and failed gates */
    THEME_LIMIT,
    THEME_NOTICE,        /* ground of a notice */
    THEME_NOTICE_EDGE,   /* its left edge */
    THEME_TEXT_ON_LIGHT, /* on a light area, such as a bar; see theme_text_on */
    THEME_TEXT_ON_DARK,
    THEME_INK_COUNT
};

/* What a filled area stands for. */
enum theme_area {
    THEME_PARAMETERS,
    THEME_GRADIENTS,
    THEME_OPTIMIZER,
    THEME_KEPT_WHOLE, /* persistent parameters and padding */
    THEME_GATHERED,   /* parameters of other ranks, for as long as they are needed */
    THEME_GRADIENTS_WHOLE,
    THEME_BUFFERS, /* of collectives */
    THEME_ACTIVATIONS,
    THEME_WORKSPACE,
    THEME_TEMPORARY, /* of any other kind, or not told apart */
    THEME_NOT_ATTRIBUTED,
    THEME_BEYOND, /* an amount that is computed, not measured: an outline */
    THEME_TIGHT,  /* between the tight threshold and the limit */
    THEME_SELECTED,
    THEME_ELIGIBLE,
    THEME_NOT_ELIGIBLE,
    THEME_NOT_COUNTED,   /* times that do not count */
    THEME_COMMUNICATION, /* exposed; amounts of it */
    THEME_HIDDEN,        /* communication that runs beside computing */
    THEME_BANDWIDTH,
    THEME_FORWARD,
    THEME_BACKWARD,
    THEME_UPDATE, /* the optimizer's step */
    THEME_OTHER_TIME,
    THEME_FEASIBLE, /* within every limit; the ground of points and names */
    THEME_AREA_COUNT
};

enum theme_font {
    THEME_FONT_TITLE,
    THEME_FONT_SUBTITLE,
    THEME_FONT_TEXT,
    THEME_FONT_STRONG,
    THEME_FONT_SMALL,
    THEME_FONT_SMALL_STRONG,
    THEME_FONT_COUNT
};

/*
 * How the lines and points of a strategy look: told apart by colour, and without colour by dash
 * and marker.
 */
enum theme_marker {
    THEME_MARKER_CIRCLE,
    THEME_MARKER_SQUARE,
    THEME_MARKER_TRIANGLE,
    THEME_MARKER_DIAMOND,
    THEME_MARKER_INVERTED, /* a triangle on its tip */
    THEME_MARKER_RING
};

struct theme_series {
    canvas_colour colour;
    double dash; /* 0: solid */
    enum theme_marker marker;
};
#define THEME_SERIES_COUNT 6 /* STRATEGY_COUNT by how much they shard, then all others */

struct theme {
    canvas_colour ink[THEME_INK_COUNT];
    struct canvas_paint area[THEME_AREA_COUNT];
    struct theme_series series[THEME_SERIES_COUNT];
    struct canvas_font font[THEME_FONT_COUNT];
    const char *families; /* tried in this order for each character, in fontconfig's form */
};

/* The series of a strategy ("zero1"); the last one for an unknown name. */
const struct theme_series *theme_series_of(const struct theme *theme, const char *strategy);

/* The text colour for a text on an area: the one for light or the one for dark areas, whichever
 * has more contrast; on what is no more than a ground, the one of the page. */
canvas_colour theme_text_on(const struct theme *theme, enum theme_area area);

/* Relative luminance (0 to 1) and contrast ratio (1 to 21) of WCAG 2.1. */
double theme_luminance(canvas_colour colour);
double theme_contrast(canvas_colour a, canvas_colour b);

#endif
