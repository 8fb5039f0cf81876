#ifndef RANKLEDGER_MARKDOWN_H
#define RANKLEDGER_MARKDOWN_H

#include "manuscript.h"
#include "report.h"
#include "text_buffer.h"

/*
 * Appends a manuscript as Markdown (GitHub's flavour): tables of at most a screen's length, charts
 * as links to the pictures that `input->formats` has. Texts of others cannot become markup, links
 * or mentions. STATUS_ENVIRONMENT if memory is exhausted.
 */
enum status markdown_write(const struct manuscript *manuscript, const struct report_input *input,
                           struct text_buffer *out, struct diag *diag) STATUS_CHECKED;

/* Appends a text so that it reads literally. */
void markdown_escape(struct text_buffer *out, const char *text);
/* Appends a text as a code span; inside a table as elsewhere. */
void markdown_code(struct text_buffer *out, const char *text);

#endif
