#include "what_if.h"

#include <criterion/criterion.h>
#include <math.h>

#include "summary_sample.h"

#define COUNT ((size_t)6)

static struct summary summary;
static struct what_if_limits limits;
static struct what_if_row rows[COUNT];

/* Six candidates that pass every gate; the first is the baseline. */
static void make(void)
{
    static const size_t sources[] = {9, 8, 7, 6, 5, 4};
    summary_sample_make(&summary, SUMMARY_SAMPLE_COMPLETE, COUNT);
    summary.policy.baseline = "ddp";
    summary.policy.goal = "throughput";
    for (size_t i = 0; i < COUNT; i++) {
        struct summary_candidate *candidate = summary_sample_candidate(&summary, i);
        candidate->strategy = i == 0 ? "ddp" : "zero1";
        candidate->evidence_level = "multi_gpu";
        candidate->failure.reason = NULL;
        candidate->gate_count = 0;
        candidate->throughput_unit = "tokens/s";
        candidate->throughput = 1000;
        candidate->communication_ratio = 0.1;
        candidate->peak_memory_mb = 8000;
        candidate->memory_kind = "allocated";
        candidate->sources = &sources[i];
        candidate->source_count = 1;
    }
    summary_sample_group(&summary)->decision.rule = "gain";
    limits = (struct what_if_limits){.memory_mb = 9000,
                                     .tight_fraction = NAN,
                                     .throughput = NAN,
                                     .communication = NAN,
                                     .gain = 0,
                                     .memory_fraction = NAN,
                                     .tokens = true};
}

static struct what_if_result judge(void)
{
    return what_if_judge(&summary, 0, &limits, rows);
}

static struct what_if_row *row_of(size_t candidate)
{
    size_t i = 0;
    while (rows[i].candidate != summary_sample_candidate(&summary, candidate))
        i++;
    return &rows[i];
}

Test(what_if, equals_rank_by_the_order_of_input, .init = make)
{
    struct what_if_result result = judge();
    for (size_t i = 0; i < COUNT; i++)
        cr_expect_eq(row_of(i)->rank, (double)(COUNT - i), "candidate %zu", i);
    cr_assert_eq(result.selected, row_of(COUNT - 1));
    summary_sample_fini(&summary);
}

Test(what_if, ranks_are_different_even_where_a_summary_names_one_source_for_all, .init = make)
{
    for (size_t i = 1; i < COUNT; i++)
        summary_sample_candidate(&summary, i)->sources =
            summary_sample_candidate(&summary, 0)->sources;
    (void)judge();
    for (size_t i = 0; i < COUNT; i++)
        cr_expect_eq(rows[i].rank, (double)i + 1);
    summary_sample_fini(&summary);
}

Test(what_if, keys_decide_in_their_order_and_what_is_not_measured_is_last, .init = make)
{
    summary_sample_candidate(&summary, 1)->throughput = 1001;
    summary_sample_candidate(&summary, 2)->communication_ratio = 0.05;
    summary_sample_candidate(&summary, 3)->peak_memory_mb = 7999;
    summary_sample_candidate(&summary, 4)->throughput = NAN;
    summary_sample_candidate(&summary, 5)->communication_ratio = NAN;
    (void)judge();
    static const double ranks[] = {4, 1, 2, 3, 6, 5};
    for (size_t i = 0; i < COUNT; i++)
        cr_expect_eq(row_of(i)->rank, ranks[i], "candidate %zu", i);
    static const char *const by_peak[] = {"peak_memory_mb"};
    summary.policy.ranking = (struct summary_texts){by_peak, 1};
    cr_assert_eq(judge().selected, row_of(3));
    summary_sample_fini(&summary);
}

