#ifndef RANKLEDGER_CHART_FRONTIER_NAMES_H
#define RANKLEDGER_CHART_FRONTIER_NAMES_H

#include "chart_frontier_points.h"
#include "chart_labels.h"

/*
 * The names beside the points. Where they do not all fit, the chosen one and the front keep theirs,
 * the others get a number, and a key below the panel says whose it is.
 */

/* What names keep clear of, and lines of the grid of names. */
struct chart_frontier_boxes {
    struct canvas_box *items; /* in the scene's arena */
    size_t count, capacity;
};
enum status chart_frontier_boxes_init(struct chart_frontier_boxes *boxes, struct chart_frame *frame,
                                      size_t capacity, struct diag *diag) STATUS_CHECKED;
void chart_frontier_boxes_add(struct chart_frontier_boxes *boxes, struct canvas_box box);
/* Adds a thin box around each part of a line of horizontal and vertical parts. */
void chart_frontier_boxes_add_line(struct chart_frontier_boxes *boxes,
                                   const struct canvas_point *points, size_t count);
bool chart_frontier_boxes_meet(const struct chart_frontier_boxes *boxes,
                               const struct canvas_box *box);

struct chart_frontier_names {
    struct chart_label *labels; /* each with the number of its point as its tag */
    size_t count;
    const struct chart_frontier_point **order; /* the points in order of importance */
    size_t *numbers;     /* of each point, in the points' order: 0 if it has its name */
    size_t *leaders;     /* likewise: the first numbered one at its place */
    size_t number_count; /* numbers in use; 0: no key */
};

/* Chooses and places names and numbers within the panel; `boxes` is added to. */
enum status chart_frontier_names_place(struct chart_frontier_names *names,
                                       const struct chart_frontier_points *points,
                                       struct chart_frame *frame, const struct chart_panel *panel,
                                       struct chart_frontier_boxes *boxes,
                                       struct diag *diag) STATUS_CHECKED;

/* "431,900 tokens/s, 15.2 GiB". */
const char *chart_frontier_value(struct chart_frame *frame,
                                 const struct summary_candidate *candidate);

/* Adds the key of the numbers from frame->y downwards. */
void chart_frontier_names_key(const struct chart_frontier_names *names,
                              const struct chart_frontier_points *points,
                              struct chart_frame *frame);

#endif
