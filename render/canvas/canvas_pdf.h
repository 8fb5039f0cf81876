#ifndef RANKLEDGER_CANVAS_PDF_H
#define RANKLEDGER_CANVAS_PDF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "canvas.h"
#include "text_buffer.h"

/*
 * A canvas that draws the pages of one PDF document, one after another. Its unit is the point
 * (1/72 inch). Texts are searchable; of each font the glyphs that are used are embedded. A text
 * should be measured before the first page begins: what is not makes the file larger. Equal calls
 * give equal bytes on a machine.
 */
struct canvas_pdf;

/* What readers show and search engines index. Texts live as long as the canvas. */
struct canvas_pdf_properties {
    const char *title, *subject, *author;
    const char *creator;  /* program and version */
    const char *language; /* of the texts: "en", "zh" */
    const char *families; /* theme.h */
    int64_t created;      /* seconds since 1970; the years 0001 to 9999 can be written */
};

/* A picture for the pages, decoded; `png` is read here and not needed later. Scaled to its box. */
struct canvas_pdf_picture {
    const unsigned char *png;
    size_t size;
};

/* Release it with canvas_pdf_destroy. */
enum status canvas_pdf_create(const struct canvas_pdf_properties *properties,
                              struct canvas_pdf **canvas, struct diag *diag) STATUS_CHECKED;
void canvas_pdf_destroy(struct canvas_pdf *canvas);

/* The canvas to draw on, borrowed. */
struct canvas *canvas_pdf_canvas(struct canvas_pdf *canvas);

/* Sets the one picture that canvas_pdf_show_picture draws. STATUS_ENVIRONMENT if it is no PNG. */
enum status canvas_pdf_set_picture(struct canvas_pdf *canvas,
                                   const struct canvas_pdf_picture *picture,
                                   struct diag *diag) STATUS_CHECKED;

/* On the page that is being drawn. Names are letters, digits and "-"; each that a link or the
 * outline uses must be a destination of some page. */
void canvas_pdf_show_picture(struct canvas_pdf *canvas, const struct canvas_box *box);
void canvas_pdf_destination(struct canvas_pdf *canvas, const char *name,
                            const struct canvas_point *at);
void canvas_pdf_link(struct canvas_pdf *canvas, const char *name, const struct canvas_box *area);

/* Adds an entry to the outline below another one (0: at the top) and returns its number. */
int canvas_pdf_outline(struct canvas_pdf *canvas, int parent, const char *text, const char *name);

/* Ends the document and appends its bytes; nothing can be drawn afterwards. STATUS_ENVIRONMENT if
 * memory is exhausted or the drawing library refuses. */
enum status canvas_pdf_finish(struct canvas_pdf *canvas, struct text_buffer *out,
                              struct diag *diag) STATUS_CHECKED;

/* Whether a drawn text had a character without a glyph in any font. */
bool canvas_pdf_glyphs_missing(const struct canvas_pdf *canvas);

#endif
