#ifndef RANKLEDGER_COMPARE_PRINT_H
#define RANKLEDGER_COMPARE_PRINT_H

#include "comparison.h"

/* A comparison for the terminal: what it came to, a table a group, then the sentences. */
enum status compare_print(const struct comparison *comparison, struct text_buffer *out,
                          struct diag *diag) STATUS_CHECKED;

/* The same as Markdown, short enough for a comment in a pull request. */
enum status compare_print_markdown(const struct comparison *comparison, struct text_buffer *out,
                                   struct diag *diag) STATUS_CHECKED;

/* Appends a change as a cell says it: "+3.2 %", "-1 % (noise)", "same", "not measured". */
void compare_print_change(struct text_buffer *out, const struct comparison_value *value,
                          bool in_points);

/* Appends what became of a strategy: "selected", "fails memory", "missing in NEW", ... */
void compare_print_state(struct text_buffer *out, const struct comparison_pair *pair,
                         const struct comparison_strategy *row);

/* How many groups are shown, and whether this one is: of many only those in which something
 * changed. */
bool compare_print_shows(const struct comparison *comparison, const struct comparison_pair *pair);

#endif
