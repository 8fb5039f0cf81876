#ifndef RANKLEDGER_CANVAS_HATCH_H
#define RANKLEDGER_CANVAS_HATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "canvas.h"

/* The lines of a hatched rectangle, for backends that have no hatch of their own. */

#define CANVAS_HATCH_SPACING 5.0 /* pixels along an edge */
#define CANVAS_HATCH_WIDTH 1.2   /* of a line */

/* Line `index` from lower left to upper right, already cut to the box; false when there is none
 * any more. */
bool canvas_hatch_line(const struct canvas_box *box, size_t index, struct canvas_point line[2]);

#endif
