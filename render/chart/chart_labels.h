#ifndef RANKLEDGER_CHART_LABELS_H
#define RANKLEDGER_CHART_LABELS_H

#include "chart_frame.h"

/*
 * Names written beside the lines and points that they name, instead of a legend. None overlaps
 * another; one that had to move is joined to its point by a thin line.
 */

struct chart_label {
    struct chart_cell cell;
    struct canvas_point anchor; /* the point that it names */
    canvas_colour colour;       /* of the thin line */
    struct canvas_point at;     /* upper left corner, once placed */
    bool placed;
    size_t tag; /* the caller's, to find what it names after a reordering */
};

#define CHART_LABELS_GAP 2.0     /* between two labels of a column */
#define CHART_LABELS_LEADER 14.0 /* room between anchors and a column of labels */

/*
 * Places the labels as a column that begins at `x`, each as near to the height of its anchor as
 * the others let it (the sum of the squared distances is the least), within [top, bottom]; reorders
 * them by anchor. False, and none placed, if they are higher together than that.
 */
bool chart_labels_column(struct chart_label *labels, size_t count, double x, double top,
                         double bottom);

/*
 * Places each label beside its anchor (right, left, above, below, then further out) where it stays
 * in `bounds` and clears every placed label and the `obstacles`; `reach` is how far from the anchor
 * it begins. Labels come in order of importance: one that finds no room stays unplaced. Returns how
 * many are placed.
 */
struct chart_labels_room {
    struct canvas_box bounds;
    const struct canvas_box *obstacles;
    size_t obstacle_count;
    double reach;
};
size_t chart_labels_beside(struct chart_label *labels, size_t count,
                           const struct chart_labels_room *room);

/* Adds the placed labels and their thin lines. */
void chart_labels_put(struct chart_frame *frame, const struct chart_label *labels, size_t count);

#endif
