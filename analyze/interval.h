#ifndef RANKLEDGER_INTERVAL_H
#define RANKLEDGER_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "diag.h"

/*
 * 95 % intervals of a median and of the ratio of two medians, by the percentile bootstrap (Efron
 * and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13).
 *
 * What is drawn with replacement (decision rules, "Statistical ties"): rounds, whole, because steps
 * of one round share what disturbed it; with fewer than INTERVAL_MIN_ROUNDS rounds, moving blocks
 * of steps (Kuensch 1989) that do not cross from one round into another, which tells only how much
 * steps of this run vary: INTERVAL_WITHIN_RUN. A block has the smallest length whose cube is at
 * least the number of steps (the order n^(1/3) of Hall, Horowitz and Jing 1995).
 *
 * The generator is SplitMix64 (Steele, Lea and Flood 2014). Its start is INTERVAL_SEED mixed with
 * the values of the sample, so that an interval depends on its sample alone, never on which others
 * are looked at or in what order, and so that two samples are drawn independently.
 */
#define INTERVAL_LEVEL 0.95
#define INTERVAL_MIN_SAMPLES 6
#define INTERVAL_MIN_ROUNDS 6
#define INTERVAL_SEED 20240917u

/* Resamples: of a sample of many steps fewer, INTERVAL_MAX_DRAWS values in all, but not fewer than
 * the least; there the interval is narrow anyway. */
#define INTERVAL_RESAMPLES 1000
#define INTERVAL_LEAST_RESAMPLES 200
#define INTERVAL_MAX_DRAWS 4000000

enum interval_unit {
    INTERVAL_NONE,      /* no interval: see enum interval_lack */
    INTERVAL_ROUND,     /* rounds were drawn */
    INTERVAL_WITHIN_RUN /* blocks of steps were drawn */
};

enum interval_lack {
    INTERVAL_LACKS_NOTHING,
    INTERVAL_LACKS_SAMPLES, /* fewer than INTERVAL_MIN_SAMPLES */
    INTERVAL_LACKS_NUMBERS  /* a value is no finite number */
};

/* "round", "within_run", NULL; "few_samples", "not_finite", NULL. Static storage. */
const char *interval_unit_name(enum interval_unit unit);
const char *interval_lack_name(enum interval_lack lack);

struct interval_sample {
    const double *values; /* one a step, in the order in which they were measured */
    size_t count;
    const size_t *rounds; /* steps of each round, one after the other; their sum is `count` */
    size_t round_count;
};

/* The medians of the resamples: what intervals are read from. Zeroed: none. */
struct interval_medians {
    enum interval_unit unit;
    enum interval_lack lack;
    size_t samples, rounds, block; /* block: steps, 0 where rounds were drawn */
    double median;                 /* of the sample itself; NAN: none */
    const double *values;
    size_t count;
};

struct interval { /* NAN, NAN: none */
    double lower, upper;
};

/* Resamples; the medians live in the arena. Too small a sample is no error: the unit says so. */
enum status interval_resample(const struct interval_sample *sample, struct arena *arena,
                              struct interval_medians *medians, struct diag *diag) STATUS_CHECKED;

/* The interval of `factor` times the median, or of `factor` divided by it. None without medians,
 * or if a bound is beyond a double. */
struct interval interval_of_median(double factor, const struct interval_medians *medians);
struct interval interval_of_inverse(double factor, const struct interval_medians *medians);

/* The interval of `factor` times the ratio of two medians, which were resampled independently. */
struct interval interval_of_ratio(double factor, const struct interval_medians *numerator,
                                  const struct interval_medians *denominator);

/* True if that interval contains 1; the same answer without looking for its bounds. */
bool interval_ratio_holds_one(double factor, const struct interval_medians *numerator,
                              const struct interval_medians *denominator);

#endif
