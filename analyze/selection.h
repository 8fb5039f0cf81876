#ifndef RANKLEDGER_SELECTION_H
#define RANKLEDGER_SELECTION_H

#include "analysis.h"

/*
 * Every candidate of the group, best first by the policy's ranking: larger throughput, smaller
 * communication ratio, smaller peak, then order of input. A metric that was not measured ranks
 * behind every measured one. Eligibility does not enter, so that one order serves every limit.
 * *order has candidate_count entries in the arena.
 */
enum status selection_rank(const struct policy *policy, const struct group *group,
                           struct arena *arena, const size_t **order,
                           struct diag *diag) STATUS_CHECKED;

/*
 * The selection among the candidates that gates_apply found eligible; sets their rank. Candidates
 * that the ranking cannot tell apart, and those that rank last because something was not measured,
 * are named in ties.
 */
enum status selection_make(const struct policy *policy, struct group *group, const size_t *order,
                           struct arena *arena, struct selection *selection,
                           struct diag *diag) STATUS_CHECKED;

/* The canonical name of what a key ranks by: "throughput", ...; static storage. */
const char *selection_key_name(enum policy_key key);

#endif
