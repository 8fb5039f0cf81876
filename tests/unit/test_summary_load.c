#include "summary.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

static struct summary load_sample(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, TESTS_SOURCE_DIR "/summary/%s", name);
    struct input_buffer input = {0};
    enum input_fault fault;
    struct diag diag = {0};
    struct summary summary = {0};
    cr_assert_eq(input_read_file(&input, path, INPUT_DEFAULT_LIMIT, &fault, &diag), STATUS_OK, "%s",
                 diag.text);
    cr_assert_eq(summary_load(name, input.data, input.size, &summary, &diag), STATUS_OK, "%s",
                 diag.text);
    input_fini(&input); /* nothing borrows the text */
    return summary;
}

Test(summary_load, reads_candidates_gates_and_ledgers)
{
    struct summary summary = load_sample("accept.json");
    cr_assert_eq(summary.group_count, 1);
    const struct summary_group *group = &summary.groups[0];
    cr_assert_eq(group->candidate_count, 5);
    const struct summary_candidate *zero1 = &group->candidates[1];
    cr_assert_str_eq(zero1->strategy, "zero1");
    cr_assert(zero1->eligible);
    cr_assert_eq(zero1->rank, 1);
    cr_assert_eq(zero1->peak_memory_mb, 15120.5);
    cr_assert_eq(zero1->step_time_lower_ms, 288.5);
    cr_assert_eq(zero1->step_time_upper_ms, 292.25);
    cr_assert_str_eq(zero1->interval_unit, "round");
    cr_assert(isnan(group->candidates[0].step_time_lower_ms), "none is told");
    cr_assert_eq(zero1->gate_count, 4);
    cr_assert_str_eq(zero1->gates[1].verdict, "tight");
    cr_assert_eq(zero1->ledger.optimizer_divisor, 4);
    cr_assert_eq(zero1->phase_count, 3);
    cr_assert_eq(zero1->per_rank_mb.count, 4);
    cr_assert_eq(zero1->collective_count, 1);
    cr_assert_eq(group->seq_len, 1024);
    cr_assert_str_eq(group->device, "NVIDIA A100-SXM4-40GB");
    cr_assert_str_eq(summary.decision.decision, "accept");
    cr_assert_eq(summary.decision.candidate, 1);
    cr_assert_eq(summary.rejected_count, 2);
    cr_assert_eq(summary.rejected[0].findings[0].line, 12);
    cr_assert_eq(summary.policy.min_throughput, 450000);
    summary_fini(&summary);
}

Test(summary_load, names_the_candidate_that_a_moved_limit_would_select)
{
    struct summary summary = load_sample("accept.json");
    const struct summary_sensitivity *memory = &summary.groups[0].decision.sensitivity[0];
    cr_assert_eq(memory->change_count, 2);
    cr_assert_null(memory->changes[0].label, "no candidate is told");
    cr_assert_eq(memory->changes[1].label, summary.groups[0].candidates[0].label);
    cr_assert_str_eq(summary.decision.sensitivity[0].changes[1].label, "ddp");
    summary_fini(&summary);
}

Test(summary_load, keeps_what_is_not_measured_apart_from_zero)
{
    struct summary summary = load_sample("accept.json");
    const struct summary_candidate *failed = &summary.groups[0].candidates[4];
    cr_assert(isnan(failed->peak_memory_mb));
    cr_assert(isnan(failed->throughput));
    cr_assert(isnan(failed->rank));
    const struct summary_candidate *first = &summary.groups[0].candidates[0];
    cr_assert_eq(first->checkpoints[0].restore_verified, SUMMARY_YES);
    cr_assert_eq(first->checkpoints[1].restore_verified, SUMMARY_NOT_TOLD);
    cr_assert(isnan(failed->ledger.residual_mb));
    cr_assert(isnan(failed->gates[1].value));
    cr_assert_not_null(failed->failure.reason);
    cr_assert_null(summary.groups[0].candidates[0].failure.reason);
    cr_assert(isnan(summary.policy.max_memory_fraction));
    summary_fini(&summary);
}

