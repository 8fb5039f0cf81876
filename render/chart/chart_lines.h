#ifndef RANKLEDGER_CHART_LINES_H
#define RANKLEDGER_CHART_LINES_H

#include "chart_frame.h"
#include "chart_plot.h"

/*
 * The rows of a bar chart: on the left a candidate's name, in the middle the panel with its bar,
 * on the right its value and verdict, and a note in the panel where the bar cannot say it all.
 */

#define CHART_LINES_BAR 22.0 /* thickness of a bar, pixels */
#define CHART_LINES_GAP 16.0 /* between columns */

struct chart_line {
    const struct summary_candidate *candidate;
    struct chart_cell label, value;
    struct chart_cell note; /* in the panel: below the bar, or in its place if there is none */
    struct chart_cell side; /* the value of a second panel */
    bool failed;            /* the run */
    bool has_mark;          /* something stands at the height of the bar */
    double below;           /* height of more marks below the bar, their distance included */
    double y, height;       /* of the row, set by chart_lines_place */
    double bar_y;           /* upper edge of the bar */
};

struct chart_lines {
    struct chart_line *items;
    size_t count;
    double label_width; /* of the widest label */
};

/* A line a row of the frame, with its label filled, at most `width` wide. */
enum status chart_lines_init(struct chart_lines *lines, struct chart_frame *frame, double width,
                             struct diag *diag) STATUS_CHECKED;

/* Adds the reason of a failed run as the note of its line. */
void chart_lines_note_failure(struct chart_line *line, struct chart_frame *frame, double width);

/* Gives the lines their places from frame->y downwards, sets the panel's top and bottom, and adds
 * the stripes behind the rows. */
void chart_lines_place(struct chart_lines *lines, struct chart_frame *frame,
                       struct chart_plot *plot);

/* Adds grounds on which notes are read, over the grid's lines. */
void chart_lines_put_grounds(const struct chart_lines *lines, struct chart_frame *frame,
                             const struct chart_plot *plot);

/* Adds the line of the panel's limit, which makes room for notes that it would cross. */
void chart_lines_put_limit(const struct chart_lines *lines, struct chart_frame *frame,
                           const struct chart_plot *plot);

/* Adds labels, notes and values, and describes the rows. Call it after bars and limit. */
void chart_lines_put_texts(const struct chart_lines *lines, struct chart_frame *frame,
                           const struct chart_plot *plot);

/* Writes the number of a part into its box, beside the limit's line, if there is room. */
void chart_lines_put_number(struct chart_frame *frame, const struct chart_plot *plot,
                            const struct canvas_box *box, enum theme_area area, const char *number);

/* A paint that only fills. */
struct canvas_paint chart_lines_fill(canvas_colour colour);

/* The ground of a row, of every second one a stripe; and adds it, as wide as the page's content. */
canvas_colour chart_lines_ground(const struct chart_frame *frame, size_t index);
void chart_lines_put_stripe(struct chart_frame *frame, size_t index, double y, double height);

#endif
