#ifndef RANKLEDGER_GATE_TABLE_H
#define RANKLEDGER_GATE_TABLE_H

#include <stddef.h>

#include "candidate.h"
#include "policy.h"

/* What a gate may look at besides the candidate. */
struct gate_context {
    const struct policy *policy;
    const struct candidate *baseline; /* the run that losses are compared with; NULL: none */
};

/*
 * One row a gate, in the order in which gates are listed. To add a gate, write its judge and add a
 * row in gate_table.c (and a name in templates/language under "gate.<name>").
 *
 * A judge is pure: it fills value, limit, unit, margin and verdict of *result, which arrives with
 * its name set and every number NAN. `failed` follows from the verdict. It may set `detail` to a
 * static text; where it leaves NULL, gates.c writes one from the numbers.
 */
struct gate_row {
    const char *name;
    void (*judge)(const struct gate_context *context, const struct candidate *candidate,
                  struct gate_result *result);
    bool moves; /* its limit is one that sensitivity moves: judged again under each value */
};

const struct gate_row *gate_table(size_t *count);

/* Judges whose own files hold more than a comparison. */
void gate_correctness(const struct gate_context *context, const struct candidate *candidate,
                      struct gate_result *result);
void gate_stability(const struct gate_context *context, const struct candidate *candidate,
                    struct gate_result *result);

/* For judges: passes if value <= limit (at_most) or value >= limit (at_least); sets the margin. A
 * value of NAN is not measured, or not evaluated if the run failed; a limit of NAN is not applied.
 */
void gate_at_most(const struct candidate *candidate, double value, double limit,
                  struct gate_result *result);
void gate_at_least(const struct candidate *candidate, double value, double limit,
                   struct gate_result *result);

/* True for the verdicts that make a candidate not eligible. */
bool gate_fails(enum gate_verdict verdict);

#endif
