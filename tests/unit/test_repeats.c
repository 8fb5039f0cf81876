#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "group.h"
#include "record_set.h"
#include "repeats.h"

/* Pools all records of the set. */
static struct candidate pool(struct evidence_set *set, const struct policy *policy)
{
    struct candidate candidate;
    struct diag diag = {0};
    const struct record **records =
        arena_take_array(&set->arena, set->record_count, sizeof *records);
    for (size_t i = 0; i < set->record_count; i++)
        records[i] = &set->records[i];
    cr_assert_eq(repeats_pool(records, set->record_count, policy, &set->arena, &candidate, &diag),
                 STATUS_OK);
    return candidate;
}

static void run(struct evidence_set *set, const char *metrics)
{
    record_set_add_run(set, "zero1", "'world_size':2,'global_batch':8,'seq_len':100", metrics,
                       "'failure':null");
}

static struct policy defaults(void)
{
    struct policy policy;
    policy_init(&policy);
    return policy;
}

Test(repeats, one_record_is_taken_as_it_is)
{
    struct evidence_set set = {0};
    struct policy policy = defaults();
    run(&set, "'step_times_ms':[[10,30],[20,11]],'step_time_ms':26,'throughput':5,"
              "'peak_memory_mb_per_rank':[3,4],'peak_memory_mb':4");
    struct candidate candidate = pool(&set, &policy);
    cr_assert_eq(candidate.metrics.step_time_ms, 26);
    cr_assert_eq(candidate.metrics.throughput, 5);
    cr_assert_eq(candidate.peak_mb, 4);
    cr_assert_eq(candidate.metrics.per_rank_peak_mb.values[0], 3);
    cr_assert_eq(candidate.note_count, 0);
    record_set_fini(&set);
}

Test(repeats, samples_are_joined_and_medians_taken_anew)
{
    struct evidence_set set = {0};
    struct policy policy = defaults();
    /* slowest ranks: 20 30 | 40 60 80 -> median 40, unlike the median of the runs' 25 and 60 */
    run(&set, "'step_times_ms':[[10,30],[20,11]],'step_time_ms':25,'throughput':32000");
    run(&set, "'step_times_ms':[[40,50,80],[39,60,70]],'step_time_ms':60,'throughput':13333");
    struct candidate candidate = pool(&set, &policy);
    cr_assert_eq(candidate.metrics.step_time_ms, 40);
    cr_assert_eq(candidate.metrics.throughput, 800 / 0.040, "8 sequences of 100 tokens in 40 ms");
    cr_assert_eq(candidate.metrics.step_times_ranks, 2);
    cr_assert_eq(candidate.metrics.step_times_ms[1].count, 5);
    cr_assert_eq(candidate.metrics.step_times_ms[1].values[2], 39);
    cr_assert_eq(candidate.note_count, 1);
    cr_assert_str_eq(candidate.notes[0].id, "repeats_pooled");
    record_set_fini(&set);
}

Test(repeats, samples_per_second_need_no_sequence_length)
{
    struct evidence_set set = {0};
    struct policy policy = defaults();
    for (int i = 0; i < 2; i++)
        record_set_add_run(&set, "ddp", "'global_batch':8",
                           "'step_times_ms':[[20]],'samples_per_s':1", "'failure':null");
    struct candidate candidate = pool(&set, &policy);
    cr_assert_eq(candidate.metrics.throughput, 8 / 0.020);
    cr_assert_eq(candidate.metrics.throughput_unit, THROUGHPUT_SAMPLES);
    record_set_fini(&set);
}

Test(repeats, without_samples_the_median_of_the_values)
{
    struct evidence_set set = {0};
    struct policy policy = defaults();
    run(&set, "'step_time_ms':10,'throughput':100,'communication_ratio':0.1,'peak_memory_mb':5");
    run(&set, "'step_time_ms':30,'throughput':50,'communication_ratio':0.4,'peak_memory_mb':9");
    run(&set, "'step_time_ms':11,'throughput':90,'communication_ratio':0.2,'peak_memory_mb':7");
    struct candidate candidate = pool(&set, &policy);
    cr_assert_eq(candidate.metrics.step_time_ms, 11);
    cr_assert_eq(candidate.metrics.throughput, 90);
    cr_assert_eq(candidate.metrics.communication_ratio, 0.2);
    cr_assert_eq(candidate.peak_mb, 9, "memory is the largest");
    cr_assert_str_eq(candidate.notes[0].id, "repeats_median");
    record_set_fini(&set);
}

Test(repeats, samples_of_some_runs_alone_do_not_count)
{
    struct evidence_set set = {0};
    struct policy policy = defaults();
    run(&set, "'step_times_ms':[[10,10],[10,10]],'step_time_ms':10");
    run(&set, "'step_time_ms':30");
    struct candidate candidate = pool(&set, &policy);
    cr_assert_eq(candidate.metrics.step_time_ms, 20);
    cr_assert_eq(candidate.metrics.step_times_ranks, 0);
    record_set_fini(&set);
}

