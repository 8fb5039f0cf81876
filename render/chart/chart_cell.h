#ifndef RANKLEDGER_CHART_CELL_H
#define RANKLEDGER_CHART_CELL_H

#include <stddef.h>

#include "scene.h"

/* A small block of text lines, each with its own style, measured when it is filled and placed
 * later. */

#define CHART_CELL_LINES 12
#define CHART_CELL_LEADING 2.0 /* between two lines */

/* A sign before a line, drawn as a shape so that it needs no font. */
enum chart_mark {
    CHART_MARK_NONE,
    CHART_MARK_CHECK,
    CHART_MARK_CROSS,
    CHART_MARK_WARNING,
    CHART_MARK_LIMIT,  /* the line of a limit, in its own colour */
    CHART_MARK_POINTER /* a triangle on its tip */
};

struct chart_cell_style {
    const struct canvas_font *font;
    canvas_colour colour;
    enum chart_mark mark;
    double width; /* room for one line, the mark included */
    size_t lines;
    bool keep_end; /* as in text_fit_room */
};

struct chart_cell_line {
    struct text_fit_line text;
    const struct canvas_font *font;
    canvas_colour colour;
    enum chart_mark mark;
    double indent;
};

/* A zeroed cell is empty. */
struct chart_cell {
    struct chart_cell_line lines[CHART_CELL_LINES];
    size_t count;
    double width, height;
};

/* Adds a text as one or more lines; lines beyond CHART_CELL_LINES are left out. */
void chart_cell_add(struct scene *scene, struct chart_cell *cell, const char *text,
                    const struct chart_cell_style *style);

/* Draws the lines from the upper left corner `at`. */
void chart_cell_draw(struct scene *scene, const struct chart_cell *cell, struct canvas_point at);

#endif
