#ifndef RANKLEDGER_COMPARISON_PARTS_H
#define RANKLEDGER_COMPARISON_PARTS_H

#include "comparison.h"

/* The steps of comparison_run, a file each. */

/* comparison_match.c: groups into pairs and unmatched ones; strategies into rows. */
enum status comparison_parts_match(struct comparison *comparison, struct diag *diag) STATUS_CHECKED;

/* comparison_values.c: fills the values and losses of a row that both sides have. */
void comparison_parts_values(const struct comparison_settings *settings,
                             struct comparison_strategy *row);

/* comparison_findings.c: the sentences, from the rows; counts what counts. */
enum status comparison_parts_findings(struct comparison *comparison,
                                      struct diag *diag) STATUS_CHECKED;

/* comparison_changes.c: those of one strategy that both sides have. */
struct comparison_teller {
    const struct comparison_settings *settings;
    struct arena *arena;
    struct comparison_findings *findings;
    enum status status;
    struct diag *diag;
};

void comparison_parts_changes(struct comparison_teller *teller,
                              const struct comparison_strategy *row);

/* Adds a sentence; *finding says all but the message. */
void comparison_parts_tell(struct comparison_teller *teller,
                           const struct comparison_finding *finding, const char *id,
                           const struct sentence_value *values, size_t count);

#endif
