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

/* ---- statistical ties ---- */

/* Gives a candidate step times of its throughput (1000 a step), alternating by +-`spread` percent.
 */
static void add_times(struct candidate *candidate, size_t count)
{
    double *values = arena_take_array(&sample.arena, count, sizeof *values);
    size_t *rounds = arena_take_array(&sample.arena, 1, sizeof *rounds);
    struct diag diag = {0};
    double time_ms = 1000 / candidate->metrics.throughput;
    *rounds = count;
    for (size_t i = 0; i < count; i++)
        values[i] = time_ms * (1 + (i % 2 == 0 ? 1 : -1) * (double)(i + 1) / 100);
    const struct interval_sample steps = {values, count, rounds, 1};
    cr_assert_eq(interval_resample(&steps, &sample.arena, &candidate->times.medians, &diag),
                 STATUS_OK);
    candidate->times.scale = candidate->metrics.throughput * candidate->times.medians.median;
}

/* zero2 is the fastest; zero1 is not told apart from it, ddp is. */
static void add_three(void)
{
    sample.policy.statistical_ties = true;
    add_times(group_sample_add(&sample, STRATEGY_DDP, 80, 0.01, 100), 8);
    add_times(group_sample_add(&sample, STRATEGY_ZERO1, 99.9, 0.10, 9000), 8);
    add_times(group_sample_add(&sample, STRATEGY_ZERO2, 100, 0.20, 7000), 8);
}

Test(selection, orders_what_is_tied_with_the_fastest_by_the_remaining_keys)
{
    add_three();
    group_sample_judge(&sample);
    const size_t expected[] = {1, 2, 0};
    cr_assert_eq(memcmp(sample.selection.order, expected, sizeof expected), 0);
    cr_assert_eq(sample.selection.fastest, 2);
    cr_assert_eq(sample.selection.tied_count, 2);
    cr_assert_eq(sample.selection.tie_count, 1);
    cr_assert_str_eq(sample.selection.ties[0].id, "tie.statistical");
    cr_assert_str_eq(sample.selection.reason,
                     "zero1 ranks first by communication_ratio of 2 whose throughputs are not told "
                     "apart, of 3 that pass every gate");
}

Test(selection, keeps_the_order_of_unresolved_throughputs_under_strict_ties)
{
    add_three();
    sample.policy.statistical_ties = false;
    group_sample_judge(&sample);
    const size_t expected[] = {2, 1, 0};
    cr_assert_eq(memcmp(sample.selection.order, expected, sizeof expected), 0);
    cr_assert_eq(sample.selection.tied_count, 0);
    cr_assert_eq(sample.selection.fastest, 2);
    cr_assert_eq(sample.selection.tie_count, 1);
    cr_assert_str_eq(sample.selection.ties[0].id, "tie.unresolved");
    cr_assert(sample.candidates[0].times.ratio.upper < 1);
    cr_assert(sample.candidates[1].times.ratio.upper >= 1);
}

/* Without the fastest, who fails memory, ddp and zero1 are compared with each other. */
Test(selection, seeks_ties_with_the_fastest_that_is_eligible)
{
    add_three();
    sample.policy.memory_limit_mb = 8000;
    group_sample_judge(&sample);
    const size_t expected[] = {2, 0};
    cr_assert_eq(sample.selection.order_count, 2);
    cr_assert_eq(memcmp(sample.selection.order, expected, sizeof expected), 0);
    cr_assert_eq(sample.selection.tied_count, 1);
}

Test(selection, claims_no_tie_without_samples_and_says_so)
{
    sample.policy.statistical_ties = true;
    add_times(group_sample_add(&sample, STRATEGY_DDP, 100, 0.20, 100), 8);
    add_times(group_sample_add(&sample, STRATEGY_ZERO1, 99.9, 0.10, 9000), 5);
    group_sample_add(&sample, STRATEGY_ZERO2, 99.8, 0.10, 9000);
    group_sample_judge(&sample);
    cr_assert_eq(sample.selection.candidate, 0);
    cr_assert_eq(sample.selection.tied_count, 1);
    cr_assert_eq(sample.selection.tie_count, 2);
    cr_assert_str_eq(sample.selection.ties[0].id, "tie.no_interval");
    cr_assert_str_eq(sample.selection.ties[0].text,
                     "Whether ddp is faster than zero1 cannot be told: they have 8 and 5 step "
                     "times, and an interval needs 6 of each.");
}

Test(selection, ties_throughput_only_where_keys_before_it_are_equal)
{
    add_three();
    sample.policy.ranking[0] = POLICY_BY_COMMUNICATION;
    sample.policy.ranking[1] = POLICY_BY_THROUGHPUT;
    sample.policy.ranking[2] = POLICY_BY_PEAK;
    group_sample_judge(&sample);
    const size_t by_communication[] = {0, 1, 2};
    cr_assert_eq(memcmp(sample.selection.order, by_communication, sizeof by_communication), 0);
    for (size_t i = 0; i < 3; i++)
        sample.candidates[i].metrics.communication_ratio = 0.1;
    group_sample_judge(&sample);
    const size_t by_peak[] = {2, 1, 0};
    cr_assert_eq(memcmp(sample.selection.order, by_peak, sizeof by_peak), 0);
    cr_assert_eq(sample.selection.tied_count, 2);
}

/* What selects under another limit is found by the same rules. */
Test(selection, ties_enter_the_decision_and_its_sensitivity)
{
    add_three();
    group_sample_decide(&sample);
    cr_assert_eq(sample.decision.candidate, 1);
    const struct sensitivity *memory = &sample.decision.sensitivity[0];
    cr_assert_eq(memory->changes[0].value, 9000, "below it zero1 fails and zero2 is left");
    cr_assert_str_eq(memory->changes[0].strategy, "zero2");
}
