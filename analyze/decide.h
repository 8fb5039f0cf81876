#ifndef RANKLEDGER_DECIDE_H
#define RANKLEDGER_DECIDE_H

#include "analysis.h"
#include "planner.h"

/* What a group's decision is made from; everything is borrowed. */
struct decide_input {
    const struct group *group;
    const size_t *order; /* selection_rank */
    const struct planner *planner;
    const struct evidence_set *set; /* for what was left out; NULL: nothing was */
    bool allow_invalid;
};

/*
 * Everything that the rules look at, as numbers. A decision is a pure function of these, so that
 * sensitivity can ask for it again under other limits.
 */
struct decide_facts {
    size_t candidate_count;
    size_t failed_count; /* candidates of which every run failed */
    bool incomplete;     /* evidence was left out */
    bool times_count;
    bool sharded;           /* some world size is above 1 */
    long world_size_absent; /* a candidate without a world size; -1: none */
    long selected;          /* -1: nothing passes every gate */
    bool above_fraction;    /* the selected one takes more than max_memory_fraction */
    long below_fraction;    /* the best eligible one that does not; -1: none */
    long baseline;          /* the best run of the baseline strategy, eligible ones first; -1 */
    bool baseline_eligible;
    double gain; /* of the selected over the baseline, a fraction; NAN: not applicable */
    double min_gain;
    bool adjustable; /* nothing is selected and an adjustment may pass */
};

/* One rule of the project decision. The first that matches decides. */
struct decide_rule {
    const char *name;
    enum verdict verdict;
    bool (*matches)(const struct decide_facts *facts);
};

const struct decide_rule *decide_rules(size_t *count);

/* The facts under a policy that may differ from the one that gates_apply saw in its limits. */
void decide_gather(const struct decide_input *input, const struct policy *policy,
                   struct decide_facts *facts);

/* The rule that decides; never NULL (the last rule matches everything). */
const struct decide_rule *decide_match(const struct decide_facts *facts);

/* A decision while it is written: what was decided on, and how. */
struct decide_case {
    const struct decide_input *input;
    const struct policy *policy;
    struct decide_facts facts;
    const struct decide_rule *rule;
};

/* The gain of one candidate over another on the policy's goal; NAN if it cannot be computed. */
double decide_gain(const struct policy *policy, const struct candidate *candidate,
                   const struct candidate *baseline);

/* True if the peak is above max_memory_fraction of the limit; false where one is not set. */
bool decide_above_fraction(const struct policy *policy, const struct candidate *candidate);

/* The decision of a group with its reason, actions, sensitivity and notes; texts in the arena. */
enum status decide_make(const struct decide_input *input, const struct policy *policy,
                        struct arena *arena, struct decision *decision,
                        struct diag *diag) STATUS_CHECKED;

#endif
