#ifndef RANKLEDGER_SELECTION_TIES_H
#define RANKLEDGER_SELECTION_TIES_H

#include "group.h"

/*
 * Statistical ties (decision rules). T is the fastest eligible candidate; those whose interval of
 * the ratio of throughputs to T's contains 1 are tied with it, and the keys that rank after
 * throughput order them. Where keys rank before throughput, only candidates that are equal to T in
 * those can be tied with it. Who is eligible depends on limits that sensitivity varies, so that the
 * arrangement is asked for anew under each policy; what does not depend on it is here.
 */
struct selection_ties {
    size_t key;            /* place of throughput in the ranking */
    const size_t *by_rest; /* every candidate by the keys after throughput, then order of input */
    size_t *arranged;      /* storage of selection_ties_arrange */
    bool *tied;            /* of each candidate, after selection_ties_arrange */
    size_t tied_count;     /* T included; 0: nothing is eligible, or T has no throughput */
    size_t fastest;        /* T, where tied_count > 0 */
};

/* Sets group->ties; NULL where the policy is strict or does not rank by throughput. */
enum status selection_ties_prepare(const struct policy *policy, struct group *group,
                                   struct arena *arena, struct diag *diag) STATUS_CHECKED;

/*
 * The candidates best first, under the limits of `policy`: the tied ones, then the others in
 * `order` (selection_rank). Without group->ties it is `order` itself; else it is valid until the
 * next call.
 */
const size_t *selection_ties_arrange(const struct policy *policy, const struct group *group,
                                     const size_t *order);

#endif
