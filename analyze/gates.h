#ifndef RANKLEDGER_GATES_H
#define RANKLEDGER_GATES_H

#include "gate_table.h"
#include "group.h"

/*
 * Judges every candidate of the group by every gate: fills gates, gate_count and eligible, with a
 * line of detail each (in the arena). A candidate is eligible if no gate failed.
 */
enum status gates_apply(const struct policy *policy, struct group *group, struct arena *arena,
                        struct diag *diag) STATUS_CHECKED;

/* Judges one gate of one candidate; *result complete but for its detail. Pure. */
void gates_judge(const struct gate_row *row, const struct gate_context *context,
                 const struct candidate *candidate, struct gate_result *result);

/*
 * Whether the candidate would be eligible under another policy that differs in the limits of the
 * gates that move only; gates_apply must have run. Pure, and takes no memory.
 */
bool gates_eligible(const struct policy *policy, const struct candidate *candidate);

/* The candidate's result of the named gate, or NULL. */
const struct gate_result *gates_find(const struct candidate *candidate, const char *name);

/* "pass", "tight", "fail", "not_measured", ...; static storage. */
const char *gates_verdict_name(enum gate_verdict verdict);

/* Names of the failed gates, ", " between them, in the arena; NULL: memory exhausted. */
const char *gates_failures(const struct candidate *candidate, struct arena *arena);

#endif
