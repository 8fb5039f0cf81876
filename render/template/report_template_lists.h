#ifndef RANKLEDGER_REPORT_TEMPLATE_LISTS_H
#define RANKLEDGER_REPORT_TEMPLATE_LISTS_H

#include "report_template.h"
#include "template_file.h"

/*
 * Lists of names in a report.json as lists of the rows that they name. A name that nobody knows or
 * that stands twice is refused, and so is an empty list of sections or sheets (without charts a
 * report is still one). A `node` of JSON_READ_NONE leaves what was there.
 */
struct report_template_lists {
    const struct template_file *file;
    struct arena *arena; /* for the lists */
};

enum status report_template_lists_charts(const struct report_template_lists *lists, uint32_t node,
                                         struct report_template_charts *charts,
                                         struct diag *diag) STATUS_CHECKED;
enum status report_template_lists_sections(const struct report_template_lists *lists, uint32_t node,
                                           struct report_template_sections *sections,
                                           struct diag *diag) STATUS_CHECKED;
enum status report_template_lists_sheets(const struct report_template_lists *lists, uint32_t node,
                                         struct report_template_sheets *sheets,
                                         struct diag *diag) STATUS_CHECKED;

#endif
