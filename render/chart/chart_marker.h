#ifndef RANKLEDGER_CHART_MARKER_H
#define RANKLEDGER_CHART_MARKER_H

#include "scene.h"
#include "theme.h"

/* The sign of a series at a point, about 2 * `radius` high whatever its form; with an edge in
 * `ground`, so that it stands out from lines and from other signs (CANVAS_NONE: none). */
void chart_marker(struct scene *scene, const struct theme_series *series,
                  struct canvas_point centre, double radius, canvas_colour ground);

/* Where something ended badly. */
void chart_marker_cross(struct scene *scene, struct canvas_point centre, double radius,
                        canvas_colour colour, canvas_colour ground);

#endif
