#ifndef RANKLEDGER_PDF_WRITE_H
#define RANKLEDGER_PDF_WRITE_H

#include "manuscript.h"
#include "report.h"
#include "text_buffer.h"

/*
 * Appends the report as a PDF document. *glyphs_missing is set if some character has no glyph in
 * any installed font, and stays otherwise. STATUS_ENVIRONMENT if memory is exhausted or the
 * drawing library refuses. Equal input gives equal bytes.
 */
enum status pdf_write(const struct manuscript *manuscript, const struct report_input *input,
                      struct text_buffer *out, bool *glyphs_missing,
                      struct diag *diag) STATUS_CHECKED;

#endif
