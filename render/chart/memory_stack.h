#ifndef RANKLEDGER_MEMORY_STACK_H
#define RANKLEDGER_MEMORY_STACK_H

#include <stdbool.h>
#include <stddef.h>

#include "summary.h"
#include "theme.h"

/*
 * What is known about the parts of a candidate's memory, put one after the other from zero: the
 * training state, then persistent parameters and padding, then the temporary memory, and the rest
 * of the measured peak, which nothing accounts for. The parts are the categories measured at the
 * peak where the run recorded them, else the ledger's.
 */

#define MEMORY_STACK_PARTS (THEME_NOT_ATTRIBUTED + 1)

struct memory_stack_part {
    enum theme_area area;
    double from_mb, to_mb; /* MiB; from < to */
};

struct memory_stack {
    struct memory_stack_part parts[MEMORY_STACK_PARTS]; /* in the order of their areas */
    size_t count;
    double peak_mb;  /* measured; NAN: not measured */
    double known_mb; /* sum of the parts that are known, 0: none */
    /* The first of the parts: training state, persistent parameters and padding, which stay from
     * step to step; NAN: unknown. */
    double resident_mb;
    bool measured; /* the parts are measured categories, not the ledger's */
    /* By how much the known parts exceed the measured peak, 0: not. A ledger's are computed, so
     * that this happens: the peak may be another kind of memory, or the run smaller than it says.
     */
    double excess_mb;
};

void memory_stack_of(const struct summary_candidate *candidate, struct memory_stack *stack);

/* The same of one phase of a run: its peak, and what was live then. */
void memory_stack_of_phase(const struct summary_phase *phase, struct memory_stack *stack);

/* The far end of what is drawn: the larger of peak and known parts, 0 if neither is known. */
double memory_stack_reach(const struct memory_stack *stack);

#endif
