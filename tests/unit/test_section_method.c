#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "manuscript_text.h"
#include "summary_sample.h"

/* How it was measured, whether the numbers agree, what the charts show, where it all came from. */

static struct summary summary;
static struct text_buffer said;

static void begin(void)
{
    summary_sample_make(&summary, SUMMARY_SAMPLE_COMPLETE, 5);
}

static void end(void)
{
    text_buffer_fini(&said);
    summary_sample_fini(&summary);
}

TestSuite(section_method, .init = begin, .fini = end);

static void say(const char *section)
{
    text_buffer_clear(&said);
    manuscript_text_of(&summary, "en", section, &said);
}

static void expect(const char *line)
{
    cr_assert_not_null(strstr(said.text, line), "no \"%s\" in:\n%s", line, said.text);
}

static void expect_not(const char *line)
{
    cr_assert_null(strstr(said.text, line), "\"%s\" in:\n%s", line, said.text);
}

Test(section_method, tells_every_limit_of_the_policy)
{
    static const char *const ranking[] = {"throughput", "peak_memory_mb"};
    static const char *const vary[] = {"micro_batch"};
    summary.policy.max_memory_fraction = 0.95;
    summary.policy.ranking = (struct summary_texts){ranking, 2};
    summary.policy.vary = (struct summary_texts){vary, 1};
    summary.policy.ties = "statistical";
    summary.policy.correctness = "own";
    say("method");
    expect("| Memory limit | 24,576 MiB | Minimum throughput | 400,000 tokens/s |\n");
    expect("| Maximum exposed communication | 25 % | Maximum share of the memory limit | 95 % |\n");
    expect("Maximum variation of step times | no limit[QUIET] |");
    expect("Ranking by | throughput, peak memory |");
    expect("| Ties | statistical: medians that are not told apart are ranked by the next key |");
    expect("The policy lets these differ: Micro-batch.\n");
}

Test(section_method, says_whether_times_count)
{
    say("method");
    expect("Evidence level: several GPUs (multi_gpu). Times at this level count");
    summary_sample_group(&summary)->times_count = false;
    summary_sample_group(&summary)->evidence_level = "emulated_cuda";
    say("method");
    expect("Times at this level do not count: speed is not judged, whatever was measured.\n"
           "The GPU was emulated: memory and payloads hold, times do not.\n");
    say("decision");
    expect("does not count at this evidence level; minimum 400,000 tokens/s");
    expect("! Evidence level: emulated CUDA. The GPU was emulated");
    summary_sample_group(&summary)->evidence_level = NULL;
    say("decision");
    expect("! No evidence level is stated: how real these numbers are is not known.[WARNING]\n");
    summary_sample_group(&summary)->evidence_level = "felt_real";
    say("decision");
    expect("! The evidence level felt_real is not a known one");
}

Test(section_method, tells_how_much_each_candidate_varies)
{
    struct summary_candidate *candidate = summary_sample_candidate(&summary, 0);
    candidate->repeats = 3;
    candidate->interval_samples = 30;
    candidate->warmup = 2;
    candidate->step_time_ms = 217.6;
    candidate->step_time_lower_ms = 216.5;
    candidate->step_time_upper_ms = 218.5;
    candidate->interval_unit = "within_run";
    candidate->step_time_variation = 0.108;
    say("method");
    expect("| ddp | 3 | 30 | 2 | 217.6 | 216.5 to 218.5 | steps within a run | 10.8 % |");
    expect("Intervals over the steps of one run tell how much these steps vary.");
    candidate->step_time_lower_ms = NAN;
    candidate->interval_unit = NULL;
    say("method");
    expect("| ddp | 3 | 30 | 2 | 217.6 | not measured[QUIET] | not measured[QUIET] | 10.8 % |");
}

Test(section_method, marks_conditions_that_differ)
{
    static const struct summary_condition conditions[] = {
        {.name = "environment.kernel", .text = "6.1, 6.2", .number = NAN, .differs = true},
        {.name = "no.such.name", .text = "true", .number = NAN},
        {.name = "not.told", .number = NAN}};
    static const struct summary_message warning = {.text = "warm-up differs"};
    struct summary_group *group = summary_sample_group(&summary);
    group->conditions = (struct summary_conditions){conditions, 3};
    group->warnings = &warning;
    group->warning_count = 1;
    say("method");
    expect(" | differs: 6.1, 6.2[WARNING] |");
    expect("| no.such.name | yes |");
    expect_not("not.told");
    expect("- warm-up differs[WARNING]\n");
    expect_not("Nothing else that the records tell of");
}