Test(summary_load, orders_candidates_by_rank_then_as_they_stand)
{
    struct summary summary = load_sample("accept.json");
    static const size_t expected[] = {1, 2, 0, 3, 4};
    for (size_t i = 0; i < 5; i++)
        cr_assert_eq(summary.groups[0].order[i], expected[i]);
    summary_fini(&summary);
}

/* The smallest summary, with a part put in. */
static void expect_refusal(const char *groups, const char *rest, const char *message)
{
    char text[4096];
    snprintf(text, sizeof text,
             "{\"schema\": \"rankledger.summary/1\", \"decision\": {\"decision\": \"reject\"},\n"
             "\"groups\": [%s]%s}",
             groups, rest);
    struct summary summary = {0};
    struct diag diag = {0};
    enum status status = summary_load("s.json", text, strlen(text), &summary, &diag);
    if (message == NULL) {
        cr_assert_eq(status, STATUS_OK, "%s", diag.text);
        summary_fini(&summary);
        return;
    }
    cr_assert_eq(status, STATUS_INPUT, "accepted: %s", text);
    cr_assert_eq(strncmp(diag.text, "s.json:", 7), 0, "no position: %s", diag.text);
    cr_assert_not_null(strstr(diag.text, message), "not '%s': %s", message, diag.text);
}

#define GROUP(candidates)                                                                          \
    "{\"label\": \"g\", \"decision\": {\"decision\": \"tune\"}, " candidates "}"
#define CANDIDATE(more) GROUP("\"candidates\": [{\"label\": \"a\", \"strategy\": \"ddp\"" more "}]")

Test(summary_load, refuses_what_no_summary_has)
{
    expect_refusal("", "", NULL);
    expect_refusal(CANDIDATE(""), "", NULL);
    expect_refusal("3", "", "an object");
    expect_refusal("{\"label\": \"g\"}", "", "no decision");
    expect_refusal(GROUP("\"candidates\": {}"), "", "candidates");
    expect_refusal(CANDIDATE(", \"eligible\": 1"), "", "eligible");
    expect_refusal(CANDIDATE(", \"metrics\": {\"throughput\": \"fast\"}"), "", "throughput");
    expect_refusal(CANDIDATE(", \"metrics\": {\"throughput\": -1}"), "", "at least 0");
    expect_refusal(CANDIDATE(", \"interval\": {\"step_time_ms\": [1, \"2\"]}"), "", "step_time_ms");
    expect_refusal(CANDIDATE(", \"sources\": [0]"), "", "indices below 0");
    expect_refusal(CANDIDATE(", \"sources\": [0.5]"), ", \"sources\": [{\"path\": \"p\"}]",
                   "indices below 1");
    expect_refusal(CANDIDATE(", \"gates\": [{\"name\": \"memory\", \"verdict\": \"fine\"}]"), "",
                   "verdict");
    expect_refusal(CANDIDATE(", \"gates\": [{\"name\": \"memory\"}]"), "", "verdict");
    expect_refusal("{\"label\": \"g\", \"decision\": {\"decision\": \"accept\", \"candidate\": 0}}",
                   "", "index below 0");
    expect_refusal("{\"label\": \"g\", \"decision\": {\"decision\": \"perhaps\"}}", "", "decision");
    expect_refusal("", ", \"sources\": [], \"sources\": []", "a second time");
    expect_refusal("", ", \"policy\": {\"min_throughput\": 1e999}", "");
}

static void expect_no_summary(const char *text)
{
    struct summary summary = {0};
    struct diag diag = {0};
    cr_assert_eq(summary_load("s.json", text, strlen(text), &summary, &diag), STATUS_INPUT);
    cr_assert_eq(strncmp(diag.text, "s.json:1:", 9), 0, "%s", diag.text);
    cr_assert_null(summary.groups);
}

