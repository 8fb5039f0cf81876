#ifndef RANKLEDGER_PDF_LAYOUT_H
#define RANKLEDGER_PDF_LAYOUT_H

#include "manuscript.h"
#include "pdf_page.h"
#include "report.h"

/*
 * Lays a manuscript out on pages of the template's size. A part with a verdict, the decision of a
 * report or of a group, is exactly one page: what does not fit at the usual distances is set
 * closer, then smaller, then tables and lists show fewer rows and say on which page all of them
 * are, which is the next. Other parts follow one another.
 */
enum status pdf_layout(const struct manuscript *manuscript, const struct report_input *input,
                       struct pdf_document *document, struct diag *diag) STATUS_CHECKED;

#endif
