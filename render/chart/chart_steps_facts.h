#ifndef RANKLEDGER_CHART_STEPS_FACTS_H
#define RANKLEDGER_CHART_STEPS_FACTS_H

#include "arena.h"
#include "summary.h"

/* What the step times of a run come to, without the summary's own statistics: those are of the
 * metric, these of the picture. Times in ms. */

struct chart_steps_facts {
    size_t ranks, steps; /* ranks with a time; steps of the longest */
    double *low, *high;  /* over the ranks, a number a step: NAN where none has one */
    double median;       /* of `high`: a step takes as long as its slowest rank */
    double largest;
    size_t largest_step, largest_rank;
    size_t slowest;                        /* the rank with the largest median */
    double slowest_median, fastest_median; /* of ranks */
    double drift;   /* median of the last quarter over that of the first, less 1; NAN: too short */
    bool straggles; /* the slowest rank's median stands out from the fastest's */
};

/* Facts of a candidate with at least one time; false when memory is exhausted. */
bool chart_steps_facts_of(const struct summary_candidate *candidate, struct arena *arena,
                          struct chart_steps_facts *facts);

/* Whether any time was recorded. */
bool chart_steps_facts_any(const struct summary_candidate *candidate);

/* Whether a run was long enough to tell drift. */
bool chart_steps_facts_has_drift(const struct summary_candidate *candidate);

#endif
