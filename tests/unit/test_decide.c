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

TestSuite(decide, .init = setup, .fini = teardown);

static void expect(enum verdict verdict, const char *rule)
{
    group_sample_decide(&sample);
    cr_assert_str_eq(sample.decision.rule, rule);
    cr_assert_eq(sample.decision.verdict, verdict);
    cr_assert_not_null(sample.decision.reason.text);
}

Test(decide, rejects_without_any_usable_record)
{
    sample.set.rejected_count = 0;
    expect(VERDICT_REJECT, "no_evidence");
}

Test(decide, rejects_when_every_run_failed)
{
    group_sample_add_failed(&sample, STRATEGY_DDP, "oom");
    group_sample_add_failed(&sample, STRATEGY_ZERO1, "killed");
    expect(VERDICT_REJECT, "all_failed");
}

Test(decide, tunes_when_a_source_was_invalid_unless_that_is_allowed)
{
    struct rejected_source rejected = {.path = "bad.json"};
    sample.set.rejected = &rejected;
    sample.set.rejected_count = 1;
    group_sample_add(&sample, STRATEGY_DDP, 130, 0.10, 12000);
    expect(VERDICT_TUNE, "incomplete");
    cr_assert_eq(sample.decision.action_count, 1);
    cr_assert_str_eq(sample.decision.actions[0].kind, "fix_input");
    group_sample_judge(&sample);
    sample.input.allow_invalid = true;
    struct diag diag = {0};
    cr_assert_eq(decide_make(&sample.input, &sample.policy, &sample.arena, &sample.decision, &diag),
                 STATUS_OK);
    cr_assert_str_eq(sample.decision.rule, "baseline");
}

Test(decide, tunes_when_a_summary_says_that_evidence_is_missing)
{
    sample.set.incomplete = "one source was unreadable";
    group_sample_add(&sample, STRATEGY_DDP, 130, 0.10, 12000);
    expect(VERDICT_TUNE, "incomplete");
    cr_assert_str_eq(sample.decision.reason.id, "reason.incomplete_summary");
}

Test(decide, tunes_where_times_do_not_count)
{
    sample.group.times_count = false;
    group_sample_add(&sample, STRATEGY_DDP, 130, 0.10, 12000)->times_count = false;
    expect(VERDICT_TUNE, "evidence_level");
}

Test(decide, tunes_on_one_rank)
{
    group_sample_add(&sample, STRATEGY_DDP, 130, 0.10, 12000)->workload.world_size = 1;
    expect(VERDICT_TUNE, "not_sharded");
}

Test(decide, takes_no_unknown_world_size_for_one_rank)
{
    static const char *const vary[] = {"world_size"};
    group_sample_add(&sample, STRATEGY_DDP, 130, 0.10, 12000)->workload.world_size = NAN;
    sample.policy.vary = vary;
    sample.policy.vary_count = 1;
    expect(VERDICT_ACCEPT, "baseline");
    group_sample_add_failed(&sample, STRATEGY_ZERO1, "oom")->workload.world_size = NAN;
    sample.candidates[0].workload.world_size = 1;
    expect(VERDICT_TUNE, "not_sharded");
}

Test(decide, tunes_without_a_world_size)
{
    group_sample_add(&sample, STRATEGY_DDP, 130, 0.10, 12000)->workload.world_size = NAN;
    expect(VERDICT_TUNE, "not_comparable");
}

Test(decide, accepts_the_baseline)
{
    group_sample_add(&sample, STRATEGY_DDP, 130, 0.10, 12000);
    group_sample_add(&sample, STRATEGY_ZERO1, 120, 0.10, 9000);
    expect(VERDICT_ACCEPT, "baseline");
    cr_assert_eq(sample.decision.candidate, 0);
    cr_assert_not(sample.decision.gain_applicable);
}

Test(decide, accepts_without_a_baseline_and_asks_for_one)
{
    group_sample_add(&sample, STRATEGY_ZERO1, 120, 0.10, 9000);
    expect(VERDICT_ACCEPT, "no_baseline");
    cr_assert_eq(sample.decision.baseline, -1);
    cr_assert_str_eq(sample.decision.actions[0].message.id, "action.run_baseline");
}

Test(decide, accepts_when_the_baseline_fails_a_gate)
{
    sample.policy.memory_limit_mb = 10000;
    group_sample_add(&sample, STRATEGY_DDP, 130, 0.10, 12000);
    group_sample_add(&sample, STRATEGY_ZERO1, 120, 0.10, 9000);
    expect(VERDICT_ACCEPT, "no_baseline");
    cr_assert_not(sample.decision.gain_applicable);
    cr_assert_str_eq(sample.decision.reason.id, "reason.baseline_fails");
}

Test(decide, accepts_when_the_baseline_failed_to_run)
{
    group_sample_add_failed(&sample, STRATEGY_DDP, "oom");
    group_sample_add(&sample, STRATEGY_ZERO1, 120, 0.10, 9000);
    expect(VERDICT_ACCEPT, "no_baseline");
}

Test(decide, accepts_a_gain_that_equals_the_minimum)
{
    group_sample_add(&sample, STRATEGY_DDP, 100, 0.10, 12000);
    group_sample_add(&sample, STRATEGY_ZERO1, 125, 0.10, 9000);
    sample.policy.min_gain = 0.25;
    expect(VERDICT_ACCEPT, "gain");
    cr_assert_eq(sample.decision.gain, 0.25);
}

