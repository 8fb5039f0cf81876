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

/* More groups would scroll away; the JSON has all. */
#define COMPARE_PRINT_GROUPS 12

/* The groups that are shown: all of a few; of many those in which something changed, what is beyond
 * the allowed first, then regressions, then improvements. */
struct compare_print_choice {
    const struct comparison_pair *pairs[COMPARE_PRINT_GROUPS];
    size_t count;
    size_t changed, unchanged; /* that are not shown */
};

struct compare_print_choice compare_print_choose(const struct comparison *comparison);

/* Appends how many groups are not shown; nothing if all are. */
void compare_print_rest(struct text_buffer *out, const struct compare_print_choice *choice);

#endif