Test(repeats, memory_is_the_largest_per_kind_and_per_rank)
{
    struct evidence_set set = {0};
    struct policy policy = defaults();
    run(&set, "'peak_memory_mb_per_rank':[3,9],'peak_reserved_mb':20");
    run(&set,
        "'peak_memory_mb_per_rank':[5,8],'peak_reserved_mb':10,'checkpoint_peak_memory_mb':4");
    struct candidate candidate = pool(&set, &policy);
    cr_assert_eq(candidate.metrics.peak_mb[MEMORY_ALLOCATED], 9);
    cr_assert_eq(candidate.metrics.peak_mb[MEMORY_RESERVED], 20);
    cr_assert_eq(candidate.metrics.checkpoint_peak_mb, 4);
    cr_assert_eq(candidate.metrics.per_rank_peak_mb.values[0], 5);
    cr_assert_eq(candidate.metrics.per_rank_peak_mb.values[1], 9);
    cr_assert_eq(candidate.memory_kind, MEMORY_RESERVED);
    cr_assert_eq(candidate.peak_mb, 20);
    record_set_fini(&set);
}

Test(repeats, any_failed_run_fails_the_candidate_unless_the_policy_allows)
{
    struct evidence_set set = {0};
    struct policy policy = defaults();
    run(&set, "'step_time_ms':10,'peak_memory_mb':5");
    record_set_add_run(&set, "zero1", "'world_size':2", "'step_time_ms':90,'peak_memory_mb':8",
                       "'failure':'oom'");
    struct candidate candidate = pool(&set, &policy);
    cr_assert(candidate.failure.failed);
    cr_assert_str_eq(candidate.failure.reason, "oom");
    cr_assert_eq(candidate.failed_repeats, 1);
    cr_assert_eq(candidate.metrics.step_time_ms, 10, "a failed run's times do not count");
    cr_assert_eq(candidate.peak_mb, 8, "its memory does");
    policy.allow_failed_repeats = true;
    candidate = pool(&set, &policy);
    cr_assert(!candidate.failure.failed);
    cr_assert_eq(candidate.failed_repeats, 1);
    record_set_fini(&set);
}

Test(repeats, when_every_run_failed_the_policy_cannot_help)
{
    struct evidence_set set = {0};
    struct policy policy = defaults();
    policy.allow_failed_repeats = true;
    record_set_add_run(&set, "zero1", "", "'step_time_ms':90", "'failure':'first'");
    record_set_add_run(&set, "zero1", "", "", "'failure':'second'");
    struct candidate candidate = pool(&set, &policy);
    cr_assert_str_eq(candidate.failure.reason, "first");
    cr_assert_eq(candidate.metrics.step_time_ms, 90, "what was measured before is kept");
    record_set_fini(&set);
}

Test(repeats, the_weakest_level_and_all_normalisations_are_kept)
{
    struct evidence_set set = {0};
    struct policy policy = defaults();
    record_set_add(&set, "{'strategy':'ddp','evidence_level':'multi_gpu','schema':"
                         "'rankledger.evidence/1','metrics':{'tokens_per_s':1}}");
    record_set_add(&set, "{'strategy':'ddp','evidence_level':'published_report','workload':"
                         "{'seq_len':7},'metrics':{'tokens_per_s':2,'max_step_time_ms':3}}");
    struct candidate candidate = pool(&set, &policy);
    cr_assert_str_eq(candidate.level_name, "published_report");
    cr_assert(!candidate.own_collector);
    cr_assert_eq(candidate.normalised_count, 3);
    cr_assert_eq(candidate.workload.seq_len, 7);
    record_set_fini(&set);
}

/* ---- the kind of memory that the gate reads ---- */

static int kind_of(double allocated, double reserved, double device, int wanted)
{
    struct metrics metrics = {.peak_mb = {[MEMORY_ALLOCATED] = allocated,
                                          [MEMORY_RESERVED] = reserved,
                                          [MEMORY_DEVICE] = device}};
    struct policy policy = defaults();
    policy.memory_kind = wanted;
    return repeats_memory_kind(&metrics, &policy);
}

Test(repeats, the_largest_kind_present_unless_the_policy_names_one)
{
    cr_assert_eq(kind_of(51, 78, NAN, -1), MEMORY_RESERVED);
    cr_assert_eq(kind_of(51, 78, 60, -1), MEMORY_RESERVED, "the value decides, not the kind");
    cr_assert_eq(kind_of(51, NAN, 60, -1), MEMORY_DEVICE);
    cr_assert_eq(kind_of(5, 5, 5, -1), MEMORY_DEVICE);
    cr_assert_eq(kind_of(5, 5, NAN, -1), MEMORY_RESERVED);
    cr_assert_eq(kind_of(51, 78, NAN, MEMORY_ALLOCATED), MEMORY_ALLOCATED);
    cr_assert_eq(kind_of(51, 78, NAN, MEMORY_DEVICE), -1, "a kind that was not measured");
    cr_assert_eq(kind_of(NAN, NAN, NAN, -1), -1);
}

Test(repeats, a_throughput_beyond_a_double_is_not_taken)
{
    struct evidence_set set = {0};
    struct policy policy = defaults();
    for (int i = 0; i < 2; i++)
        run(&set, "'step_times_ms':[[1e-308],[1e-308]],'throughput':7");
    cr_assert_eq(pool(&set, &policy).metrics.throughput, 7);
    record_set_fini(&set);
}
