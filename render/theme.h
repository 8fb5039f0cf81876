#ifndef RANKLEDGER_THEME_H
#define RANKLEDGER_THEME_H

#include "canvas.h"

/*
 * Colours and fonts of the charts, by what they mean. The palette is told apart with the common
 * forms of colour blindness and by lightness alone (grey print); every text colour has a contrast
 * of at least 4.5:1 on the grounds it is used on (WCAG 2.1, success criterion 1.4.3). A test
 * computes both.
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
    THEME_NOTICE,      /* ground of a notice */
    THEME_NOTICE_EDGE, /* its left edge */
    THEME_INK_COUNT
};

canvas_colour theme_ink(enum theme_ink ink);

/* What a filled area stands for. */
enum theme_area {
    THEME_PARAMETERS,
    THEME_GRADIENTS,
    THEME_OPTIMIZER,
    THEME_KEPT_WHOLE, /* persistent parameters and padding */
    THEME_TEMPORARY,
    THEME_NOT_ATTRIBUTED,
    THEME_BEYOND,
    /* an amount that is computed, not measured: an outline */ THEME_TIGHT, /* between the tight
                                                                               threshold and the
                                                                               limit */
    THEME_SELECTED,
    THEME_ELIGIBLE,
    THEME_NOT_ELIGIBLE,
    THEME_NOT_COUNTED, /* times that do not count */
    THEME_COMMUNICATION,
    THEME_AREA_COUNT
};

const struct canvas_paint *theme_area(enum theme_area area);

/* The text colour for a text on an area: the one of black and white that has more contrast. */
canvas_colour theme_text_on(enum theme_area area);

/* Relative luminance (0 to 1) and contrast ratio (1 to 21) of WCAG 2.1. */
double theme_luminance(canvas_colour colour);
double theme_contrast(canvas_colour a, canvas_colour b);

/* Families in the order in which they are tried for each character, in fontconfig's form. */
const char *theme_font_families(void);

extern const struct canvas_font theme_font_title;
extern const struct canvas_font theme_font_subtitle;
extern const struct canvas_font theme_font_text;
extern const struct canvas_font theme_font_strong;
extern const struct canvas_font theme_font_small;
extern const struct canvas_font theme_font_small_strong;

#endif
