#include "decide.h"

#include <math.h>

#include "comparability.h"
#include "decide_reason.h"
#include "gates.h"
#include "next_steps.h"
#include "notes.h"
#include "notes_predictions.h"
#include "selection_ties.h"
#include "sensitivity.h"

static bool no_evidence(const struct decide_facts *facts)
{
    return facts->candidate_count == 0;
}

static bool all_failed(const struct decide_facts *facts)
{
    return facts->failed_count == facts->candidate_count;
}

static bool incomplete(const struct decide_facts *facts)
{
    return facts->incomplete;
}

static bool level_without_times(const struct decide_facts *facts)
{
    return !facts->times_count;
}

static bool world_size_absent(const struct decide_facts *facts)
{
    return facts->world_size_absent >= 0;
}

static bool not_sharded(const struct decide_facts *facts)
{
    return !facts->sharded;
}

static bool above_fraction(const struct decide_facts *facts)
{
    return facts->selected >= 0 && facts->above_fraction;
}

static bool is_baseline(const struct decide_facts *facts)
{
    return facts->selected >= 0 && facts->selected == facts->baseline;
}

static bool nothing_to_gain_over(const struct decide_facts *facts)
{
    return facts->selected >= 0 && (!facts->baseline_eligible || isnan(facts->gain));
}

static bool enough_gain(const struct decide_facts *facts)
{
    return facts->selected >= 0 && facts->gain >= facts->min_gain;
}

static bool selected(const struct decide_facts *facts)
{
    return facts->selected >= 0;
}

static bool adjustable(const struct decide_facts *facts)
{
    return facts->adjustable;
}

static bool always(const struct decide_facts *facts)
{
    (void)facts;
    return true;
}

static const struct decide_rule rules[] = {
    {"no_evidence", VERDICT_REJECT, no_evidence},
    {"all_failed", VERDICT_REJECT, all_failed},
    {"incomplete", VERDICT_TUNE, incomplete},
    {"evidence_level", VERDICT_TUNE, level_without_times},
    {"not_comparable", VERDICT_TUNE, world_size_absent},
    {"not_sharded", VERDICT_TUNE, not_sharded},
    {"memory_fraction", VERDICT_TUNE, above_fraction},
    {"baseline", VERDICT_ACCEPT, is_baseline},
    {"no_baseline", VERDICT_ACCEPT, nothing_to_gain_over},
    {"gain", VERDICT_ACCEPT, enough_gain},
    {"gain", VERDICT_REJECT, selected},
    {"adjustment", VERDICT_TUNE, adjustable},
    {"no_adjustment", VERDICT_REJECT, always},
};

const struct decide_rule *decide_rules(size_t *count)
{
    *count = sizeof rules / sizeof rules[0];
    return rules;
}

const struct decide_rule *decide_match(const struct decide_facts *facts)
{
    const struct decide_rule *rule = rules;
    while (!rule->matches(facts))
        rule++;
    return rule;
}

double decide_gain(const struct policy *policy, const struct candidate *candidate,
                   const struct candidate *baseline)
{
    double own = NAN;
    double from = NAN;
    if (policy->goal == POLICY_GOAL_MEMORY) {
        if (candidate->memory_kind == baseline->memory_kind) {
            own = -candidate->peak_mb;
            from = baseline->peak_mb;
        }
    } else if (candidate->metrics.throughput_unit == baseline->metrics.throughput_unit) {
        own = candidate->metrics.throughput;
        from = -baseline->metrics.throughput;
    }
    /* The difference first: 115 against 100 is then the very number 0.15, which passes a minimum
     * of 0.15; 115 / 100 - 1 is a little less. */
    double gain = (own + from) / fabs(from);
    return isfinite(gain) ? gain : NAN;
}

bool decide_above_fraction(const struct policy *policy, const struct candidate *candidate)
{
    /* A limit or a peak that is NAN compares false. */
    return candidate->peak_mb / policy->memory_limit_mb > policy->max_memory_fraction;
}

