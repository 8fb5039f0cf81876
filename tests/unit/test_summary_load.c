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
    expect_refusal(CANDIDATE(", \"metrics\": {\"throughput\": -1}"), "", "negative");
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
