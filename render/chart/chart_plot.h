#ifndef RANKLEDGER_CHART_PLOT_H
#define RANKLEDGER_CHART_PLOT_H

#include "axis.h"
#include "chart_frame.h"

/* A panel of horizontal bars over a common axis that starts at zero. */
struct chart_plot {
    double left, right;
    double top, bottom; /* of the rows; known before the rows are drawn */
    struct axis axis;
    const char *limit_text; /* NULL: no limit */
    double limit;           /* base unit */
    double label_end;       /* how far right the label of the limit may go */
    bool limit_inside;      /* it lies on the axis */
};

/*
 * Chooses the axis for values up to `largest` so that its labels fit, and whether a limit (NAN:
 * none) belongs on it: one far beyond the values would squeeze the bars and is named at the edge
 * instead.
 */
void chart_plot_scale(const struct chart_frame *frame, struct chart_plot *plot, double largest,
                      struct axis_unit (*unit)(double largest));

double chart_plot_x(const struct chart_plot *plot, double value);

struct chart_plot_heading {
    const char *text;
    double x, width; /* wrapped into it */
};

/* Headings of columns and panels above the rows, their last lines level; moves the frame's y. */
void chart_plot_put_headings(struct chart_frame *frame, const struct chart_plot_heading *headings,
                             size_t count);

/* The label of the limit above the rows, ending at `bottom`: on its line, or at the right end with
 * the remark that it lies beyond the axis. */
void chart_plot_limit_label(struct chart_frame *frame, const struct chart_plot *plot,
                            double bottom);
double chart_plot_limit_height(const struct chart_plot *plot);

/* Lines of the grid below the bars; line of the limit above them; the axis with its numbers. */
void chart_plot_grid(struct chart_frame *frame, const struct chart_plot *plot);
void chart_plot_limit(struct chart_frame *frame, const struct chart_plot *plot);
/* A piece of the limit's line, for a line that makes room for texts. */
void chart_plot_limit_piece(struct chart_frame *frame, const struct chart_plot *plot, double top,
                            double bottom);
void chart_plot_numbers(struct chart_frame *frame, const struct chart_plot *plot);
double chart_plot_numbers_height(void);

/* Whether [from, to] comes within a few pixels of the limit's line. */
bool chart_plot_meets_limit(const struct chart_plot *plot, double from, double to);

#endif
