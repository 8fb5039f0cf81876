#ifndef RANKLEDGER_REPORT_FILES_H
#define RANKLEDGER_REPORT_FILES_H

#include "diag.h"
#include "report.h"

/*
 * Makes a report's files in the folder `output`, all of them or none: they are made in a child
 * process inside a hidden folder and then moved into place. What was there before stays on any
 * failure. Prints the path of each file. STATUS_ENVIRONMENT if something cannot be written.
 */
enum status report_files_write(const struct report_input *input, const char *output,
                               struct diag *diag) STATUS_CHECKED;

#endif
