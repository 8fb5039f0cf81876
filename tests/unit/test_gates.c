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

TestSuite(gates, .init = setup, .fini = teardown);

static void limits(double memory_mb, double throughput, double ratio)
{
    sample.policy.memory_limit_mb = memory_mb;
    sample.policy.min_throughput = throughput;
    sample.policy.max_communication_ratio = ratio;
}

/* peak 9000, throughput 110, ratio 0.22 */
static void add_reference(void)
{
    group_sample_add(&sample, STRATEGY_ZERO2, 110, 0.22, 9000);
}

static enum gate_verdict verdict(size_t index, const char *gate)
{
    return gates_find(&sample.candidates[index], gate)->verdict;
}

Test(gates, pass_within_every_limit)
{
    limits(10000, 100, 0.25);
    add_reference();
    group_sample_judge(&sample);
    cr_assert(sample.candidates[0].eligible);
    cr_assert_str_eq(group_sample_failures(&sample, 0), "");
}

Test(gates, fail_memory_throughput_and_communication_in_this_order)
{
    limits(8000, 120, 0.20);
    add_reference();
    group_sample_judge(&sample);
    cr_assert_not(sample.candidates[0].eligible);
    cr_assert_str_eq(group_sample_failures(&sample, 0), "memory, throughput, communication");
}

Test(gates, a_failure_without_metrics_fails_runtime_alone)
{
    limits(8000, 120, 0.20);
    group_sample_add_failed(&sample, STRATEGY_DDP, "oom");
    group_sample_judge(&sample);
    cr_assert_str_eq(group_sample_failures(&sample, 0), "runtime");
    cr_assert_eq(verdict(0, "memory"), GATE_NOT_EVALUATED);
    cr_assert_eq(verdict(0, "throughput"), GATE_NOT_EVALUATED);
    cr_assert_eq(verdict(0, "communication"), GATE_NOT_EVALUATED);
}

Test(gates, a_failure_with_metrics_is_judged_by_them_too)
{
    limits(8000, 100, 0.25);
    add_reference();
    sample.candidates[0].failure = (struct failure){.failed = true, .reason = "killed"};
    group_sample_judge(&sample);
    cr_assert_str_eq(group_sample_failures(&sample, 0), "runtime, memory");
}

Test(gates, a_value_equal_to_its_limit_passes)
{
    limits(9000, 110, 0.22);
    add_reference();
    group_sample_judge(&sample);
    cr_assert(sample.candidates[0].eligible);
    cr_assert_eq(gates_find(&sample.candidates[0], "memory")->margin, 0);
}

Test(gates, memory_fails_at_the_smallest_step_above_its_limit)
{
    limits(9000, NAN, NAN);
    group_sample_add(&sample, STRATEGY_DDP, 110, 0.22, nextafter(9000, INFINITY));
    group_sample_add(&sample, STRATEGY_ZERO1, 110, 0.22, nextafter(9000, 0));
    group_sample_judge(&sample);
    cr_assert_str_eq(group_sample_failures(&sample, 0), "memory");
    cr_assert(sample.candidates[1].eligible);
}

Test(gates, throughput_fails_at_the_smallest_step_below_its_limit)
{
    limits(NAN, 110, NAN);
    group_sample_add(&sample, STRATEGY_DDP, nextafter(110, 0), 0.22, 9000);
    group_sample_add(&sample, STRATEGY_ZERO1, nextafter(110, INFINITY), 0.22, 9000);
    group_sample_judge(&sample);
    cr_assert_str_eq(group_sample_failures(&sample, 0), "throughput");
    cr_assert(sample.candidates[1].eligible);
}

Test(gates, communication_fails_at_the_smallest_step_above_its_limit)
{
    limits(NAN, NAN, 0.22);
    group_sample_add(&sample, STRATEGY_DDP, 110, nextafter(0.22, 1), 9000);
    group_sample_add(&sample, STRATEGY_ZERO1, 110, nextafter(0.22, 0), 9000);
    group_sample_judge(&sample);
    cr_assert_str_eq(group_sample_failures(&sample, 0), "communication");
    cr_assert(sample.candidates[1].eligible);
}

Test(gates, without_limits_nothing_is_applied)
{
    group_sample_add(&sample, STRATEGY_DDP, NAN, NAN, NAN);
    group_sample_judge(&sample);
    cr_assert(sample.candidates[0].eligible);
    cr_assert_eq(verdict(0, "memory"), GATE_NOT_APPLIED);
    cr_assert_eq(verdict(0, "throughput"), GATE_NOT_APPLIED);
    cr_assert_eq(verdict(0, "communication"), GATE_NOT_APPLIED);
}

