#ifndef RANKLEDGER_SVG_WRITE_H
#define RANKLEDGER_SVG_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "canvas.h"
#include "text_buffer.h"

/*
 * Writes a drawing as SVG 1.1. Texts are drawn as outlines, so that a picture looks and measures
 * the same where its fonts are missing; each glyph's outline is written once and used by number.
 * For search and for screen readers the words stand in <title> and <desc>. Coordinates have two
 * decimals. A zeroed writer is ready for use; memory that runs out shows in svg_write_finish.
 */
struct svg_write {
    struct text_buffer glyphs; /* definitions */
    struct text_buffer body;
    size_t glyph_count;
};

/* Starts anew and keeps the memory. */
void svg_write_clear(struct svg_write *svg);
void svg_write_fini(struct svg_write *svg);

void svg_write_rectangle(struct svg_write *svg, const struct canvas_box *box,
                         const struct canvas_paint *paint);
void svg_write_polyline(struct svg_write *svg, const struct canvas_point *points, size_t count,
                        const struct canvas_paint *paint);

/* A piece of an outline: a letter of SVG's path data (M, L, C, Z) with 1, 1, 3, 0 points. */
void svg_write_glyph_begin(struct svg_write *svg);
void svg_write_glyph_piece(struct svg_write *svg, char letter, const struct canvas_point *points);
/* Ends the outline and returns the number by which texts use it. */
size_t svg_write_glyph_end(struct svg_write *svg);

/* A text: its left end of the baseline, then its glyphs at offsets from there. */
void svg_write_text_begin(struct svg_write *svg, const struct canvas_point *at,
                          canvas_colour colour);
void svg_write_text_glyph(struct svg_write *svg, size_t glyph, const struct canvas_point *offset);
/* A box in place of a character that no font has. */
void svg_write_text_missing(struct svg_write *svg, const struct canvas_box *box,
                            canvas_colour colour);
void svg_write_text_end(struct svg_write *svg);

/* Appends the whole document to `out`; out->failed is set if memory ran out anywhere. */
void svg_write_finish(const struct svg_write *svg, const struct canvas_page *page,
                      struct text_buffer *out);

#endif
