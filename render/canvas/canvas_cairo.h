#ifndef RANKLEDGER_CANVAS_CAIRO_H
#define RANKLEDGER_CANVAS_CAIRO_H

#include <stdbool.h>
#include <stddef.h>

#include "canvas.h"
#include "text_buffer.h"

/*
 * A canvas that draws one page as SVG and as pixels at the same time, so that every text is shaped
 * once. The only place that knows Cairo and Pango. The SVG is written by svg_write.h: Cairo's own
 * looks up the character of every glyph by searching the whole font, which takes longer than all
 * the rest, and numbers its elements by what the process drew before.
 */
struct canvas_cairo;

/* The pixels of a finished page; `data` belongs to the canvas. */
struct canvas_pixels {
    const unsigned char *data; /* 32 bits a pixel in native byte order: unused, red, green, blue */
    size_t width, height, stride; /* pixels, rows, bytes from row to row */
};

/*
 * Creates a canvas for texts of a language ("en", "zh") in the first of the fonts' `families`
 * (theme.h) that has each character; nothing is taken from the locale or from desktop settings.
 * Release it with canvas_cairo_destroy.
 */
enum status canvas_cairo_create(const char *language, const char *families,
                                struct canvas_cairo **canvas, struct diag *diag) STATUS_CHECKED;
void canvas_cairo_destroy(struct canvas_cairo *canvas);

/* The canvas to draw on, borrowed. */
struct canvas *canvas_cairo_canvas(struct canvas_cairo *canvas);

/* After a page was ended: its two forms, borrowed until the next page begins. The SVG has the
 * page's title and description, for search and screen readers. */
const struct text_buffer *canvas_cairo_svg(const struct canvas_cairo *canvas);
struct canvas_pixels canvas_cairo_pixels(const struct canvas_cairo *canvas);

/* Pixels of the raster per CSS pixel. */
#define CANVAS_CAIRO_SCALE 2

/* Whether a drawn text had a character without a glyph in any font. */
bool canvas_cairo_glyphs_missing(const struct canvas_cairo *canvas);

/* How much of the page is for its title alone (canvas.h), CSS pixels. */
double canvas_cairo_head(const struct canvas_cairo *canvas);

#endif
