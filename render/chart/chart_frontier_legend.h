#ifndef RANKLEDGER_CHART_FRONTIER_LEGEND_H
#define RANKLEDGER_CHART_FRONTIER_LEGEND_H

#include "chart_frontier_points.h"

/* Which entries need one: what is named in the panel does not. */
struct chart_frontier_legend {
    bool region, front;
};

/* A sign of a candidate; one that is not eligible is hollow, the first has a ring. */
void chart_frontier_sign(struct chart_frame *frame, const struct chart_frontier_point *point);

/* An interval of a throughput as an upright line with caps, dashed if it is of one run only. */
void chart_frontier_interval(struct chart_frame *frame, double x, double top, double bottom,
                             canvas_colour colour, bool within_run);
#define CHART_FRONTIER_CAP 3.0 /* half the width of the caps */

/* The text of the region: which limits bound it. */
const char *chart_frontier_region_text(const struct chart_frame *frame,
                                       const struct chart_frontier_points *points);

/* Adds the legend from frame->y downwards: strategies, signs and what `legend` asks for. */
void chart_frontier_legend_put(struct chart_frame *frame,
                               const struct chart_frontier_points *points,
                               const struct chart_frontier_legend *legend);

#endif
