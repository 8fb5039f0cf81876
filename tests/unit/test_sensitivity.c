#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

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

TestSuite(sensitivity, .init = setup, .fini = teardown);

static const struct sensitivity_change *change(const char *limit, const char *direction)
{
    for (size_t i = 0; i < sample.decision.sensitivity_count; i++) {
        const struct sensitivity *row = &sample.decision.sensitivity[i];
        for (size_t c = 0; strcmp(row->limit, limit) == 0 && c < row->change_count; c++)
            if (strcmp(row->changes[c].direction, direction) == 0)
                return &row->changes[c];
    }
    return NULL;
}

static void expect(const char *limit, const char *direction, const char *comparison, double value,
                   const char *strategy)
{
    const struct sensitivity_change *found = change(limit, direction);
    cr_assert_not_null(found, "%s %s", limit, direction);
    cr_assert_str_eq(found->comparison, comparison);
    cr_assert_eq(found->value, value);
    if (strategy == NULL)
        cr_assert_null(found->strategy);
    else
        cr_assert_str_eq(found->strategy, strategy);
}

static void add_two(void)
{
    group_sample_add(&sample, STRATEGY_DDP, 456000, 0.10, 16661);
    group_sample_add(&sample, STRATEGY_ZERO1, 400000, 0.20, 15593);
}

Test(sensitivity, names_the_memory_limit_below_which_another_is_selected)
{
    add_two();
    sample.policy.memory_limit_mb = 24576;
    group_sample_decide(&sample);
    expect("memory_limit_mb", "down", "below", 16661, "zero1");
    cr_assert_null(change("memory_limit_mb", "up"));
}

Test(sensitivity, names_the_memory_limit_from_which_the_baseline_passes)
{
    add_two();
    sample.policy.memory_limit_mb = 16384;
    group_sample_decide(&sample);
    expect("memory_limit_mb", "up", "at_least", 16661, "ddp");
    expect("memory_limit_mb", "down", "below", 15593, NULL);
}

Test(sensitivity, looks_at_limits_that_are_not_applied)
{
    add_two();
    group_sample_decide(&sample);
    expect("memory_limit_mb", "down", "below", 16661, "zero1");
    expect("min_throughput", "up", "above", 456000, NULL);
    expect("max_communication_ratio", "down", "below", 0.10, NULL);
}

Test(sensitivity, knows_the_next_value_where_the_answer_may_change_again)
{
    add_two();
    group_sample_decide(&sample);
    cr_assert_eq(change("memory_limit_mb", "down")->beyond, 15593);
    cr_assert_eq(change("min_throughput", "up")->beyond, INFINITY);
}

Test(sensitivity, names_the_gain_that_would_not_do)
{
    group_sample_add(&sample, STRATEGY_DDP, 100, 0.10, 16661);
    group_sample_add(&sample, STRATEGY_ZERO1, 125, 0.20, 15593);
    group_sample_decide(&sample);
    expect("min_gain", "up", "above", 0.25, "zero1");
    cr_assert_eq(change("min_gain", "up")->verdict, VERDICT_REJECT);
}

Test(sensitivity, names_the_share_of_memory_that_would_not_do)
{
    add_two();
    sample.policy.memory_limit_mb = 33322; /* twice the peak of ddp */
    group_sample_decide(&sample);
    expect("max_memory_fraction", "down", "below", 0.5, "ddp");
    cr_assert_eq(change("max_memory_fraction", "down")->verdict, VERDICT_TUNE);
}

Test(sensitivity, is_right_at_the_value_and_one_step_beyond)
{
    add_two();
    sample.policy.memory_limit_mb = 16384;
    group_sample_judge(&sample);
    struct decide_facts facts;
    struct policy policy = sample.policy;
    policy.memory_limit_mb = 15593;
    decide_gather(&sample.input, &policy, &facts);
    cr_assert_eq(facts.selected, 1);
    policy.memory_limit_mb = nextafter(15593, 0);
    decide_gather(&sample.input, &policy, &facts);
    cr_assert_eq(facts.selected, -1);
}

Test(sensitivity, asks_for_throughput_in_the_unit_of_the_records)
{
    add_two();
    sample.candidates[0].metrics.throughput_unit = THROUGHPUT_SAMPLES;
    sample.candidates[1].metrics.throughput_unit = THROUGHPUT_SAMPLES;
    group_sample_decide(&sample);
    expect("min_throughput", "up", "above", 456000, NULL);
    for (size_t i = 0; i < sample.decision.sensitivity_count; i++)
        if (strcmp(sample.decision.sensitivity[i].limit, "min_throughput") == 0)
            cr_assert_str_eq(sample.decision.sensitivity[i].unit, "samples/s");
}

/* No value is the one at which it changes: the gate fails as soon as it is applied. */
Test(sensitivity, says_that_any_limit_fails_what_is_not_measured)
{
    group_sample_add(&sample, STRATEGY_DDP, 100, NAN, NAN);
    group_sample_add(&sample, STRATEGY_ZERO1, 90, 0.20, 15593);
    group_sample_decide(&sample);
    const struct sensitivity_change *found = change("memory_limit_mb", "down");
    cr_assert_str_eq(found->comparison, "any");
    cr_assert(isnan(found->value));
    cr_assert_str_eq(found->strategy, "zero1");
    cr_assert_str_eq(change("max_communication_ratio", "down")->comparison, "any");
    expect("min_throughput", "up", "above", 100, NULL);
}

Test(sensitivity, says_that_any_minimum_fails_where_no_throughput_was_measured)
{
    group_sample_add(&sample, STRATEGY_DDP, NAN, 0.10, 16661);
    group_sample_decide(&sample);
    const struct sensitivity_change *found = change("min_throughput", "up");
    cr_assert_str_eq(found->comparison, "any");
    cr_assert_null(found->strategy);
    cr_assert_eq(found->verdict, VERDICT_TUNE);
}

Test(sensitivity, a_minimum_of_0_passes_what_was_measured_as_0)
{
    group_sample_add(&sample, STRATEGY_DDP, 0, 0.10, 16661);
    group_sample_decide(&sample);
    expect("min_throughput", "up", "above", 0, NULL);
}