Test(gates, an_absent_metric_fails_as_not_measured)
{
    limits(8000, 120, 0.20);
    group_sample_add(&sample, STRATEGY_DDP, NAN, NAN, NAN);
    group_sample_judge(&sample);
    cr_assert_str_eq(group_sample_failures(&sample, 0), "memory, throughput, communication");
    cr_assert_eq(verdict(0, "memory"), GATE_NOT_MEASURED);
    cr_assert_str_eq(gates_find(&sample.candidates[0], "memory")->detail, "not measured");
}

Test(gates, a_kind_of_memory_that_was_not_measured_names_what_there_is)
{
    add_reference();
    struct candidate *candidate = &sample.candidates[0];
    for (int kind = 0; kind < MEMORY_KIND_COUNT; kind++)
        candidate->metrics.peak_mb[kind] = NAN;
    candidate->metrics.peak_mb[MEMORY_RESERVED] = 9000;
    candidate->peak_mb = NAN;
    candidate->memory_kind = -1;
    sample.policy.memory_kind = MEMORY_DEVICE;
    limits(10000, NAN, NAN);
    group_sample_judge(&sample);
    cr_assert_eq(verdict(0, "memory"), GATE_NOT_MEASURED);
    cr_assert_str_eq(gates_find(candidate, "memory")->detail,
                     "not measured: the policy reads the device peak, and there is only reserved "
                     "9,000 MiB");
}

Test(gates, a_minimum_in_another_unit_fails)
{
    limits(NAN, 1, NAN);
    group_sample_add(&sample, STRATEGY_DDP, 110, 0.22, 9000)->metrics.throughput_unit =
        THROUGHPUT_SAMPLES;
    group_sample_judge(&sample);
    cr_assert_eq(verdict(0, "throughput"), GATE_UNIT_DIFFERS);
    cr_assert_str_eq(group_sample_failures(&sample, 0), "throughput");
}

Test(gates, times_that_do_not_count_are_not_measured)
{
    limits(10000, 100, 0.25);
    add_reference();
    sample.candidates[0].times_count = false;
    group_sample_judge(&sample);
    cr_assert_str_eq(group_sample_failures(&sample, 0), "throughput, communication");
    cr_assert_eq(verdict(0, "throughput"), GATE_NOT_MEASURED);
    cr_assert_eq(verdict(0, "communication"), GATE_NOT_MEASURED);
}

Test(gates, a_peak_above_nine_tenths_of_the_limit_is_tight)
{
    limits(10000, NAN, NAN);
    group_sample_add(&sample, STRATEGY_DDP, 110, 0.22, 9000);
    group_sample_add(&sample, STRATEGY_ZERO1, 110, 0.22, nextafter(9000, INFINITY));
    group_sample_add(&sample, STRATEGY_ZERO2, 110, 0.22, 10000);
    group_sample_judge(&sample);
    cr_assert_eq(verdict(0, "memory"), GATE_PASS);
    cr_assert_eq(verdict(1, "memory"), GATE_TIGHT);
    cr_assert_eq(verdict(2, "memory"), GATE_TIGHT);
    cr_assert(sample.candidates[2].eligible);
}

Test(gates, margins_say_how_much_room_there_is)
{
    limits(10000, 100, 0.25);
    add_reference();
    group_sample_judge(&sample);
    cr_assert_eq(gates_find(&sample.candidates[0], "memory")->margin, 1000);
    cr_assert_eq(gates_find(&sample.candidates[0], "memory")->margin_percent, 10);
    cr_assert_eq(gates_find(&sample.candidates[0], "throughput")->margin, 10);
    cr_assert_eq(gates_find(&sample.candidates[0], "throughput")->margin_percent, 10);
}

Test(gates, the_evidence_level_must_reach_the_minimum)
{
    sample.policy.min_evidence_level = "multi_gpu";
    add_reference();
    group_sample_add(&sample, STRATEGY_ZERO1, 110, 0.22, 9000)->level_name =
        "real_multi_gpu_zero_stage";
    group_sample_add(&sample, STRATEGY_ZERO3, 110, 0.22, 9000)->level_name = "made_up";
    group_sample_judge(&sample);
    cr_assert(sample.candidates[0].eligible);
    cr_assert_str_eq(group_sample_failures(&sample, 1), "evidence_level");
    cr_assert_str_eq(group_sample_failures(&sample, 2), "evidence_level");
}

/* ---- correctness: losses within 1e-5 in fp32, 5e-3 in 16 bit ---- */

static void add_losses(enum strategy strategy, const double *losses, const char *dtype, bool own)
{
    struct candidate *candidate = group_sample_add(&sample, strategy, 110, 0.22, 9000);
    candidate->metrics.losses = (struct series){losses, 2};
    candidate->workload.dtype = dtype;
    candidate->workload.global_batch = 64;
    candidate->own_collector = own;
}

