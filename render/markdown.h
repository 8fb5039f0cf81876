#ifndef RANKLEDGER_MARKDOWN_H
#define RANKLEDGER_MARKDOWN_H

#include "report.h"
#include "text_buffer.h"

/*
 * Appends the report as Markdown (GitHub's flavour), short enough for a pull request: decision and
 * reason, one table, failed gates with margins, what was left out, next actions with commands, the
 * charts that `input->formats` has. Texts of others cannot become markup, links or mentions.
 */
void markdown_write(struct text_buffer *out, const struct report_input *input);

/* Appends a text so that it reads literally. */
void markdown_escape(struct text_buffer *out, const char *text);
/* Appends a text as a code span; inside a table as elsewhere. */
void markdown_code(struct text_buffer *out, const char *text);

#endif
