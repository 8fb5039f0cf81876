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

/* The findings of every refused source to standard error: PATH:LINE:COLUMN: error: ..., one a line.
 */
enum status analyze_print_rejected(const struct analysis *analysis,
                                   struct diag *diag) STATUS_CHECKED;

#endif