Test(summary_load, refuses_other_documents)
{
    expect_no_summary("");
    expect_no_summary("[]");
    expect_no_summary("{}");
    expect_no_summary("{\"schema\": \"rankledger.summary/2\", \"groups\": [], \"decision\": {}}");
    expect_no_summary("{\"schema\": \"rankledger.summary/1\", \"decision\": {}}");
    expect_no_summary("{\"schema\": \"rankledger.summary/1\", \"groups\": []}");
    expect_no_summary("{\"schema\": \"rankledger.summary/1\", \"groups\": [");
}

Test(summary_load, makes_texts_safe_once_for_every_output)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"schema\": \"rankledger.summary/1\", \"groups\": [], \"sources\": [{\"path\": "
             "\"/home/alice/\\u001b[31m.json\", \"failure\": {\"reason\": \"a\\nb\", \"rank\": 2}, "
             "\"decision\": {\"odd\": 1}}], \"decision\": {\"decision\": \"reject\"}}");
    struct summary summary = {0};
    struct diag diag = {0};
    cr_assert_eq(summary_load("s.json", text, strlen(text), &summary, &diag), STATUS_OK, "%s",
                 diag.text);
    cr_assert_str_eq(summary.sources[0].path, "/home/<user>/\\x1b[31m.json");
    cr_assert_str_eq(summary.sources[0].failure, "a\\nb");
    cr_assert_str_eq(summary.sources[0].decision, "{\"odd\": 1}");
    cr_assert_null(summary.sources[0].strategy);
    summary_fini(&summary);
}

/* ---- what was measured step by step, and where ---- */

static const struct summary_condition *find_condition(const struct summary_conditions *conditions,
                                                      const char *name)
{
    for (size_t i = 0; i < conditions->count; i++)
        if (strcmp(conditions->items[i].name, name) == 0)
            return &conditions->items[i];
    return NULL;
}

static const char measured[] =
    "{\"schema\": \"rankledger.summary/1\", \"decision\": {\"decision\": \"reject\"}, \"groups\": ["
    "{\"label\": \"g\", \"decision\": {\"decision\": \"tune\"}, \"key\": {\"world_size\": 4,"
    " \"times_count\": true, \"model\": null}, \"workload\": {\"seq_len\": 128},"
    " \"hardware\": {\"device\": \"X\", \"device_count\": 4}, \"conditions\": ["
    "{\"name\": \"hardware.hosts\", \"values\": [1]},"
    "{\"name\": \"environment.kernel\", \"values\": [\"6.1\", \"6.2\"]},"
    "{\"name\": \"environment.nccl\", \"values\": []}], \"candidates\": ["
    "{\"label\": \"a\", \"strategy\": \"ddp\", \"workload\": {\"warmup\": 2, \"world_size\": 4,"
    " \"micro_batch\": 8, \"seq_len\": 128},"
    " \"interval\": {\"unit\": \"round\", \"samples\": 3, \"step_time_ms\": [1, 2],"
    " \"throughput\": [3, 4], \"ratio_to_fastest\": [0.5, 0.75]},"
    " \"samples\": {\"step_times_ms\": [[1, 2, 3], [], [4, null]], \"round_steps\": [2, 1],"
    " \"losses\": [5, null, 3], \"grad_norms\": [1]},"
    " \"timing\": {\"rank\": 1, \"steps\": 3, \"step_ms\": 10, \"forward_ms\": 2},"
    " \"ledger\": {\"scale\": {\"world_size\": [1, 2], \"resident_mb\": [64, 40]}},"
    " \"links\": [{\"collective\": \"all_gather\", \"payload_mb\": 1, \"bus_gb_per_s\": 9}],"
    " \"on_front\": true, \"varied\": [{\"name\": \"micro_batch\", \"value\": 8},"
    " {\"name\": \"dtype\", \"value\": null}]},"
    "{\"label\": \"b\", \"strategy\": \"ddp\", \"workload\": {\"micro_batch\": 16}}]}]}";

