#ifndef RANKLEDGER_VERIFY_COMPARE_H
#define RANKLEDGER_VERIFY_COMPARE_H

#include "json_read.h"
#include "verify.h"

/* Compares two summaries member by member; differences go to *result. The version of the program
 * is passed over. */
enum status verify_compare(const struct json_read_document *stored,
                           const struct json_read_document *found, struct verify_result *result,
                           struct diag *diag) STATUS_CHECKED;

#endif
