#ifndef RANKLEDGER_STATISTICS_H
#define RANKLEDGER_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "record.h"

/*
 * Pure functions over samples. A sample of no values, or one that holds a NAN, has no statistic,
 * nor has one whose statistic is beyond a double: NAN ("not measured"), never 0.
 */

/* The largest value. */
double statistics_max(const double *values, size_t count);

/* The middle value, or the mean of the two middle ones. Sorts `values` in place. */
double statistics_median(double *values, size_t count);

/* What lies midway between two finite values, without overflow. */
double statistics_middle(double a, double b);

double statistics_mean(const double *values, size_t count);

/* Standard deviation (n - 1 in the denominator) over the mean; NAN for fewer than two values or a
 * mean of 0. */
double statistics_variation(const double *values, size_t count);

/*
 * Per step, the largest value over ranks: `steps` values for ranks of equal length, the shortest
 * rank deciding. The result lives in the arena; NULL with *count 0 if there is no step, and *failed
 * set if memory is exhausted.
 */
double *statistics_slowest_rank(const struct series *ranks, size_t rank_count, struct arena *arena,
                                size_t *count, bool *failed);

/* Median over steps of the largest value over ranks (evidence contract, step_time_ms). */
double statistics_step_time(const struct series *ranks, size_t rank_count, struct arena *arena,
                            bool *failed);

#endif
