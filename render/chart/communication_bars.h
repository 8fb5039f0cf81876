#ifndef RANKLEDGER_COMMUNICATION_BARS_H
#define RANKLEDGER_COMMUNICATION_BARS_H

#include <stdbool.h>
#include <stddef.h>

#include "summary.h"

/* What a candidate sends in an optimizer step on each rank, by collective and purpose. */

#define COMMUNICATION_BARS_MOST 8
#define COMMUNICATION_BARS_SCALARS 4

struct communication_bar {
    const char *collective, *purpose; /* NULL: not told; purpose NULL and collective "all": the sum
                                         by formula of a run that did not count */
    double calls, expected_calls;     /* NAN: unknown, as all that follows */
    double counted_mb, expected_mb;
    double bus_gb_per_s;
    /* The same collective alone in the run's calibration, at the payload that is nearest to that of
     * one call (by ratio). */
    double alone_gb_per_s, alone_mb;
};

struct communication_bars {
    struct communication_bar items[COMMUNICATION_BARS_MOST];
    size_t count;
    /* Of a few bytes: no bar would be seen, and their bandwidth means nothing. */
    struct communication_bar scalars[COMMUNICATION_BARS_SCALARS];
    size_t scalar_count;
    size_t left_out; /* of either */
};

void communication_bars_of(const struct summary_candidate *candidate,
                           struct communication_bars *bars);

/* Counted less expected bytes, exact below 2^53; NAN if one is unknown. */
double communication_bars_difference(const struct communication_bar *bar);

/* The larger of counted and expected amount, 0 if neither is known. */
double communication_bars_reach(const struct communication_bar *bar);

#endif