Test(section_method, says_which_numbers_agree)
{
    struct summary_candidate *candidate = summary_sample_candidate(&summary, 0);
    static const struct summary_collective equal = {
        .collective = "all_reduce", .payload_mb = 30, .expected_mb = 30, .calls = NAN};
    static const struct summary_collective more = {
        .collective = "all_reduce", .payload_mb = 33, .expected_mb = 30, .calls = NAN};
    for (size_t i = 0; i < 5; i++)
        summary_sample_candidate(&summary, i)->collective_count = 0;
    candidate->collectives = &equal;
    candidate->collective_count = 1;
    say("checks");
    expect("| Bytes communicated | counted in each collective, against the formula | 1 of 1 agree, "
           "3 not measured | equal | agrees[GOOD] |\n");
    candidate->collectives = &more;
    say("checks");
    expect("| 0 of 1 agree, 3 not measured | ddp: 33 against 30 MiB, 10 % apart | differs[WARNING] "
           "|\n");
    say("measured");
    expect("Different: ");
    expect("Bytes communicated");
}

Test(section_method, leads_to_a_chart_with_what_it_shows)
{
    say("charts");
    expect("Failed runs are shown as failed, with what they had reached: fsdp_full_shard.");
    expect("## Memory per strategy\nddp peaks highest with 14,094.1 MiB, zero3 lowest with 6,271 "
           "MiB.\nCHART memory // ");
    expect("ddp is the fastest with 456,000 tokens/s, zero3 the slowest with 371,250 tokens/s.");
    summary_sample_group(&summary)->times_count = false;
    say("charts");
    expect_not("is the fastest");
}

/* Numbers that differ do not look alike where it is said that they do. */
Test(section_method, keeps_numbers_apart_that_are_set_beside_each_other)
{
    struct summary_candidate *candidate = summary_sample_candidate(&summary, 0);
    static const struct summary_collective more = {
        .collective = "all_reduce", .payload_mb = 300.04, .expected_mb = 300, .calls = NAN};
    for (size_t i = 0; i < 5; i++) {
        summary_sample_candidate(&summary, i)->peak_memory_mb = 24576;
        summary_sample_candidate(&summary, i)->collective_count = 0;
    }
    candidate->peak_memory_mb = 24576.04;
    candidate->collectives = &more;
    candidate->collective_count = 1;
    say("charts");
    expect("ddp peaks highest with 24,576.04 MiB, ");
    say("checks");
    expect("ddp: 300.04 against 300 MiB, 0.013 % apart");
}

Test(section_method, lists_sources_and_every_fault_of_the_rejected)
{
    static const struct summary_source sources[] = {
        {.path = "a.json", .sha256 = "ab", .strategy = "ddp", .evidence_level = "multi_gpu"},
        {.path = "b.json", .sha256 = "cd", .strategy = "zero1", .failure = "it ended"}};
    static const struct summary_finding findings[] = {
        {.line = 3, .column = 7, .pointer = "/metrics", .message = "expected a number"},
        {.line = NAN, .column = NAN, .message = "and a unit"}};
    static const struct summary_rejected rejected[] = {{"c.json", NULL, findings, 2},
                                                       {"d.json", NULL, NULL, 0}};
    summary.sources = sources;
    summary.source_count = 2;
    summary.rejected = rejected;
    summary.rejected_count = 2;
    say("sources");
    expect("| a.json | ddp | several GPUs (multi_gpu) |  | ab |\n"
           "| b.json | zero1 |  | it ended[BAD] | cd |\n");
    expect("| c.json | 3:7 | /metrics | expected a number |\n|  |  |  | and a unit |\n"
           "| d.json |  |  |  |\n");
    summary.source_count = 1;
    say("sources");
    expect_not("Failure");
}

Test(section_method, of_several_groups_has_an_overview_and_a_part_each)
{
    static struct summary_group groups[2];
    groups[0] = groups[1] = summary.groups[0];
    groups[1].label = "another, 8 ranks";
    summary.groups = groups;
    summary.group_count = 2;
    summary.decision = (struct summary_decision){
        .decision = "tune", .candidate = -1, .reason = {.text = "Not comparable."}};
    say("decision");
    expect("# Overview\nTune[WARNING] // Not comparable.\n");
    expect("| another, 8 ranks | accept ddp[GOOD] | 5 | 14,094.1 | 456,000 tokens/s | 8.1 % | ");
    expect("# another, 8 ranks\n## Decision\nAccept ddp[GOOD] // ");
    expect("### Gates of ddp\n");
    static const struct summary_action action = {.message = {.text = "Pick one group."}};
    summary.decision.actions = &action;
    summary.decision.action_count = 1;
    say("outlook");
    expect("# Next actions\n- Pick one group.\n# gpt2_750m");
    say("sources");
    cr_assert_null(strstr(strstr(said.text, "# Sources") + 1, "# Sources"));
}
