#ifndef RANKLEDGER_HTML_WRITE_H
#define RANKLEDGER_HTML_WRITE_H

#include "manuscript.h"
#include "report.h"
#include "report_pictures.h"
#include "text_buffer.h"

/*
 * Appends the report as one HTML page that needs nothing but itself: style, charts and logo are in
 * it, there is no script and nothing to fetch, and its content policy forbids both. It is light or
 * dark as the reader's system is, light on paper, and well-formed XML, too. Charts of the
 * manuscript that are not among the pictures are left out. Equal input gives equal bytes.
 * STATUS_ENVIRONMENT if memory is exhausted.
 */
enum status html_write(const struct manuscript *manuscript, const struct report_input *input,
                       const struct report_pictures *pictures, struct text_buffer *out,
                       struct diag *diag) STATUS_CHECKED;

#endif
