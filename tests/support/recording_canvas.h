#ifndef RANKLEDGER_RECORDING_CANVAS_H
#define RANKLEDGER_RECORDING_CANVAS_H

#include <stdbool.h>
#include <stddef.h>

#include "canvas.h"
#include "text_buffer.h"

/*
 * A canvas that keeps what is drawn on it, for tests of layout. Texts are measured by another
 * canvas with real fonts, or, without one, by a rule that is the same on every machine: half an em
 * a column.
 */

enum recording_kind { RECORDING_RECTANGLE, RECORDING_POLYLINE, RECORDING_TEXT };

struct recording_item {
    enum recording_kind kind;
    struct canvas_box box; /* of a text: the measured one; of a line: the one around its points */
    struct canvas_paint paint;
    struct canvas_font font;
    canvas_colour colour;
    struct canvas_point *places; /* of a line */
    size_t points;
    char *text;
};

struct recording_canvas {
    struct canvas canvas;
    struct canvas *measuring; /* NULL: the rule */
    struct canvas_page page;
    struct recording_item *items;
    size_t count, capacity;
    size_t measured, pages;  /* calls of measure, of begin */
    size_t longest_measured; /* bytes */
};

void recording_canvas_init(struct recording_canvas *recording, struct canvas *measuring);
void recording_canvas_fini(struct recording_canvas *recording);

/* The drawing as text, one item a line, coordinates to a tenth of a pixel. */
void recording_canvas_print(const struct recording_canvas *recording, struct text_buffer *out);

/* The first item with this text, or NULL. */
const struct recording_item *recording_canvas_find(const struct recording_canvas *recording,
                                                   const char *text);
bool recording_canvas_says(const struct recording_canvas *recording, const char *part);

#endif
