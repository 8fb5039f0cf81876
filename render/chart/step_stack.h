#ifndef RANKLEDGER_STEP_STACK_H
#define RANKLEDGER_STEP_STACK_H

#include <stdbool.h>
#include <stddef.h>

#include "summary.h"
#include "theme.h"

/*
 * The time of a candidate's step, put one part after the other from zero: forward, backward and
 * optimizer (computing), exposed communication, other. Hidden communication, which runs beside
 * computing, is none of its parts.
 */

#define STEP_STACK_PARTS 6

struct step_stack_part {
    enum theme_area area;
    double from_ms, to_ms; /* from < to */
};

struct step_stack {
    struct step_stack_part parts[STEP_STACK_PARTS];
    size_t count;
    bool split;        /* the run recorded the parts; else step_ms is the median step time */
    double step_ms;    /* mean of the slowest rank; NAN: not measured */
    double rank;       /* the slowest; NAN: unknown */
    double exposed_ms; /* NAN: unknown */
    double hidden_ms;  /* in flight while the rank computed; NAN: unknown */
    double in_flight_ms;
};

void step_stack_of(const struct summary_candidate *candidate, struct step_stack *stack);

/* The far end of what is drawn, 0 if nothing is known. */
double step_stack_reach(const struct step_stack *stack);

#endif
