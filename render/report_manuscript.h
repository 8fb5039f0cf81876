#ifndef RANKLEDGER_REPORT_MANUSCRIPT_H
#define RANKLEDGER_REPORT_MANUSCRIPT_H

#include "manuscript.h"
#include "report.h"

struct report_template_document; /* report_template.h */

/* Appends what a report says in a format, by that format's part of the template. Everything that
 * the input borrows must outlive the manuscript. STATUS_ENVIRONMENT if memory is exhausted. */
enum status report_manuscript(const struct report_input *input,
                              const struct report_template_document *document,
                              struct manuscript *out, struct diag *diag) STATUS_CHECKED;

#endif