Test(summary_load, reads_samples_timing_and_scale)
{
    struct summary summary = {0};
    struct diag diag = {0};
    cr_assert_eq(summary_load("s.json", measured, strlen(measured), &summary, &diag), STATUS_OK,
                 "%s", diag.text);
    const struct summary_candidate *a = &summary.groups[0].candidates[0];
    cr_assert_eq(a->throughput_lower, 3);
    cr_assert_eq(a->throughput_upper, 4);
    cr_assert_eq(a->ratio_lower, 0.5);
    cr_assert_eq(a->interval_samples, 3);
    cr_assert_eq(a->step_times.rank_count, 3);
    cr_assert_eq(a->step_times.ranks[0].count, 3);
    cr_assert_eq(a->step_times.ranks[0].items[2], 3);
    cr_assert_eq(a->step_times.ranks[1].count, 0);
    cr_assert(isnan(a->step_times.ranks[2].items[1]));
    cr_assert_eq(a->round_steps.items[1], 1);
    cr_assert_eq(a->losses.count, 3);
    cr_assert(isnan(a->losses.items[1]));
    cr_assert_eq(a->grad_norms.count, 1);
    cr_assert_eq(a->warmup, 2);
    cr_assert_eq(a->world_size, 4);
    cr_assert(a->timing.available);
    cr_assert_eq(a->timing.rank, 1);
    cr_assert_eq(a->timing.step_ms, 10);
    cr_assert_eq(a->timing.forward_ms, 2);
    cr_assert(isnan(a->timing.exposed_ms), "left out");
    cr_assert_eq(a->scale.count, 2);
    cr_assert_eq(a->scale.items[1].resident_mb, 40);
    cr_assert_eq(a->link_count, 1);
    cr_assert_eq(a->links[0].bus_gb_per_s, 9);
    cr_assert(a->on_front);
    cr_assert_eq(a->varied.count, 2);
    cr_assert_str_eq(a->varied.items[0].name, "micro_batch");
    cr_assert_str_eq(a->varied.items[0].text, "8");
    cr_assert_eq(a->varied.items[0].number, 8);
    cr_assert_null(a->varied.items[1].text);
    summary_fini(&summary);
}

Test(summary_load, keeps_conditions_that_differ_apart)
{
    struct summary summary = {0};
    struct diag diag = {0};
    cr_assert_eq(summary_load("s.json", measured, strlen(measured), &summary, &diag), STATUS_OK,
                 "%s", diag.text);
    const struct summary_group *group = &summary.groups[0];
    const struct summary_condition *batch = find_condition(&group->workload, "micro_batch");
    cr_assert_not_null(batch);
    cr_assert_str_eq(batch->text, "8, 16");
    cr_assert(batch->differs);
    cr_assert(isnan(batch->number));
    cr_assert_eq(find_condition(&group->workload, "seq_len")->number, 128);
    cr_assert_null(find_condition(&group->workload, "vocab"), "no candidate tells it");
    cr_assert_str_eq(find_condition(&group->hardware, "device")->text, "X");
    cr_assert_str_eq(find_condition(&group->hardware, "hosts")->text, "1");
    cr_assert_eq(find_condition(&group->hardware, "hosts")->number, 1);
    cr_assert_eq(group->conditions.count, 2);
    const struct summary_condition *kernel =
        find_condition(&group->conditions, "environment.kernel");
    cr_assert_str_eq(kernel->text, "6.1, 6.2");
    cr_assert(kernel->differs);
    cr_assert_null(find_condition(&group->conditions, "environment.nccl")->text);
    cr_assert_str_eq(find_condition(&group->key, "times_count")->text, "true");
    cr_assert_null(find_condition(&group->key, "model")->text);
    summary_fini(&summary);
}

Test(summary_load, has_nothing_of_a_summary_that_does_not_tell)
{
    struct summary summary = load_sample("accept.json");
    const struct summary_candidate *first = &summary.groups[0].candidates[0];
    cr_assert(!first->timing.available);
    cr_assert(isnan(first->timing.step_ms));
    cr_assert_eq(first->scale.count, 0);
    cr_assert_eq(first->link_count, 0);
    cr_assert(isnan(first->throughput_lower));
    cr_assert_eq(summary.groups[0].conditions.count, 0);
    summary_fini(&summary);
}
