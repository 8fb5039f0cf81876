#ifndef RANKLEDGER_ANALYZE_PRINT_H
#define RANKLEDGER_ANALYZE_PRINT_H

#include "analysis.h"

/*
 * What `analyze` says on the terminal: decision and reason first, then one table a group, what was
 * left out and why, next actions with their commands, the limits that matter, notes. Everything
 * from input is made safe to print.
 */
enum status analyze_print(const struct analysis *analysis, bool colour, struct text_buffer *out,
                          struct diag *diag) STATUS_CHECKED;

/* The findings of the first `limit` refused sources to standard error, PATH:LINE:COLUMN: error:
 * ..., one a line; then how many more there are. */
enum status analyze_print_rejected(const struct evidence_set *set, size_t limit,
                                   struct diag *diag) STATUS_CHECKED;

/* A file that was named and cannot be read is no evidence that may be left out: STATUS_INPUT,
 * nothing is decided. One that a directory walk found is listed and makes the evidence incomplete.
 */
enum status analyze_print_require_named(const struct evidence_set *set,
                                        struct diag *diag) STATUS_CHECKED;

#endif
