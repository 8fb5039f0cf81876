#ifndef RANKLEDGER_CHART_CHANGES_PANEL_H
#define RANKLEDGER_CHART_CHANGES_PANEL_H

#include "changes_view.h"
#include "chart_axis.h"
#include "chart_frame.h"

/*
 * One quantity of the chart of changes: a strip around zero in which each strategy has a point,
 * with the interval of its change, and beside it the change as a number. A point that is told
 * apart as better or worse has a form of its own, so that none needs its colour.
 */
struct chart_changes_panel {
    const struct changes_view_quantity *quantity;
    double left, right; /* of the strip */
    double text_width;  /* of the numbers on its right */
    struct chart_axis axis;
};

/* How a verdict is drawn: 0 better, 1 worse, 2 neither. */
#define CHART_CHANGES_PANEL_MARKS 3
size_t chart_changes_panel_mark_of(const struct changes_value *value);
struct theme_series chart_changes_panel_mark(const struct theme *theme, size_t mark);
/* Whether its interval rests on whole rounds, not on the steps of one run. */
bool chart_changes_panel_by_rounds(const struct changes_value *value);

/* Chooses the axis for the values of all strategies; it holds the tolerance, too. */
void chart_changes_panel_scale(struct chart_changes_panel *panel, struct chart_frame *frame);

/* Band of the tolerance, grid and the line of no change, from `top` to `bottom`. */
void chart_changes_panel_grid(const struct chart_changes_panel *panel, struct chart_frame *frame,
                              double top, double bottom);

/* The number with its verdict; empty for NULL. */
struct chart_cell chart_changes_panel_cell(const struct chart_changes_panel *panel,
                                           struct chart_frame *frame,
                                           const struct changes_value *value);

/* Point and interval at a height. */
void chart_changes_panel_point(const struct chart_changes_panel *panel, struct chart_frame *frame,
                               const struct changes_value *value, double y);

#endif
