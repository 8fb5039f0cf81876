#ifndef RANKLEDGER_REPEATS_H
#define RANKLEDGER_REPEATS_H

#include "candidate.h"

/*
 * Pools the records of one strategy (and one setting of the varied fields) into *candidate:
 *
 * - step times: the samples of all runs one after the other, the median taken anew; throughput from
 *   it where the tokens (or samples) of a step are known; if a run has no samples, or they are of
 *   other ranks, the median of the runs' values;
 * - ratios and rates: the median of the runs' values; memory: the largest; losses and gradient
 *   norms: of the first run;
 * - only runs that did not fail count, unless all failed; memory counts of every run;
 * - any failed run is the candidate's failure, unless the policy allows failed repeats and another
 *   run succeeded.
 *
 * A single record is taken as it is. Label, ledger and gates stay unset.
 */
enum status repeats_pool(const struct record **records, size_t count, const struct policy *policy,
                         struct arena *arena, struct candidate *candidate,
                         struct diag *diag) STATUS_CHECKED;

/* Fills what `into` does not say from `from`. */
void repeats_complete_workload(struct workload *into, const struct workload *from);

/* The kind of peak that the memory gate reads: the policy's, else the one with the largest value
 * (of equal ones device, then reserved, then allocated); -1 if it was not measured. */
int repeats_memory_kind(const struct metrics *metrics, const struct policy *policy);

#endif
