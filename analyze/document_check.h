#ifndef RANKLEDGER_DOCUMENT_CHECK_H
#define RANKLEDGER_DOCUMENT_CHECK_H

#include "document.h"

/* Inside document.h: checking the text of one file (document.c), however it was read
 * (document_entry.c). */
struct document_check {
    struct document_reader *reader;
    const char *path;
    document_visit *visit;
    void *context;
    struct diag *diag;
    bool kept; /* the text lies in the reader's buffers: it can serve the next as a pattern */
    const char *file_sha256; /* as the document's */
};

/* What the reader needs before the first text. */
enum status document_check_prepare(struct document_reader *reader,
                                   struct diag *diag) STATUS_CHECKED;

/* One document; `line` is where in a file of lines it stands, or 0. */
enum status document_check_text(const struct document_check *check, const char *text, size_t size,
                                size_t line) STATUS_CHECKED;

/* One document a line, with `line` lines of the file before the text; blank lines separate nothing
 * and are passed over. */
enum status document_check_lines(const struct document_check *check, const char *text, size_t size,
                                 size_t line) STATUS_CHECKED;

/* A document that has no text, only the reason; `line` as above. */
enum status document_check_unreadable(const struct document_check *check, size_t line,
                                      enum input_fault fault, const char *reason) STATUS_CHECKED;

#endif
