#ifndef RANKLEDGER_PDF_RECORDER_H
#define RANKLEDGER_PDF_RECORDER_H

#include "canvas_cairo.h"
#include "measure_cache.h"
#include "pdf_layout.h"
#include "recording_canvas.h"
#include "report_template.h"
#include "summary_sample.h"
#include "texts.h"

/*
 * Lays reports out on pages and records each page. Aborts the test with Criterion's assertions when
 * something that the test does not ask about fails.
 */
struct pdf_recorder {
    struct texts texts;
    struct report_template template;
    const char *label; /* of a sample's candidates and group; NULL: their own */
    struct summary summary;
    struct manuscript manuscript; /* of the sample */
    struct canvas_cairo *fonts;
    struct measure_cache *cache;
    struct recording_canvas canvas; /* of the page that was drawn last */
    struct pdf_document document;
    struct report_input input;
};

void pdf_recorder_init(struct pdf_recorder *recorder, const char *language);
void pdf_recorder_fini(struct pdf_recorder *recorder);

/* Lays a manuscript, or the whole report of a sample, out anew. */
void pdf_recorder_lay(struct pdf_recorder *recorder, const struct manuscript *manuscript);
void pdf_recorder_lay_sample(struct pdf_recorder *recorder, enum summary_sample_kind kind,
                             size_t count);

/* Draws a page of the document (from 1) onto the recording canvas. */
void pdf_recorder_draw(struct pdf_recorder *recorder, size_t number);

/* How many times pages `first` to `last` draw exactly this text. */
size_t pdf_recorder_count(struct pdf_recorder *recorder, size_t first, size_t last,
                          const char *text);

/* The page on which a place is; 0: on none. */
size_t pdf_recorder_page_of(const struct pdf_recorder *recorder, const char *anchor);

#endif
