#ifndef RANKLEDGER_CHART_GRID_H
#define RANKLEDGER_CHART_GRID_H

#include "chart_frame.h"

/* Small multiples: a panel a candidate, in columns as the page's width allows. Each has its
 * candidate's name and a few facts above; the leftmost ones have room for numbers. */

struct chart_grid_cell {
    const struct summary_candidate *candidate;
    struct chart_cell label, facts; /* facts: filled by the chart before chart_grid_place */
    struct chart_cell note;         /* in place of the panel where there is nothing to draw */
    bool empty;                     /* no panel: set by the chart */
    struct canvas_box plot;         /* set by chart_grid_place */
    double y;                       /* upper edge of the label, likewise */
    bool leftmost;                  /* likewise: it has the numbers of the vertical axis */
};

struct chart_grid {
    struct chart_grid_cell *items;
    size_t count, columns;
    double numbers;      /* room left of the first column */
    double width;        /* of a plot */
    double height, foot; /* of a plot; of what stands below it */
};

/* A cell a row of the frame, its label filled; plots are at least `least` wide if the page is. */
enum status chart_grid_init(struct chart_grid *grid, struct chart_frame *frame, double least,
                            double numbers, struct diag *diag) STATUS_CHECKED;

/* Adds a line of facts to a cell, as wide as its plot. */
void chart_grid_fact(struct chart_grid_cell *cell, struct chart_frame *frame, enum theme_ink ink,
                     const char *text);
/* "failed: ..." as a fact, if the run failed. */
void chart_grid_failure(struct chart_grid_cell *cell, struct chart_frame *frame);

/* What the axes of all panels are, above them, and in the ink of limits a remark on a limit (NULL:
 * none). */
void chart_grid_heading(struct chart_frame *frame, const char *axes, const char *limit);

/* Gives the cells their places from frame->y downwards, those without a panel last, adds labels,
 * facts and notes, and describes the cells. */
void chart_grid_place(struct chart_grid *grid, struct chart_frame *frame);

#endif
