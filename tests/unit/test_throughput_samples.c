#include <criterion/criterion.h>
#include <math.h>

#include "throughput_samples.h"

static struct arena arena;

static void tear_down(void)
{
    arena_fini(&arena);
}

TestSuite(throughput_samples, .fini = tear_down);

static struct throughput_samples samples_of(const struct summary_candidate *candidate)
{
    struct throughput_samples samples = {0};
    cr_assert_eq(throughput_samples_of(candidate, &arena, &samples, NULL), STATUS_OK);
    return samples;
}

Test(throughput_samples, a_step_counts_with_its_slowest_rank)
{
    static const double first[] = {10, 20, 5, 8};
    static const double second[] = {8, 25, 5};
    static const struct summary_numbers ranks[] = {{first, 4}, {second, 3}};
    /* 1,000 tokens/s at 10 ms a step: 10 tokens a step */
    struct summary_candidate candidate = {
        .throughput = 1000, .step_time_ms = 10, .step_times = {ranks, 2}};
    struct throughput_samples samples = samples_of(&candidate);
    cr_assert_eq(samples.count, 3, "the step that one rank lacks is none");
    cr_assert_eq(samples.items[0], 1000);
    cr_assert_eq(samples.items[1], 400);
    cr_assert_eq(samples.items[2], 2000);
    cr_assert_eq(samples.smallest, 400);
    cr_assert_eq(samples.largest, 2000);
}

Test(throughput_samples, what_is_unknown_gives_no_samples)
{
    static const double times[] = {10, 20};
    static const struct summary_numbers ranks[] = {{times, 2}};
    static const struct {
        double throughput, step_time_ms;
    } rows[] = {{NAN, 10}, {1000, NAN}, {0, 10}, {1000, 0}, {INFINITY, 10}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct summary_candidate candidate = {.throughput = rows[i].throughput,
                                              .step_time_ms = rows[i].step_time_ms,
                                              .step_times = {ranks, 1}};
        cr_assert_eq(samples_of(&candidate).count, 0, "row %zu", i);
    }
    struct summary_candidate bare = {.throughput = 1000, .step_time_ms = 10};
    cr_assert_eq(samples_of(&bare).count, 0);
    cr_assert(isnan(samples_of(&bare).largest));
}

Test(throughput_samples, times_that_are_none_are_left_out)
{
    static const double times[] = {NAN, 0, -1, 10};
    static const struct summary_numbers ranks[] = {{times, 4}};
    struct summary_candidate candidate = {
        .throughput = 1000, .step_time_ms = 10, .step_times = {ranks, 1}};
    cr_assert_eq(samples_of(&candidate).count, 1);
    cr_assert_eq(samples_of(&candidate).items[0], 1000);
}

Test(throughput_samples, neighbours_are_spread_far_apart_and_evenly)
{
    static const double expected[] = {0, 0.5, 0.25, 0.75, 0.125, 0.625, 0.375, 0.875};
    for (size_t i = 0; i < 8; i++)
        cr_assert_eq(throughput_samples_spread(i), expected[i]);
}
