#include "cross_check.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* A group of `count` candidates of which nothing is known. */
static struct summary_candidate candidates[3];
static const size_t order[] = {0, 1, 2};
static struct summary_group group;
static struct arena arena;

static void end(void)
{
    arena_fini(&arena);
}

static void clear(void)
{
    for (size_t i = 0; i < 3; i++) {
        candidates[i] = (struct summary_candidate){.strategy = "zero1", .label = "zero1"};
        candidates[i].global_batch = NAN;
        candidates[i].peak_memory_mb = candidates[i].throughput = candidates[i].step_time_ms = NAN;
        candidates[i].ledger.predicted_peak_mb = NAN;
        candidates[i].ledger.persistent_parameters_mb = candidates[i].ledger.padding_mb = NAN;
    }
    candidates[0].strategy = "ddp";
    group = (struct summary_group){.candidates = candidates,
                                   .candidate_count = 3,
                                   .order = order,
                                   .global_batch = 8,
                                   .seq_len = 128,
                                   .decision = {.baseline = "ddp"}};
}

static struct cross_check_result run(const char *name)
{
    size_t count;
    const struct cross_check *rows = cross_check_table(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0)
            return cross_check_run(&rows[i], &group, &arena);
    cr_assert_fail("no check %s", name);
    return (struct cross_check_result){0};
}

TestSuite(cross_check, .init = clear, .fini = end);

Test(cross_check, of_nothing_measured_says_so)
{
    size_t count;
    const struct cross_check *rows = cross_check_table(&count);
    for (size_t i = 0; i < count; i++) {
        const struct cross_check_result result = cross_check_run(&rows[i], &group, &arena);
        cr_assert_null(result.worst, "%s", rows[i].name);
        cr_assert_eq(result.agree + result.differ, 0);
        cr_assert_eq(result.unmeasured, rows[i].of_others ? 2 : 3, "%s", rows[i].name);
    }
}

Test(cross_check, of_bytes_finds_one_byte_too_many)
{
    const struct summary_collective equal = {
        .collective = "all_gather", .payload_mb = 30, .expected_mb = 30};
    const struct summary_collective more = {
        .collective = "all_gather", .payload_mb = 30 + 1.0 / 1024, .expected_mb = 30};
    candidates[0].collectives = &equal;
    candidates[1].collectives = &more;
    candidates[0].collective_count = candidates[1].collective_count = 1;
    const struct cross_check_result result = run("payload");
    cr_assert_eq(result.agree, 1);
    cr_assert_eq(result.differ, 1);
    cr_assert_eq(result.unmeasured, 1);
    cr_assert_eq(result.worst, &candidates[1]);
    cr_assert_eq(result.pair.other, 30);
    /* two divisions by 30 and 1024 */
    cr_assert_float_eq(result.pair.difference, 1.0 / 1024 / 30, 1e-15);
}

Test(cross_check, of_memory_adds_up_what_the_ledger_knows)
{
    const struct summary_amount temporary[] = {{"activations", NULL, 20}, {"workspace", NULL, 10}};
    candidates[1].peak_memory_mb = 128;
    candidates[1].ledger = (struct summary_ledger){.available = true,
                                                   .resident_mb = 90,
                                                   .persistent_parameters_mb = 6,
                                                   .padding_mb = NAN,
                                                   .predicted_peak_mb = NAN,
                                                   .temporary = {temporary, 2}};
    struct cross_check_result result = run("ledger");
    cr_assert_eq(result.pair.stated, 128);
    cr_assert_eq(result.pair.other, 126);
    cr_assert_eq(result.differ, 1); /* 1.6 %, and 1 % is allowed */
    candidates[1].peak_memory_mb = 127;
    cr_assert_eq(run("ledger").agree, 1);
    candidates[1].ledger.temporary.count = 0; /* then a part of the peak is not known */
    cr_assert_eq(run("ledger").unmeasured, 3);
}

Test(cross_check, of_throughput_is_the_batch_over_the_step)
{
    candidates[0].throughput = 4096;
    candidates[0].step_time_ms = 250; /* 8 sequences of 128 tokens in a quarter of a second */
    cr_assert_eq(run("throughput").pair.difference, 0);
    candidates[0].throughput_unit = "samples/s";
    candidates[0].throughput = 32;
    cr_assert_eq(run("throughput").pair.difference, 0);
    candidates[0].global_batch = 16; /* its own where batches differ */
    const struct cross_check_result result = run("throughput");
    cr_assert_eq(result.pair.other, 64);
    cr_assert_eq(result.differ, 1);
}

Test(cross_check, of_step_times_takes_the_slowest_rank_of_each_step)
{
    static const double first[] = {1, 9, 3, 4};
    static const double second[] = {5, 2, 3, 8};
    static const struct summary_numbers ranks[] = {{first, 4}, {second, 4}};
    candidates[0].step_times = (struct summary_samples){ranks, 2};
    candidates[0].step_time_ms = 6.5; /* of 5, 9, 3, 8 */
    cr_assert_eq(run("step_time").pair.difference, 0);
    static const struct summary_numbers unlike[] = {{first, 4}, {second, 3}};
    candidates[0].step_times = (struct summary_samples){unlike, 2};
    cr_assert_eq(run("step_time").unmeasured, 3);
}

Test(cross_check, leaves_out_failed_runs_and_the_baseline_where_it_is_compared_with)
{
    static const struct summary_gate close = {.name = "correctness", .value = 0.5, .limit = 1};
    static const struct summary_gate far = {.name = "correctness", .value = 1.5, .limit = 1};
    for (size_t i = 0; i < 3; i++) {
        candidates[i].gates = i == 1 ? &close : &far;
        candidates[i].gate_count = 1;
    }
    candidates[2].failure.reason = "out of memory";
    const struct cross_check_result result = run("correctness");
    cr_assert_eq(result.agree, 1);
    cr_assert_eq(result.differ + result.unmeasured, 0);
    cr_assert_eq(result.pair.difference, 0.5);
}

Test(cross_check, of_checkpoints_counts_answers)
{
    static const struct summary_checkpoint equal = {.restore_verified = SUMMARY_YES};
    static const struct summary_checkpoint other = {.restore_verified = SUMMARY_NO};
    static const struct summary_checkpoint unknown = {.restore_verified = SUMMARY_NOT_TOLD};
    static const struct summary_checkpoint *const of[] = {&equal, &other, &unknown};
    for (size_t i = 0; i < 3; i++) {
        candidates[i].checkpoints = of[i];
        candidates[i].checkpoint_count = 1;
    }
    const struct cross_check_result result = run("checkpoint");
    cr_assert_eq(result.agree, 1);
    cr_assert_eq(result.differ, 1);
    cr_assert_eq(result.unmeasured, 1);
    cr_assert_eq(result.worst, &candidates[1]);
}