static const double baseline_losses[] = {8, 4};
/* 4 * (1 +- 2^-17) is 7.6e-6 off, 4 * (1 + 2^-16) 1.5e-5. */
static const double near_losses[] = {8, 4.000030517578125};
static const double far_losses[] = {8, 4.00006103515625};

Test(gates, losses_within_the_tolerance_pass_and_beyond_it_fail)
{
    add_losses(STRATEGY_DDP, baseline_losses, "fp32", true);
    add_losses(STRATEGY_ZERO1, near_losses, "fp32", true);
    add_losses(STRATEGY_ZERO2, far_losses, "fp32", true);
    group_sample_judge(&sample);
    cr_assert(sample.candidates[0].eligible);
    cr_assert_eq(verdict(1, "correctness"), GATE_PASS);
    cr_assert_str_eq(group_sample_failures(&sample, 2), "correctness");
}

Test(gates, other_producers_losses_are_shown_and_not_held_against_them)
{
    add_losses(STRATEGY_DDP, baseline_losses, "fp32", false);
    add_losses(STRATEGY_ZERO2, far_losses, "fp32", false);
    group_sample_judge(&sample);
    cr_assert_eq(verdict(1, "correctness"), GATE_NOT_APPLIED);
    cr_assert_gt(gates_find(&sample.candidates[1], "correctness")->value, 1);
    sample.policy.correctness = POLICY_CORRECTNESS_ON;
    group_sample_judge(&sample);
    cr_assert_str_eq(group_sample_failures(&sample, 1), "correctness");
}

Test(gates, losses_of_16_bit_training_have_their_own_tolerance)
{
    add_losses(STRATEGY_DDP, baseline_losses, "bf16", true);
    add_losses(STRATEGY_ZERO2, far_losses, "bf16", true);
    group_sample_judge(&sample);
    cr_assert_eq(verdict(1, "correctness"), GATE_PASS);
}

Test(gates, a_loss_that_is_not_finite_where_the_baseline_has_one_fails)
{
    static const double diverged[] = {8, NAN};
    add_losses(STRATEGY_DDP, baseline_losses, "bf16", true);
    add_losses(STRATEGY_ZERO1, diverged, "bf16", true);
    group_sample_judge(&sample);
    cr_assert_str_eq(group_sample_failures(&sample, 1), "correctness");
    sample.candidates[0].metrics.losses = (struct series){diverged, 2};
    group_sample_judge(&sample);
    cr_assert_eq(verdict(1, "correctness"), GATE_PASS);
}

Test(gates, losses_of_every_repeat_are_compared)
{
    static const struct record wrong = {.metrics = {.losses = {far_losses, 2}}};
    static const struct record *repeats[] = {&wrong};
    add_losses(STRATEGY_DDP, baseline_losses, "fp32", true);
    add_losses(STRATEGY_ZERO1, near_losses, "fp32", true);
    sample.candidates[1].records = repeats;
    sample.candidates[1].record_count = 1;
    group_sample_judge(&sample);
    cr_assert_str_eq(group_sample_failures(&sample, 1), "correctness");
}

/* ---- stability ---- */

static const double steady[] = {10, 10, 10};
static const double wavering[] = {8, 10, 12}; /* standard deviation 2, mean 10 */

Test(gates, step_times_may_vary_up_to_the_limit)
{
    static const struct series steady_ranks[] = {{steady, 3}, {wavering, 3}};
    group_sample_add(&sample, STRATEGY_DDP, 110, 0.22, 9000);
    sample.candidates[0].metrics.step_times_ms = &steady_ranks[1];
    sample.candidates[0].metrics.step_times_ranks = 1;
    sample.policy.max_step_time_variation = 0.2;
    group_sample_judge(&sample);
    cr_assert_eq(gates_find(&sample.candidates[0], "stability")->value, 0.2);
    cr_assert_eq(verdict(0, "stability"), GATE_PASS);
    sample.policy.max_step_time_variation = nextafter(0.2, 0);
    group_sample_judge(&sample);
    cr_assert_str_eq(group_sample_failures(&sample, 0), "stability");
    /* The slowest rank makes the step: 10, 10, 12. */
    sample.candidates[0].metrics.step_times_ms = steady_ranks;
    sample.candidates[0].metrics.step_times_ranks = 2;
    group_sample_judge(&sample);
    cr_assert_float_eq(gates_find(&sample.candidates[0], "stability")->value, 0.10825317547305482,
                       1e-15, "two divisions and a root round");
}
