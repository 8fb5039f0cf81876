#include "front.h"

#include <criterion/criterion.h>
#include <math.h>

#include "group_sample.h"

static struct group_sample sample;

static void setup(void)
{
    group_sample_init(&sample);
}

static void teardown(void)
{
    arena_fini(&sample.arena);
}

TestSuite(front, .init = setup, .fini = teardown);

static struct candidate *add(double throughput, double peak_mb)
{
    struct candidate *candidate =
        group_sample_add(&sample, STRATEGY_ZERO1, throughput, 0.1, peak_mb);
    candidate->times_count = true;
    candidate->memory_kind = MEMORY_ALLOCATED;
    candidate->peak_mb = peak_mb;
    return candidate;
}

Test(front, holds_what_nothing_beats_in_both)
{
    add(130, 12000);
    add(112, 9000);
    add(105, 9500); /* slower and fuller than the second */
    add(90, 7000);
    add(90, 7100); /* as slow, and fuller */
    add(90, 7000); /* the same once more: neither beats the other */
    static const bool expected[] = {true, true, false, true, false, true};
    for (size_t i = 0; i < 6; i++)
        cr_assert_eq(front_holds(&sample.group, i), expected[i], "candidate %zu", i);
}

Test(front, leaves_out_what_failed_or_was_not_measured)
{
    add(100, 5000);
    group_sample_add_failed(&sample, STRATEGY_DDP, "out of memory");
    add(200, NAN);
    add(NAN, 100);
    cr_assert(front_holds(&sample.group, 0), "what does not take part beats nothing");
    for (size_t i = 1; i < 4; i++)
        cr_assert_not(front_holds(&sample.group, i), "candidate %zu", i);
}

Test(front, compares_no_different_units_and_kinds)
{
    add(100, 5000);
    add(200, 4000)->metrics.throughput_unit = THROUGHPUT_SAMPLES;
    add(300, 3000)->memory_kind = MEMORY_DEVICE;
    for (size_t i = 0; i < 3; i++)
        cr_assert(front_holds(&sample.group, i), "candidate %zu", i);
    sample.candidates[0].times_count = false;
    cr_assert_not(front_holds(&sample.group, 0), "its times mean nothing");
}
