#ifndef RANKLEDGER_CHART_FRONTIER_POINTS_H
#define RANKLEDGER_CHART_FRONTIER_POINTS_H

#include "chart_panel.h"

/* The candidates as points of throughput over peak memory, and those that cannot be one. */

#define CHART_FRONTIER_RADIUS 5.5

struct chart_frontier_point {
    const struct summary_candidate *candidate;
    const struct theme_series *series;
    struct canvas_point at; /* set by chart_frontier_place */
    bool chosen;            /* by the decision */
    bool first;             /* the best eligible, or chosen */
};

struct chart_frontier_points {
    struct chart_frontier_point *items; /* in the frame's order */
    size_t count;
    const struct summary_candidate **others; /* failed or not measured */
    size_t other_count;
    const char *unit;                /* of the throughputs; "" if none is told */
    double limit_mb, least;          /* the limits; NAN: none, or not in this unit */
    bool limit_inside, least_inside; /* within what the axes show */
};

enum status chart_frontier_read(struct chart_frontier_points *points, struct chart_frame *frame,
                                struct diag *diag) STATUS_CHECKED;

/* Whether a candidate completed with both measured, whatever the unit. */
bool chart_frontier_is_point(const struct summary_candidate *candidate);

/* Whether its throughput has an interval, and whether that rests on the steps of one run. */
bool chart_frontier_has_interval(const struct summary_candidate *candidate);
bool chart_frontier_is_within_run(const struct summary_candidate *candidate);

/* Why a candidate is no point: "failed: ...", "throughput not measured". */
const char *chart_frontier_reason(struct chart_frame *frame,
                                  const struct chart_frontier_points *points,
                                  const struct summary_candidate *candidate);

/* Chooses the panel's axes (its box is set) and notes which limits lie on them. */
void chart_frontier_scale(struct chart_frontier_points *points, const struct chart_frame *frame,
                          struct chart_panel *panel);
/* Gives the points their places. */
void chart_frontier_place(struct chart_frontier_points *points, const struct chart_panel *panel);

/* The region within the limits, as far as the panel shows it; false if it shows none of it. */
bool chart_frontier_region(const struct chart_frontier_points *points,
                           const struct chart_panel *panel, struct canvas_box *region);

/* The corners of the front's line: what throughput can be had in how much memory. In the scene's
 * arena; none without a point on the front. */
struct canvas_point *chart_frontier_steps(const struct chart_frontier_points *points,
                                          struct chart_frame *frame,
                                          const struct chart_panel *panel, size_t *count);

#endif
