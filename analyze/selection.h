#ifndef RANKLEDGER_SELECTION_H
#define RANKLEDGER_SELECTION_H

#include "analysis.h"

/*
 * Every candidate of the group, best first by the policy's ranking: larger throughput, smaller
 * communication ratio, smaller peak, then order of input. A metric that was not measured ranks
 * behind every measured one. Eligibility does not enter, so that one order serves every limit;
 * where the policy asks for statistical ties, group->ties rearranges it (selection_ties.h). *order
 * has candidate_count entries in the arena.
 */
enum status selection_rank(const struct policy *policy, struct group *group, struct arena *arena,
                           const size_t **order, struct diag *diag) STATUS_CHECKED;

/* The same by the policy's ranking alone: selection_rank without preparing statistical ties. */
enum status selection_sort(const struct policy *policy, const struct group *group,
                           struct arena *arena, const size_t **order,
                           struct diag *diag) STATUS_CHECKED;

/* Below 0: a is better in this key. */
int selection_compare_key(const struct candidate *a, const struct candidate *b,
                          enum policy_key key);

/*
 * The selection among the candidates that gates_apply found eligible; sets their rank, and of every
 * candidate the interval of its throughput over that of the fastest. What the order does not say by
 * itself is named in ties: who is equal or tied, whose difference is not resolved, who ranks last
 * because something was not measured.
 */
enum status selection_make(const struct policy *policy, struct group *group, const size_t *order,
                           struct arena *arena, struct selection *selection,
                           struct diag *diag) STATUS_CHECKED;

/* True of those remarks in ties that rest on intervals, or on their lack. */
bool selection_is_interval_remark(const struct message *message);

/* The canonical name of what a key ranks by: "throughput", ...; static storage. */
const char *selection_key_name(enum policy_key key);

#endif
