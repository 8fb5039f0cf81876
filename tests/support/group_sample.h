#ifndef GROUP_SAMPLE_H
#define GROUP_SAMPLE_H

#include "decide.h"
#include "gates.h"
#include "selection.h"

#define GROUP_SAMPLE_MAX 8

/* A group built by hand, judged step by step as analysis_run does it. */
struct group_sample {
    struct group group;
    struct candidate candidates[GROUP_SAMPLE_MAX];
    struct policy policy;
    struct evidence_set set;
    struct planner planner;
    struct decide_input input;
    struct selection selection;
    struct decision decision;
    struct arena arena;
};

/* An empty group at a level whose times count, 4 ranks, and a policy without limits. */
void group_sample_init(struct group_sample *sample);

/* Adds a candidate with nothing measured but what is given (NAN: not measured). */
struct candidate *group_sample_add(struct group_sample *sample, enum strategy strategy,
                                   double throughput, double communication_ratio, double peak_mb);

/* A failed run without metrics. */
struct candidate *group_sample_add_failed(struct group_sample *sample, enum strategy strategy,
                                          const char *reason);

/* Gates, ranking, selection; the test fails if one of them does. */
void group_sample_judge(struct group_sample *sample);

/* group_sample_judge and the decision. */
void group_sample_decide(struct group_sample *sample);

/* The names of the candidate's failed gates, with commas. */
const char *group_sample_failures(struct group_sample *sample, size_t index);

#endif
