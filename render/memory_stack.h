#ifndef RANKLEDGER_MEMORY_STACK_H
#define RANKLEDGER_MEMORY_STACK_H

#include <stddef.h>

#include "summary.h"
#include "theme.h"

/*
 * What is known about the parts of a candidate's memory, put one after the other from zero: the
 * ledger's parameters, gradients and optimizer state, then persistent parameters and padding,
 * temporary memory, and the rest of the measured peak, which nothing accounts for.
 */

#define MEMORY_STACK_PARTS 6

struct memory_stack_part {
    enum theme_area area;
    double from_mb, to_mb; /* MiB; from < to */
};

struct memory_stack {
    struct memory_stack_part parts[MEMORY_STACK_PARTS];
    size_t count;
    double peak_mb;  /* measured; NAN: not measured */
    double known_mb; /* sum of the parts that are known, 0: none */
    /* By how much the known parts exceed the measured peak, 0: not. They are computed, so that
     * this happens: the peak may be another kind of memory, or the run smaller than it says. */
    double excess_mb;
};

void memory_stack_of(const struct summary_candidate *candidate, struct memory_stack *stack);

/* The far end of what is drawn: the larger of peak and known parts, 0 if neither is known. */
double memory_stack_reach(const struct memory_stack *stack);

#endif
