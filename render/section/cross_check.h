#ifndef RANKLEDGER_CROSS_CHECK_H
#define RANKLEDGER_CROSS_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "summary.h"

/*
 * Whether the numbers of a summary agree with each other: each check sets a measured number beside
 * another way to the same one. Runs that failed are left out.
 */

/* One candidate's two numbers. */
struct cross_check_pair {
    double stated, other;
    double difference; /* |stated - other| in parts of the other; of answers 0 or 1 */
    const char *unit;  /* NULL: a number without one */
    bool failed;       /* memory is exhausted: nothing is known */
};

struct cross_check_case {
    const struct summary_group *group;
    const struct summary_candidate *candidate;
    struct arena *arena;
};

struct cross_check {
    const char *name; /* of the texts "check.NAME" and "check_how.NAME" */
    double tolerance; /* largest difference that agrees */
    bool answer;      /* yes or no: the numbers tell nothing */
    bool of_others;   /* the baseline is what the others are compared with */
    /* False: not measured. The arena is for what is needed meanwhile. */
    bool (*measure)(const struct cross_check_case *checked, struct cross_check_pair *pair);
};

struct cross_check_result {
    size_t agree, differ, unmeasured;      /* candidates that did not fail */
    const struct summary_candidate *worst; /* with the largest difference; NULL: none measured */
    struct cross_check_pair pair;          /* of the worst */
    bool failed;                           /* memory is exhausted: no result */
};

/* All checks in the order in which a report shows them. */
const struct cross_check *cross_check_table(size_t *count);

struct cross_check_result cross_check_run(const struct cross_check *check,
                                          const struct summary_group *group, struct arena *arena);

#endif
