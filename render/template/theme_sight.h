#ifndef RANKLEDGER_THEME_SIGHT_H
#define RANKLEDGER_THEME_SIGHT_H

#include <stddef.h>

#include "canvas.h"

/* How different two colours look: to normal sight, to the three forms of colour blindness, and on
 * a grey print. */

enum theme_sight {
    THEME_SIGHT_NORMAL,
    THEME_SIGHT_PROTANOPIA,
    THEME_SIGHT_DEUTERANOPIA,
    THEME_SIGHT_TRITANOPIA,
    THEME_SIGHT_COUNT
};

const char *theme_sight_name(enum theme_sight sight); /* "protanopia" */

/* Difference in CIE 1976 L*a*b* (D65); 2.3 is the threshold of sight. */
double theme_sight_distance(canvas_colour a, canvas_colour b, enum theme_sight sight);

/* CIE lightness, 0 (black) to 100. */
double theme_sight_lightness(canvas_colour colour);

#endif
