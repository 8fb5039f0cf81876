#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "manuscript_text.h"
#include "summary_sample.h"

/* What the sections that carry the decision say, word for word and number for number. */

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

TestSuite(section_decision, .init = begin, .fini = end);

static void say(const char *language, const char *section)
{
    text_buffer_clear(&said);
    manuscript_text_of(&summary, language, section, &said);
}

static void expect(const char *line)
{
    cr_assert_not_null(strstr(said.text, line), "no \"%s\" in:\n%s", line, said.text);
}

static void expect_not(const char *line)
{
    cr_assert_null(strstr(said.text, line), "\"%s\" in:\n%s", line, said.text);
}

static struct summary_gate *gate_of(size_t index, const char *name)
{
    const struct summary_candidate *candidate = summary_sample_candidate(&summary, index);
    for (size_t i = 0; i < candidate->gate_count; i++)
        if (strcmp(candidate->gates[i].name, name) == 0)
            return (struct summary_gate *)(uintptr_t)&candidate->gates[i];
    cr_assert_fail("no gate %s", name);
    return NULL;
}

Test(section_decision, shows_three_numbers_with_their_limits)
{
    say("en", "decision");
    expect("# Decision\ngpt2_750m, 4 ranks, global batch 320; NVIDIA A10G[QUIET]\n"
           "Accept ddp[GOOD] // ");
    expect("FIGURE Peak memory = 14,094.1 MiB // limit 24,576 MiB; 10,481.9 MiB left (42.7 %)"
           "[GOOD]");
    expect("FIGURE Throughput = 456,000 tokens/s // minimum 400,000 tokens/s; 56,000 tokens/s "
           "above (14 %)");
    expect("FIGURE Exposed communication = 8.1 % // limit 25 %; 16.9 percentage points left[GOOD]");
    say("zh", "decision");
    expect("FIGURE 内存峰值 = 14,094.1 MiB // 限值 24,576 MiB；余量 10,481.9 MiB（42.7 %）[GOOD]");
}

Test(section_decision, says_what_is_gained_over_a_baseline_and_whether_that_would_do)
{
    struct summary_group *group = summary_sample_group(&summary);
    group->decision.candidate = 1; /* zero1 */
    say("en", "decision");
    expect("-1.7 % against ddp;");
    summary_sample_candidate(&summary, 0)->eligible = false;
    static const char *const failures[] = {"memory"};
    summary_sample_candidate(&summary, 0)->gate_failures = (struct summary_texts){failures, 1};
    say("en", "decision");
    expect("-1.7 % against ddp, which fails memory;");
    summary_sample_candidate(&summary, 0)->failure.reason = "out of memory";
    say("en", "decision");
    expect_not("against ddp");
}

Test(section_decision, has_no_gain_for_a_failed_run)
{
    struct summary_candidate *failed = summary_sample_candidate(&summary, 3);
    failed->failure.reason = "rank 1 ended";
    failed->throughput = 500000;
    say("en", "candidates");
    expect("| zero3 | run failed[BAD] | ");
    expect(" | 500,000 |  | ");
}

Test(section_decision, names_the_closest_where_nothing_passes)
{
    struct summary_group *group = summary_sample_group(&summary);
    for (size_t i = 0; i < 5; i++)
        summary_sample_candidate(&summary, i)->eligible = false;
    group->decision.candidate = -1;
    group->decision.decision = "tune";
    static const struct sentence_value values[] = {{.name = "strategy", .text = "zero3"}};
    group->decision.reason =
        (struct summary_message){.text = "zero3 comes closest", .values = values, .value_count = 1};
    say("en", "decision");
    expect("Tune[WARNING] // zero3 comes closest\n");
    expect("These are the numbers of zero3, which comes closest.");
    expect("## Gates of zero3\n");
    expect("| throughput | fail[BAD] | 371,250 tokens/s | 400,000 tokens/s | 28,750 tokens/s short "
           "(7.2 %) |");
    expect("| communication | fail[BAD] | 27.2 % | 25 % | 2.2 percentage points over |");
}

Test(section_decision, says_that_a_peak_is_tight)
{
    struct summary_gate *gate = gate_of(0, "memory");
    gate->verdict = "tight";
    say("en", "decision");
    expect("left (42.7 %); tight[WARNING]");
    say("en", "candidates");
    expect("| memory: 10,481.9 MiB left (42.7 %); tight |");
}

Test(section_decision, says_how_sure_the_order_is)
{
    struct summary_candidate *first = summary_sample_candidate(&summary, 0);
    struct summary_candidate *second = summary_sample_candidate(&summary, 1);
    first->throughput_lower = 450000;
    first->throughput_upper = 460000;
    first->interval_samples = 10;
    first->interval_unit = "within_run";
    first->ratio_lower = first->ratio_upper = 1;
    second->ratio_lower = 0.96;
    second->ratio_upper = 0.99;
    say("en", "decision");
    expect("- The median throughput of ddp lies between 450,000 and 460,000 tokens/s (95 % "
           "interval over 10 steps of one run). Another run may differ by more.\n");
    expect("- zero1, next in rank, reaches 96 % to 99 % of the throughput of ddp (95 % interval of "
           "the ratio): the order is resolved.\n");
    second->ratio_upper = 1.02;
    say("en", "decision");
    expect("which of them is faster is not resolved.\n");
    first->throughput_lower = NAN;
    say("en", "decision");
    expect("- The throughput of ddp has no interval: too few step times are recorded.\n");
}