Test(what_if, a_value_equal_to_its_limit_passes, .init = make)
{
    limits.memory_mb = 8000;
    limits.tight_fraction = 1;
    limits.throughput = 1000;
    limits.communication = 0.1;
    (void)judge();
    cr_assert_eq(rows[0].memory, WHAT_IF_PASS);
    cr_assert_eq(rows[0].throughput, WHAT_IF_PASS);
    cr_assert_eq(rows[0].communication, WHAT_IF_PASS);
    limits.tight_fraction = 0.9;
    limits.throughput = nextafter(1000, 2000);
    limits.communication = nextafter(0.1, 0);
    (void)judge();
    cr_assert_eq(rows[0].memory, WHAT_IF_TIGHT);
    cr_assert_eq(rows[0].throughput, WHAT_IF_FAIL);
    cr_assert_eq(rows[0].communication, WHAT_IF_FAIL);
    cr_assert_eq(rows[0].failures, 2);
    summary_sample_fini(&summary);
}

Test(what_if, what_was_not_measured_fails_unless_the_run_did, .init = make)
{
    struct summary_candidate *absent = summary_sample_candidate(&summary, 1);
    struct summary_candidate *failed = summary_sample_candidate(&summary, 2);
    limits.throughput = 1;
    absent->peak_memory_mb = failed->peak_memory_mb = NAN;
    failed->failure.reason = "out of memory";
    summary_sample_candidate(&summary, 3)->evidence_level = "emulated_cuda";
    summary_sample_candidate(&summary, 4)->throughput_unit = "samples/s";
    (void)judge();
    cr_assert_eq(row_of(1)->memory, WHAT_IF_NOT_MEASURED);
    cr_assert_eq(row_of(1)->failures, 1);
    cr_assert_eq(row_of(2)->memory, WHAT_IF_NOT_EVALUATED);
    cr_assert_eq(row_of(2)->failures, 0); /* its runtime gate is not among the sample's */
    cr_assert_eq(row_of(3)->throughput, WHAT_IF_NOT_MEASURED); /* times do not count there */
    cr_assert_eq(row_of(4)->throughput, WHAT_IF_UNIT_DIFFERS);
    limits.throughput = NAN;
    (void)judge();
    cr_assert_eq(row_of(4)->throughput, WHAT_IF_NOT_APPLIED);
    summary_sample_fini(&summary);
}

Test(what_if, gains_are_over_the_eligible_baseline, .init = make)
{
    summary_sample_candidate(&summary, 1)->throughput = 1150;
    limits.gain = 0.15;
    struct what_if_result result = judge();
    cr_assert(row_of(0)->baseline);
    cr_assert_eq(result.selected, row_of(1));
    cr_assert_eq(row_of(1)->gain, 0.15);
    cr_assert_eq(result.decision, WHAT_IF_ACCEPT);
    limits.gain = 0.16;
    cr_assert_eq(judge().decision, WHAT_IF_REJECT);
    limits.memory_fraction = 0.5;
    cr_assert_eq(judge().decision, WHAT_IF_TUNE);
    limits.memory_fraction = NAN;
    summary_sample_candidate(&summary, 0)->peak_memory_mb = 9001; /* no baseline to gain over */
    cr_assert_eq(judge().decision, WHAT_IF_ACCEPT);
    cr_assert(isnan(row_of(1)->gain));
    limits.memory_mb = 1;
    result = judge();
    cr_assert_null(result.selected);
    cr_assert_eq(result.decision, WHAT_IF_NONE);
    summary_sample_group(&summary)->decision.rule = "incomplete";
    cr_assert_eq(judge().decision, WHAT_IF_FIXED);
    summary_sample_fini(&summary);
}

Test(what_if, with_the_goal_of_memory_a_gain_is_memory_saved, .init = make)
{
    summary.policy.goal = "memory";
    summary_sample_candidate(&summary, 1)->throughput = 2000;
    summary_sample_candidate(&summary, 1)->peak_memory_mb = 6000;
    cr_assert_eq(judge().selected, row_of(1));
    cr_assert_eq(row_of(1)->gain, 0.25);
    summary_sample_candidate(&summary, 1)->memory_kind = "reserved"; /* of another kind: unlike */
    (void)judge();
    cr_assert(isnan(row_of(1)->gain));
    summary_sample_fini(&summary);
}
