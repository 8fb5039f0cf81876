#ifndef RANKLEDGER_CANVAS_LINES_H
#define RANKLEDGER_CANVAS_LINES_H

#include "canvas_text.h"

/*
 * Texts shaped once and kept, at one size from which every other follows: outlines without hints
 * grow in proportion. Laying pages out measures a text many times, at many sizes, and draws it in
 * the end; shaping is what that would take longest for.
 */
struct canvas_lines;

#define CANVAS_LINES_SIZE 64.0

struct canvas_line {
    PangoLayoutLine *line;
    struct canvas_extent extent;
    bool glyphs_missing;
};

/* The lines of a shaper, borrowed; NULL if memory is exhausted. Destroy them before it. */
struct canvas_lines *canvas_lines_create(struct canvas_text *text);
void canvas_lines_destroy(struct canvas_lines *lines);

/* A text in a font (of any size) as shaped at CANVAS_LINES_SIZE; valid until the next call. NULL if
 * memory is exhausted, which the shaper then says too. */
const struct canvas_line *canvas_lines_get(struct canvas_lines *lines,
                                           const struct canvas_font *font, const char *text,
                                           size_t length);

#endif
