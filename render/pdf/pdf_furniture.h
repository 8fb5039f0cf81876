#ifndef RANKLEDGER_PDF_FURNITURE_H
#define RANKLEDGER_PDF_FURNITURE_H

#include "pdf_flow.h"

/* What stands on every page: above the report's title, the organisation and its logo, below the
 * program's version, the evidence level and the page's number. To be added when all pages are
 * there. */
void pdf_furniture_add(const struct report_input *input, struct pdf_document *document);

/* Where the logo goes; nothing where the template has none (width 0). */
struct canvas_box pdf_furniture_logo(const struct report_input *input);

#endif
