#ifndef RANKLEDGER_REPORT_SOURCE_H
#define RANKLEDGER_REPORT_SOURCE_H

#include "analysis_options.h"
#include "diag.h"
#include "options.h"
#include "summary.h"

/*
 * What a report is made from. The one operand that is a summary (rankledger.summary/1, "-" for
 * standard input) is read; anything else is evidence and analysed in memory with the arguments,
 * its refused sources named on standard error. `report_source_load` fills *summary.
 */
struct report_source {
    const struct analysis_arguments *arguments;
    const struct options_list *operands;
    const struct texts *texts; /* in whose language labels are said */
    /* How the command ends when the report is written: STATUS_OK; STATUS_NEGATIVE if sources were
     * invalid; STATUS_INPUT if a named one could not be read, which is in `unreadable`. */
    enum status outcome;
    char unreadable[512];
};

enum status report_source_load(struct report_source *source, struct summary *summary,
                               struct diag *diag) STATUS_CHECKED;

#endif
