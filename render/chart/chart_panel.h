#ifndef RANKLEDGER_CHART_PANEL_H
#define RANKLEDGER_CHART_PANEL_H

#include "chart_axis.h"
#include "chart_frame.h"

/* A panel with a horizontal and a vertical axis, for lines and points. */

struct chart_panel {
    struct canvas_box box; /* of the plot: without the numbers and titles of its axes */
    struct chart_axis x, y;
};

/* Chooses both axes so that their numbers fit beside the panel's box. */
void chart_panel_scale(const struct chart_frame *frame, struct chart_panel *panel,
                       const struct chart_axis_range *x, const struct chart_axis_range *y);

/* The place of a value (base unit) on the page. */
double chart_panel_x(const struct chart_panel *panel, double value);
double chart_panel_y(const struct chart_panel *panel, double value);

/* The lines of the grid, to be added before the data. */
void chart_panel_grid(struct chart_frame *frame, const struct chart_panel *panel);

/* Which axes show numbers: panels of a grid share them. */
#define CHART_PANEL_X 1u
#define CHART_PANEL_Y 2u

/* Axis lines, ticks and numbers, to be added after the data. Below the box they take
 * CHART_PANEL_NUMBERS, to its left chart_panel_numbers_width. */
void chart_panel_numbers(struct chart_frame *frame, const struct chart_panel *panel, unsigned axes);
#define CHART_PANEL_NUMBERS 24.0

/* Room left of the box for the numbers of a vertical axis. */
double chart_panel_numbers_width(const struct chart_frame *frame, const struct chart_axis *axis);

/* The title of the vertical axis, with its unit, above the box (from `left` on, one line that ends
 * CHART_PANEL_TITLE above it); that of the horizontal one below the numbers, ending with the box.
 * NULL: none. */
void chart_panel_titles(struct chart_frame *frame, const struct chart_panel *panel, double left,
                        const char *x_title, const char *y_title);
#define CHART_PANEL_TITLE 25.0

/* A horizontal or vertical line across the box at a value, with a halo, in the ink of limits;
 * nothing if the value is NAN or lies outside of the axis. Returns whether it lies inside. */
bool chart_panel_limit_x(struct chart_frame *frame, const struct chart_panel *panel, double value);
bool chart_panel_limit_y(struct chart_frame *frame, const struct chart_panel *panel, double value);

#endif