/* A run that failed cannot be compared anyway, and a policy may free the world size. */
static void look_at_candidates(const struct decide_input *input, const struct policy *policy,
                               struct decide_facts *facts)
{
    const struct group *group = input->group;
    bool freed[COMPARABILITY_FIELD_COUNT];
    comparability_freed(policy, freed);
    facts->world_size_absent = -1;
    for (size_t i = 0; i < group->candidate_count; i++) {
        const struct candidate *candidate = &group->candidates[i];
        double world_size = candidate->workload.world_size;
        if (candidate->failure.failed && candidate->failed_repeats >= candidate->record_count)
            facts->failed_count++;
        if (isnan(world_size) && facts->world_size_absent < 0 && !candidate->failure.failed &&
            !freed[COMPARABILITY_WORLD_SIZE])
            facts->world_size_absent = (long)i;
        if (world_size > 1 || (isnan(world_size) && !candidate->failure.failed))
            facts->sharded = true; /* not known to be 1 */
    }
}

/* Who is selected, and who is the baseline: both are found along the order of the ranking. */
static void look_at_order(const struct decide_input *input, const struct policy *policy,
                          struct decide_facts *facts)
{
    const struct group *group = input->group;
    const size_t *order = selection_ties_arrange(policy, group, input->order);
    facts->selected = facts->baseline = facts->below_fraction = -1;
    for (size_t i = 0; i < group->candidate_count; i++) {
        size_t index = order[i];
        const struct candidate *candidate = &group->candidates[index];
        bool eligible = gates_eligible(policy, candidate);
        if (eligible && facts->selected < 0) {
            facts->selected = (long)index;
            facts->above_fraction = decide_above_fraction(policy, candidate);
        }
        if (eligible && facts->below_fraction < 0 && !decide_above_fraction(policy, candidate))
            facts->below_fraction = (long)index;
        if (candidate->strategy == policy->baseline &&
            (facts->baseline < 0 || (eligible && !facts->baseline_eligible))) {
            facts->baseline = (long)index;
            facts->baseline_eligible = eligible;
        }
    }
}

void decide_gather(const struct decide_input *input, const struct policy *policy,
                   struct decide_facts *facts)
{
    const struct group *group = input->group;
    const struct evidence_set *set = input->set;
    struct decide_facts result = {
        .candidate_count = group->candidate_count,
        .times_count = group->times_count,
        .incomplete = set != NULL && !input->allow_invalid &&
                      (set->rejected_count > 0 || set->incomplete != NULL),
        .gain = NAN,
        .min_gain = policy->min_gain,
    };
    look_at_candidates(input, policy, &result);
    look_at_order(input, policy, &result);
    if (result.selected >= 0 && result.baseline_eligible && result.selected != result.baseline)
        result.gain = decide_gain(policy, &group->candidates[result.selected],
                                  &group->candidates[result.baseline]);
    if (result.selected < 0 && result.candidate_count > 0)
        result.adjustable = planner_finds(input->planner, policy);
    *facts = result;
}

enum status decide_make(const struct decide_input *input, const struct policy *policy,
                        struct arena *arena, struct decision *decision, struct diag *diag)
{
    struct decide_case decided = {.input = input, .policy = policy};
    decide_gather(input, policy, &decided.facts);
    decided.rule = decide_match(&decided.facts);
    struct decision result = {.verdict = decided.rule->verdict,
                              .rule = decided.rule->name,
                              .candidate = decided.facts.selected,
                              .baseline = decided.facts.baseline,
                              .gain_applicable = !isnan(decided.facts.gain),
                              .gain = decided.facts.gain};
    struct next_steps steps = {.arena = arena};
    struct message_list notes = {0};
    enum status status = decide_reason(&decided, arena, &result.reason, diag);
    if (status == STATUS_OK)
        status = next_steps_add(&decided, &steps, diag);
    if (status == STATUS_OK)
        status = sensitivity_make(input, policy, arena, &result.sensitivity,
                                  &result.sensitivity_count, diag);
    if (status == STATUS_OK)
        status = notes_make(input->group, arena, &notes, diag);
    if (status == STATUS_OK)
        status = notes_predictions_add(steps.items, steps.count, arena, &notes, diag);
    if (status != STATUS_OK)
        return status;
    result.actions = steps.items;
    result.action_count = steps.count;
    result.notes = notes.items;
    result.note_count = notes.count;
    *decision = result;
    return STATUS_OK;
}
