#include "interval.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct arena arena;

static void teardown(void)
{
    arena_fini(&arena);
}

TestSuite(interval, .fini = teardown);

static struct interval_medians resample(const double *values, size_t count, const size_t *rounds,
                                        size_t round_count)
{
    struct interval_medians medians = {0};
    struct diag diag = {0};
    const struct interval_sample sample = {values, count, rounds, round_count};
    cr_assert_eq(interval_resample(&sample, &arena, &medians, &diag), STATUS_OK, "%s", diag.text);
    return medians;
}

static struct interval_medians within_run(const double *values, size_t count)
{
    return resample(values, count, &count, 1);
}

Test(interval, needs_six_samples)
{
    const double values[] = {1, 2, 3, 4, 5, 6};
    struct interval_medians five = within_run(values, 5);
    struct interval_medians six = within_run(values, 6);
    cr_assert_eq(five.unit, INTERVAL_NONE);
    cr_assert_eq(five.lack, INTERVAL_LACKS_SAMPLES);
    cr_assert_eq(five.samples, 5);
    cr_assert(isnan(interval_of_median(1, &five).lower));
    cr_assert(isnan(interval_of_ratio(1, &five, &six).lower));
    cr_assert_not(interval_ratio_holds_one(1, &five, &six));
    cr_assert_eq(six.unit, INTERVAL_WITHIN_RUN);
    cr_assert_eq(six.median, 3.5);
    cr_assert(isfinite(interval_of_median(1, &six).lower));
}

Test(interval, draws_rounds_from_six_on_and_blocks_of_steps_before)
{
    const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const size_t five[] = {4, 2, 2, 2, 2};
    const size_t six[] = {2, 2, 2, 2, 2, 2};
    const size_t with_empty[] = {4, 0, 2, 2, 2, 2};
    struct interval_medians medians = resample(values, 12, five, 5);
    cr_assert_eq(medians.unit, INTERVAL_WITHIN_RUN);
    cr_assert_eq(medians.block, 3, "the smallest cube from 12 on is 27");
    cr_assert_eq(medians.rounds, 5);
    medians = resample(values, 12, six, 6);
    cr_assert_eq(medians.unit, INTERVAL_ROUND);
    cr_assert_eq(medians.block, 0);
    cr_assert_eq(medians.rounds, 6);
    cr_assert_eq(resample(values, 12, with_empty, 6).unit, INTERVAL_WITHIN_RUN,
                 "a round without steps is none");
}

