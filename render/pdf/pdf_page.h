#ifndef RANKLEDGER_PDF_PAGE_H
#define RANKLEDGER_PDF_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "scene.h"
#include "text_buffer.h"

/*
 * The pages of a document after layout and before they are drawn: on each a scene, and the places
 * that links lead to and start from. Units are points. Adding never fails visibly: when memory is
 * exhausted `failed` is set, and whoever draws reports it.
 */

/* A place with a name: of a link its area and target, of a target the point to show. */
struct pdf_place {
    struct pdf_place *next;
    const char *anchor; /* manuscript.h */
    struct canvas_box box;
};

struct pdf_page {
    struct pdf_page *next;
    size_t number; /* from 1 */
    struct scene scene;
    struct pdf_place *links, *targets;
};

/* An entry of the outline. */
struct pdf_entry {
    struct pdf_entry *next;
    unsigned level; /* 1 to 3 */
    const char *text, *anchor;
};

/* One with a canvas is ready for use; pdf_document_fini releases it. */
struct pdf_document {
    struct canvas *canvas; /* measures now, draws later; borrowed */
    struct arena arena;    /* of texts that were laid out */
    struct pdf_page *first, *last;
    struct pdf_page spare; /* takes what is drawn when memory for a page is exhausted */
    size_t page_count;
    struct pdf_entry *entries, *last_entry;
    bool failed;
};

/* Adds an empty page and returns it; NULL when memory is exhausted. */
struct pdf_page *pdf_document_add(struct pdf_document *document);

/* A mark to go back to: pages and entries that were added since are released. */
struct pdf_mark {
    struct pdf_page *page;
    struct pdf_entry *entry;
};
struct pdf_mark pdf_document_mark(const struct pdf_document *document);
void pdf_document_return(struct pdf_document *document, struct pdf_mark mark);

void pdf_document_link(struct pdf_document *document, const char *anchor, struct canvas_box area);
/* A target on the last page; an outline entry with it where level is not 0. */
void pdf_document_target(struct pdf_document *document, const char *anchor, struct canvas_point at,
                         unsigned level, const char *text);

/* The text free of control characters, escaped as text_escape does; itself where it has none. */
const char *pdf_document_clean(struct pdf_document *document, const char *text);

/* A copy of what was appended, "" when memory is exhausted; the buffer is released. */
const char *pdf_document_take(struct pdf_document *document, struct text_buffer *text);

/* The text broken into lines; none when memory is exhausted. */
struct text_lines pdf_document_lines(struct pdf_document *document, const struct canvas_font *font,
                                     const char *text, struct text_lines_room room);

/* The same, of at most so many lines: where there are more, the last ends with an ellipsis. For
 * headings and the like, whose names are said in full elsewhere. */
struct text_lines pdf_document_lines_most(struct pdf_document *document,
                                          const struct canvas_font *font, const char *text,
                                          struct text_lines_room room, size_t most);

void pdf_document_fini(struct pdf_document *document);

#endif
