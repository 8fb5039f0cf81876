#ifndef RANKLEDGER_SVG_INLINE_H
#define RANKLEDGER_SVG_INLINE_H

#include <stddef.h>
#include <stdint.h>

#include "text_buffer.h"

/*
 * Takes pictures of svg_write.h into one HTML page: without what a document of its own has, with
 * ids that are unique in the page (they have "_", which no anchor of a manuscript has), and with
 * each glyph's outline once for all pictures, which makes a page half as large. A zeroed one is
 * ready for use and safe to fini.
 */

struct svg_inline_glyph {
    size_t offset, length; /* of its path data in `outlines` */
    uint32_t hash;
};

struct svg_inline {
    struct text_buffer outlines;
    struct svg_inline_glyph *glyphs;
    size_t glyph_count, glyph_capacity;
    uint32_t *table; /* of hashes: number of a glyph + 1, 0: free */
    size_t table_size;
    uint32_t *local; /* of the picture at hand: which glyph each of its glyphs is */
    size_t local_count, local_capacity;
    size_t picture_count;
};

void svg_inline_fini(struct svg_inline *page);

/* A picture of svg_write's. */
struct svg_inline_picture {
    const char *svg;
    size_t size;
    unsigned head; /* so much of its height is cut off, pixels: a heading stands above it */
};

/* Appends a picture's <svg> element. Its title and description label it. out->failed is set when
 * memory is exhausted, or for a text that is none of svg_write's. */
void svg_inline_add(struct svg_inline *page, struct text_buffer *out,
                    const struct svg_inline_picture *picture);

/* Appends the outlines that the pictures use; once, anywhere in the page. */
void svg_inline_finish(const struct svg_inline *page, struct text_buffer *out);

#endif