Test(interval, of_equal_values_is_that_value)
{
    const double values[] = {7, 7, 7, 7, 7, 7, 7};
    const double others[] = {14, 14, 14, 14, 14, 14};
    struct interval_medians a = within_run(values, 7);
    struct interval_medians b = within_run(others, 6);
    cr_assert_eq(interval_of_median(1, &a).lower, 7);
    cr_assert_eq(interval_of_median(1, &a).upper, 7);
    cr_assert_eq(interval_of_inverse(700, &a).upper, 100);
    cr_assert_eq(interval_of_ratio(1, &b, &a).lower, 2);
    cr_assert_eq(interval_of_ratio(1, &b, &a).upper, 2);
    cr_assert_not(interval_ratio_holds_one(1, &b, &a));
    cr_assert(interval_ratio_holds_one(0.5, &b, &a), "a bound of 1 is contained");
    cr_assert(interval_ratio_holds_one(1, &a, &a));
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Every resample of six rounds of one step, enumerated: 6^6. The probability that the median of a
 * resample is below the smallest pair's mean or so is a fraction of these, so that the exact
 * quantiles are known; the values are such that the quantiles lie far from a jump. */
Test(interval, agrees_with_every_resample_of_six)
{
    enum { ALL = 46656 };
    const double values[] = {1, 2, 4, 8, 16, 32};
    const size_t rounds[] = {1, 1, 1, 1, 1, 1};
    double *medians = malloc(ALL * sizeof *medians);
    for (size_t code = 0; code < ALL; code++) {
        double drawn[6];
        size_t rest = code;
        for (size_t i = 0; i < 6; i++, rest /= 6)
            drawn[i] = values[rest % 6];
        qsort(drawn, 6, sizeof *drawn, compare);
        medians[code] = (drawn[2] + drawn[3]) / 2;
    }
    qsort(medians, ALL, sizeof *medians, compare);
    struct interval_medians found = resample(values, 6, rounds, 6);
    struct interval interval = interval_of_median(1, &found);
    cr_assert_eq(found.count, INTERVAL_RESAMPLES);
    cr_assert_eq(interval.lower, medians[ALL / 40]);
    cr_assert_eq(interval.upper, medians[ALL - 1 - ALL / 40]);
    /* The whole distribution: 0.045 is the bound that the largest distance of 1,000 draws from
     * theirs exceeds once in 30 seeds (Kolmogorov: 1.41 / sqrt(1000)). */
    for (size_t i = 0; i < ALL; i += 1000) {
        size_t below = 0;
        size_t exact = 0;
        for (size_t k = 0; k < found.count; k++)
            below += found.values[k] <= medians[i];
        for (size_t k = 0; k < ALL; k++)
            exact += medians[k] <= medians[i];
        cr_assert_lt(fabs((double)below / (double)found.count - (double)exact / ALL), 0.045);
    }
    free(medians);
}

/* Rounds of two steps and blocks of two: a block is a round. One that crossed would hold steps
 * of two rounds in the other order, and two of those or none would shift a median away from 2.5. */
Test(interval, blocks_do_not_cross_rounds)
{
    const size_t rounds[] = {2, 2, 2, 2};
    const double steps[] = {0, 5, 5, 0, 0, 5, 5, 0};
    struct interval_medians medians = resample(steps, 8, rounds, 4);
    cr_assert_eq(medians.block, 2);
    for (size_t i = 0; i < medians.count; i++)
        cr_assert_eq(medians.values[i], 2.5, "every block has one of each");
    medians = within_run(steps, 8);
    size_t others = 0;
    for (size_t i = 0; i < medians.count; i++)
        others += medians.values[i] != 2.5;
    cr_assert_gt(others, 0, "and in one round blocks begin anywhere");
}

Test(interval, depends_on_the_sample_alone)
{
    const double values[] = {3, 1, 4, 1, 5, 9, 2, 6};
    const double others[] = {3, 1, 4, 1, 5, 9, 2, 6.5};
    struct interval_medians first = within_run(values, 8);
    struct interval_medians between = within_run(others, 8);
    struct interval_medians second = within_run(values, 8);
    cr_assert_eq(memcmp(first.values, second.values, first.count * sizeof *first.values), 0);
    cr_assert_neq(memcmp(first.values, between.values, first.count * sizeof *first.values), 0);
    cr_assert_eq(interval_of_ratio(1, &first, &second).lower, 1, "the same run twice");
    cr_assert_eq(interval_of_ratio(1, &first, &second).upper, 1);
}

Test(interval, is_none_where_a_bound_is_beyond_a_double)
{
    const double huge[] = {1e308, 1.1e308, 1.2e308, 1.3e308, 1.4e308, 1.5e308};
    const double tiny[] = {1e-308, 2e-308, 1e-308, 2e-308, 1e-308, 2e-308};
    const double zeros[] = {0, 0, 0, 0, 0, 0};
    const double broken[] = {1, 2, 3, NAN, 5, 6};
    struct interval_medians a = within_run(huge, 6);
    struct interval_medians b = within_run(tiny, 6);
    struct interval_medians z = within_run(zeros, 6);
    cr_assert(isfinite(interval_of_median(1, &a).upper), "means of two do not overflow");
    cr_assert(isnan(interval_of_ratio(1, &a, &b).lower));
    cr_assert_not(interval_ratio_holds_one(1, &a, &b));
    cr_assert(isnan(interval_of_ratio(1, &a, &z).lower));
    cr_assert(isnan(interval_of_median(NAN, &a).lower));
    cr_assert_eq(within_run(broken, 6).lack, INTERVAL_LACKS_NUMBERS);
}

Test(interval, of_many_steps_has_fewer_resamples)
{
    enum { COUNT = 100000 };
    double *values = malloc(COUNT * sizeof *values);
    for (size_t i = 0; i < COUNT; i++)
        values[i] = (double)(i * 7919 % COUNT);
    struct interval_medians medians = within_run(values, COUNT);
    cr_assert_eq(medians.count, INTERVAL_LEAST_RESAMPLES);
    cr_assert_eq(within_run(values, 8000).count, 500);
    struct interval interval = interval_of_median(1, &medians);
    cr_assert_lt(interval.lower, medians.median);
    cr_assert_gt(interval.upper, medians.median);
    free(values);
}

/* ---- coverage: how often the interval contains the truth ---- */

/* xorshift64* (Vigna 2016), another generator than the one under test. */
static double uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return ((double)((*state * UINT64_C(2685821657736338717)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(uniform(state)));
    return radius * cos(2 * 3.14159265358979323846 * uniform(state));
}

enum { TRIALS = 400, STEPS = 40, ROUNDS = 8 };

/* The share of trials whose interval holds the median `truth` of what `fill` draws. */
static double coverage(void (*fill)(uint64_t *state, double *values), const size_t *rounds,
                       size_t round_count, double truth)
{
    uint64_t state = 1;
    size_t held = 0;
    for (size_t trial = 0; trial < TRIALS; trial++) {
        double values[STEPS];
        fill(&state, values);
        struct interval_medians medians = resample(values, STEPS, rounds, round_count);
        struct interval interval = interval_of_median(1, &medians);
        held += interval.lower <= truth && truth <= interval.upper;
    }
    return (double)held / TRIALS;
}

static void independent_steps(uint64_t *state, double *values)
{
    for (size_t i = 0; i < STEPS; i++)
        values[i] = 100 + normal(state);
}

/* Steps of a round share most of what disturbs them. */
static void disturbed_rounds(uint64_t *state, double *values)
{
    double shared = 0;
    for (size_t i = 0; i < STEPS; i++) {
        if (i % (STEPS / ROUNDS) == 0)
            shared = 2 * normal(state);
        values[i] = 100 + shared + 0.3 * normal(state);
    }
}

/* The coverage of a percentile bootstrap of 40 steps or 8 rounds is a few percent below its level
 * (Efron and Tibshirani, chapter 14); 400 trials know it to 0.011 (one standard deviation). So it
 * is asked to lie in 0.95 - 0.07 .. 0.95 + 0.04. */
Test(interval, covers_the_median_of_independent_steps)
{
    const size_t one_round = STEPS;
    double share = coverage(independent_steps, &one_round, 1, 100);
    cr_assert(share >= 0.88 && share <= 0.99, "%g", share);
}

Test(interval, covers_the_median_of_disturbed_rounds_only_by_drawing_rounds)
{
    const size_t rounds[ROUNDS] = {5, 5, 5, 5, 5, 5, 5, 5};
    const size_t one_round = STEPS;
    double by_rounds = coverage(disturbed_rounds, rounds, ROUNDS, 100);
    double by_steps = coverage(disturbed_rounds, &one_round, 1, 100);
    cr_assert(by_rounds >= 0.88 && by_rounds <= 0.99, "%g", by_rounds);
    cr_assert_lt(by_steps, 0.85, "%g: what is within a run does not tell how rounds differ",
                 by_steps);
}

static double exponential(uint64_t *state, double mean)
{
    return -mean * log(uniform(state));
}

/* Of two runs of 40 skewed steps; `ratio` is that of their medians. Returns how often the interval
 * contains it in *held, and how often it contains 1. */
static double ratio_coverage(double ratio, double *held_one)
{
    uint64_t state = 99;
    size_t held = 0;
    size_t ones = 0;
    for (size_t trial = 0; trial < TRIALS; trial++) {
        double a[STEPS];
        double b[STEPS];
        for (size_t i = 0; i < STEPS; i++) {
            a[i] = 10 + exponential(&state, ratio);
            b[i] = 10 + exponential(&state, 1);
        }
        struct interval_medians first = within_run(a, STEPS);
        struct interval_medians second = within_run(b, STEPS);
        struct interval interval = interval_of_ratio(1, &first, &second);
        double truth = (10 + ratio * log(2)) / (10 + log(2));
        bool one = interval.lower <= 1 && interval.upper >= 1;
        held += interval.lower <= truth && truth <= interval.upper;
        ones += one;
        cr_assert_eq(interval_ratio_holds_one(1, &first, &second), one);
    }
    *held_one = (double)ones / TRIALS;
    return (double)held / TRIALS;
}

Test(interval, covers_the_ratio_of_two_medians_and_tells_apart_what_differs)
{
    double tied, apart;
    double share = ratio_coverage(1, &tied);
    cr_assert(share >= 0.88 && share <= 0.99, "%g", share);
    cr_assert_eq(tied, share, "1 is the truth here");
    share = ratio_coverage(4, &apart);
    cr_assert(share >= 0.88 && share <= 0.99, "%g", share);
    cr_assert_lt(apart, 0.05, "%g: the medians differ by a fifth", apart);
}
