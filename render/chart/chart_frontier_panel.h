#ifndef RANKLEDGER_CHART_FRONTIER_PANEL_H
#define RANKLEDGER_CHART_FRONTIER_PANEL_H

#include "chart_frontier_names.h"

/*
 * The panel of the frontier: the ground within the limits is shaded, the front is the line of what
 * throughput can be had in how much memory. Neither axis begins at zero: places are compared, not
 * lengths.
 */
struct chart_frontier_panel {
    struct chart_frame *frame;
    struct chart_frontier_points *points;
    struct chart_panel panel;
    struct chart_frontier_boxes boxes;
    struct chart_frontier_names names;
    struct canvas_point *steps; /* of the front */
    size_t step_count;
    struct canvas_box region; /* within the limits */
    bool has_region;
    struct chart_cell title, limit, least, within, front; /* texts in and around the panel */
    struct canvas_point within_at, front_at;
    bool within_placed, front_placed; /* else the legend has to say it */
};

/* Chooses axes and places from frame->y downwards; `frame` and `points` are set, all else zero. */
enum status chart_frontier_panel_place(struct chart_frontier_panel *chart,
                                       struct diag *diag) STATUS_CHECKED;

/* Adds it and moves frame->y below it. */
void chart_frontier_panel_put(struct chart_frontier_panel *chart);

#endif
