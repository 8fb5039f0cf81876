#ifndef RANKLEDGER_CANVAS_SHAPE_H
#define RANKLEDGER_CANVAS_SHAPE_H

#include <cairo.h>

#include "canvas.h"

/* Shapes and colours for the canvases that draw with Cairo, and for them alone: this header shows
 * Cairo's types. Faults stay in the target, as Cairo keeps them. */

void canvas_shape_colour(cairo_t *target, canvas_colour colour);
void canvas_shape_rectangle(cairo_t *target, const struct canvas_box *box,
                            const struct canvas_paint *paint);
void canvas_shape_polyline(cairo_t *target, const struct canvas_point *points, size_t count,
                           const struct canvas_paint *paint);

#endif