/* A share of just under 1 is no 100 %: an interval up to 1 would not be resolved. */
Test(section_decision, keeps_a_resolved_interval_off_one)
{
    struct summary_candidate *first = summary_sample_candidate(&summary, 0);
    struct summary_candidate *second = summary_sample_candidate(&summary, 1);
    first->ratio_lower = first->ratio_upper = 1;
    second->ratio_lower = 0.99;
    second->ratio_upper = 0.99999;
    say("en", "decision");
    expect("reaches 99 % to 99.999 % of the throughput of ddp (95 % interval of the ratio): the "
           "order is resolved.\n");
}

/* What fails by a little does not look equal to its limit. */
Test(section_decision, tells_a_value_from_its_limit)
{
    struct summary_candidate *first = summary_sample_candidate(&summary, 0);
    struct summary_gate *gate = gate_of(0, "memory");
    gate->value = first->peak_memory_mb = 24576.04;
    gate->margin = -0.04;
    gate->margin_percent = -100 * 0.04 / 24576;
    gate->verdict = "fail";
    gate->failed = true;
    say("en", "decision");
    expect("FIGURE Peak memory = 24,576.04 MiB // limit 24,576 MiB; 0.04 MiB over");
    expect("| memory | fail[BAD] | 24,576.04 MiB | 24,576 MiB | 0.04 MiB over");
    say("en", "candidates");
    expect("| 24,576.04 | 100.0002 % |");
    gate->value = first->peak_memory_mb = gate->limit = summary.policy.memory_limit_mb = 24576.04;
    summary_sample_candidate(&summary, 1)->peak_memory_mb = gate_of(1, "memory")->value = 24576;
    for (size_t i = 1; i < 5; i++)
        gate_of(i, "memory")->limit = 24576.04;
    say("en", "candidates");
    expect("| 24,576 | 99.9998 % |");
    expect("Limits: memory at most 24,576.04 MiB, ");
}

/* Of several candidates of the baseline's strategy gains are reckoned from the decision's. */
Test(section_decision, reckons_gains_from_the_candidate_of_the_decision)
{
    struct summary_group *group = summary_sample_group(&summary);
    struct summary_candidate *other = summary_sample_candidate(&summary, 2);
    other->strategy = "ddp";
    other->label = "ddp, micro-batch 16";
    summary_sample_candidate(&summary, 0)->label = "ddp, micro-batch 8";
    group->decision.baseline_candidate = 2;
    other->throughput = 228000;
    say("en", "candidates");
    expect("| Against ddp, micro-batch 16 |");
    expect("| 456,000 | +100 % |");
    group->decision.baseline_candidate = -1;
    say("en", "candidates");
    expect("| Against ddp, micro-batch 8 |");
}

Test(section_decision, shows_every_candidate_and_why_it_fell)
{
    say("en", "candidates");
    expect("| ddp[STRONG] | selected[GOOD] | 14,094.1 | 57.3 % | 456,000 |  | 8.1 % |  |\n"
           "| zero1 | eligible[GOOD] | ");
    expect("| throughput: 28,750 tokens/s short (7.2 %); communication: 2.2 percentage points over "
           "|");
    expect("| fsdp_full_shard | run failed[BAD] | not measured[QUIET] |");
    expect("Limits: memory at most 24,576 MiB, throughput at least 400,000 tokens/s, exposed "
           "communication at most 25 %.");
    expect("## Runs that failed\n- fsdp_full_shard");
}

Test(section_decision, leaves_out_columns_that_nothing_fills)
{
    summary.policy.memory_limit_mb = NAN;
    summary_sample_group(&summary)->decision.baseline = "absent";
    say("en", "candidates");
    expect_not("Of the limit");
    expect_not("Against");
    expect("| ddp[STRONG] | selected[GOOD] | 14,094.1 | 456,000 | 8.1 % |  |\n");
}

Test(section_decision, has_a_command_below_its_action)
{
    static const struct summary_action action = {.message = {.text = "Run zero3."},
                                                 .kind = "strategy",
                                                 .command = "collect --strategy zero3",
                                                 .status = "predicted_pass"};
    struct summary_decision *decision = &summary_sample_group(&summary)->decision;
    decision->actions = &action;
    decision->action_count = 1;
    say("en", "outlook");
    expect("# Next actions\n- Run zero3. (predicted to pass)\n$ collect --strategy zero3\n");
    decision->action_count = 0;
    say("en", "outlook");
    expect("The decision asks for no further action.\n");
}

Test(section_decision, of_nothing_readable_is_its_reason_and_what_was_left_out)
{
    static const struct summary_finding finding = {
        .line = 3, .column = 7, .message = "expected a number"};
    static const struct summary_rejected rejected = {"runs/a.json", NULL, &finding, 1};
    summary.group_count = 0;
    summary.rejected = &rejected;
    summary.rejected_count = 1;
    summary.decision = (struct summary_decision){
        .decision = "reject", .candidate = -1, .reason = {.text = "No usable evidence."}};
    say("en", "decision");
    expect("Reject[BAD] // No usable evidence.\n");
    expect("- runs/a.json:3:7: expected a number[BAD]\n");
    expect("Sources read: 0; left out: 1");
    expect_not("FIGURE");
}