/* 115 / 100 - 1 is 0.1499999999999999 in doubles, 1 - 93 / 100 is 0.06999999999999995. */
Test(decide, accepts_a_gain_whose_decimals_equal_the_minimum)
{
    group_sample_add(&sample, STRATEGY_DDP, 100, 0.10, 100);
    group_sample_add(&sample, STRATEGY_ZERO1, 115, 0.10, 93);
    sample.policy.min_gain = 0.15;
    expect(VERDICT_ACCEPT, "gain");
    cr_assert_eq(sample.decision.gain, 0.15);
    sample.policy.goal = POLICY_GOAL_MEMORY;
    sample.policy.min_gain = 0.07;
    expect(VERDICT_ACCEPT, "gain");
    cr_assert_eq(sample.decision.gain, 0.07);
}

Test(decide, rejects_a_gain_just_below_the_minimum)
{
    group_sample_add(&sample, STRATEGY_DDP, 100, 0.10, 12000);
    group_sample_add(&sample, STRATEGY_ZERO1, 125, 0.10, 9000);
    sample.policy.min_gain = nextafter(0.25, 1);
    expect(VERDICT_REJECT, "gain");
    cr_assert_eq(sample.decision.candidate, 1);
}

Test(decide, counts_a_gain_in_memory_where_that_is_the_goal)
{
    group_sample_add(&sample, STRATEGY_DDP, 100, 0.10, 12000);
    group_sample_add(&sample, STRATEGY_ZERO1, 125, 0.10, 9000);
    sample.policy.goal = POLICY_GOAL_MEMORY;
    sample.policy.min_gain = 0.25;
    expect(VERDICT_ACCEPT, "gain");
    cr_assert_eq(sample.decision.gain, 0.25);
    cr_assert_str_eq(sample.decision.reason.id, "reason.gain_memory");
}

Test(decide, tunes_above_the_share_of_memory_and_names_the_best_below_it)
{
    group_sample_add(&sample, STRATEGY_DDP, 130, 0.10, 9001);
    group_sample_add(&sample, STRATEGY_ZERO1, 120, 0.10, 9000);
    group_sample_add(&sample, STRATEGY_ZERO2, 110, 0.10, 8000);
    sample.policy.memory_limit_mb = 10000;
    sample.policy.max_memory_fraction = 0.9;
    expect(VERDICT_TUNE, "memory_fraction");
    cr_assert_eq(sample.decision.action_count, 1);
    cr_assert_eq(sample.decision.actions[0].strategy, STRATEGY_ZERO1);
    cr_assert_eq(sample.decision.actions[0].predicted_peak_mb, 9000);
    sample.policy.max_memory_fraction = 0.9001;
    expect(VERDICT_ACCEPT, "baseline");
}

/* 0.29 * 100 is 28.999999999999996 in doubles. */
Test(decide, a_peak_that_equals_the_share_of_memory_is_not_above_it)
{
    group_sample_add(&sample, STRATEGY_DDP, 130, 0.10, 29);
    sample.policy.memory_limit_mb = 100;
    sample.policy.max_memory_fraction = 0.29;
    expect(VERDICT_ACCEPT, "baseline");
    sample.policy.max_memory_fraction = nextafter(0.29, 0);
    expect(VERDICT_TUNE, "memory_fraction");
}

Test(decide, tunes_when_an_adjustment_may_pass)
{
    sample.policy.memory_limit_mb = 10000;
    group_sample_add(&sample, STRATEGY_DDP, 130, 0.10, 12000);
    expect(VERDICT_TUNE, "adjustment");
    cr_assert_gt(sample.decision.action_count, 0);
    cr_assert_not(sample.decision.actions[0].verified, "no sizes, so nothing can be predicted");
}

Test(decide, rejects_when_no_adjustment_is_known)
{
    sample.policy.memory_limit_mb = 10000;
    struct candidate *candidate = group_sample_add(&sample, STRATEGY_ZERO3, 130, 0.10, 12000);
    candidate->workload.micro_batch = 1;
    candidate->workload.activation_checkpointing = 1;
    expect(VERDICT_REJECT, "no_adjustment");
    cr_assert_eq(sample.decision.action_count, 0);
}

Test(decide, has_a_rule_that_matches_anything)
{
    size_t count;
    const struct decide_rule *rules = decide_rules(&count);
    const struct decide_facts facts = {.candidate_count = 1,
                                       .times_count = true,
                                       .sharded = true,
                                       .world_size_absent = -1,
                                       .selected = -1,
                                       .gain = NAN};
    cr_assert_eq(decide_match(&facts), &rules[count - 1]);
}

Test(decide, names_an_inversion)
{
    group_sample_add(&sample, STRATEGY_DDP, 130, 0.10, 9000);
    group_sample_add(&sample, STRATEGY_ZERO2, 120, 0.10, 9500);
    group_sample_decide(&sample);
    size_t named = 0;
    for (size_t i = 0; i < sample.decision.note_count; i++)
        named += strcmp(sample.decision.notes[i].id, "note.inversion") == 0;
    cr_assert_eq(named, 1);
}

Test(decide, names_ranks_that_differ_by_more_than_five_percent)
{
    static const double near_ranks[] = {100, 105};
    static const double far_ranks[] = {100, 105.00000001};
    group_sample_add(&sample, STRATEGY_DDP, 130, 0.10, 9000)->metrics.per_rank_peak_mb =
        (struct series){near_ranks, 2};
    group_sample_add(&sample, STRATEGY_ZERO1, 120, 0.10, 8000)->metrics.per_rank_peak_mb =
        (struct series){far_ranks, 2};
    group_sample_decide(&sample);
    size_t named = 0;
    for (size_t i = 0; i < sample.decision.note_count; i++)
        named += strcmp(sample.decision.notes[i].id, "note.fullest_rank") == 0;
    cr_assert_eq(named, 1);
}
