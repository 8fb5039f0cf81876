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

TestSuite(selection, .init = setup, .fini = teardown);

Test(selection, takes_the_fastest_eligible_candidate)
{
    sample.policy.memory_limit_mb = 10000;
    group_sample_add(&sample, STRATEGY_DDP, 130, 0.10, 12000);
    group_sample_add(&sample, STRATEGY_ZERO2, 112, 0.20, 9000);
    group_sample_add(&sample, STRATEGY_ZERO3, 105, 0.31, 7000);
    group_sample_judge(&sample);
    cr_assert_eq(sample.selection.verdict, VERDICT_ACCEPT);
    cr_assert_eq(sample.selection.candidate, 1);
    cr_assert_eq(sample.selection.order_count, 2);
    cr_assert_eq(sample.candidates[0].rank, 0);
    cr_assert_eq(sample.candidates[1].rank, 1);
    cr_assert_eq(sample.candidates[2].rank, 2);
}

Test(selection, rejects_when_nothing_is_eligible)
{
    sample.policy.memory_limit_mb = 100;
    group_sample_add(&sample, STRATEGY_DDP, 130, 0.10, 12000);
    group_sample_judge(&sample);
    cr_assert_eq(sample.selection.verdict, VERDICT_REJECT);
    cr_assert_eq(sample.selection.candidate, -1);
    cr_assert_str_eq(sample.selection.reason, "none of 1 candidate passes every gate");
}

Test(selection, breaks_ties_by_communication_then_memory_then_input_order)
{
    group_sample_add(&sample, STRATEGY_ZERO3, 100, 0.20, 7000);
    group_sample_add(&sample, STRATEGY_ZERO2, 100, 0.20, 7000);
    group_sample_add(&sample, STRATEGY_ZERO1, 100, 0.20, 6000);
    group_sample_add(&sample, STRATEGY_DDP, 100, 0.10, 9000);
    group_sample_judge(&sample);
    const size_t expected[] = {3, 2, 0, 1};
    cr_assert_eq(memcmp(sample.selection.order, expected, sizeof expected), 0);
    cr_assert_eq(sample.selection.tie_count, 1, "the two that nothing tells apart");
    cr_assert_str_eq(sample.selection.ties[0].id, "tie.equal");
}

Test(selection, ranks_what_was_not_measured_last)
{
    group_sample_add(&sample, STRATEGY_DDP, NAN, 0.10, 9000);
    group_sample_add(&sample, STRATEGY_ZERO1, 1, 0.90, 99000);
    group_sample_judge(&sample);
    cr_assert_eq(sample.selection.candidate, 1);
    cr_assert_eq(sample.selection.tie_count, 1);
    cr_assert_str_eq(sample.selection.ties[0].id, "tie.not_measured");
}

Test(selection, follows_the_ranking_of_the_policy)
{
    sample.policy.ranking[0] = POLICY_BY_PEAK;
    sample.policy.ranking_count = 1;
    group_sample_add(&sample, STRATEGY_DDP, 130, 0.10, 12000);
    group_sample_add(&sample, STRATEGY_ZERO3, 105, 0.31, 7000);
    group_sample_judge(&sample);
    cr_assert_eq(sample.selection.candidate, 1);
}
