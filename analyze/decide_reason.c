#include "decide_reason.h"

#include <math.h>
#include <string.h>

#include "gates.h"
#include "message_table.h"

/* The smallest margin among failed gates in percent; a gate without a number is the farthest. */
static double worst_margin(const struct candidate *candidate)
{
    double worst = INFINITY;
    for (size_t i = 0; i < candidate->gate_count; i++) {
        const struct gate_result *gate = &candidate->gates[i];
        if (gate->failed && isnan(gate->margin_percent))
            return -INFINITY;
        if (gate->failed && gate->margin_percent < worst)
            worst = gate->margin_percent;
    }
    return worst;
}

static size_t failures(const struct candidate *candidate)
{
    size_t count = 0;
    for (size_t i = 0; i < candidate->gate_count; i++)
        count += candidate->gates[i].failed;
    return count;
}

long decide_closest(const struct decide_input *input)
{
    const struct candidate *candidates = input->group->candidates;
    long closest = -1;
    for (size_t i = 0; i < input->group->candidate_count; i++) {
        size_t index = input->order[i];
        if (closest >= 0) {
            size_t own = failures(&candidates[index]);
            size_t best = failures(&candidates[closest]);
            if (own > best || (own == best && worst_margin(&candidates[index]) <=
                                                  worst_margin(&candidates[closest])))
                continue;
        }
        closest = (long)index;
    }
    return closest;
}

/* True if another strategy than the baseline passes every gate. */
static bool others_pass(const struct decide_case *decided)
{
    const struct group *group = decided->input->group;
    for (size_t i = 0; i < group->candidate_count; i++)
        if (group->candidates[i].eligible &&
            group->candidates[i].strategy != decided->policy->baseline)
            return true;
    return false;
}

/* Which of a rule's sentences fits. */
static const char *reason_id(const struct decide_case *decided)
{
    const struct decide_input *input = decided->input;
    const struct decide_facts *facts = &decided->facts;
    const struct decide_rule *rule = decided->rule;
    bool memory = decided->policy->goal == POLICY_GOAL_MEMORY;
    if (strcmp(rule->name, "incomplete") == 0)
        return input->set->rejected_count > 0 ? "reason.incomplete_rejected"
                                              : "reason.incomplete_summary";
    if (strcmp(rule->name, "evidence_level") == 0)
        return facts->selected >= 0 ? "reason.evidence_level" : "reason.evidence_level_none";
    if (strcmp(rule->name, "not_comparable") == 0)
        return "reason.world_size_absent";
    if (strcmp(rule->name, "memory_fraction") == 0)
        return facts->below_fraction >= 0 ? "reason.memory_fraction"
                                          : "reason.memory_fraction_none";
    if (strcmp(rule->name, "no_baseline") == 0)
        return facts->baseline < 0         ? "reason.no_baseline"
               : !facts->baseline_eligible ? "reason.baseline_fails"
                                           : "reason.gain_unknown";
    if (strcmp(rule->name, "gain") == 0 && rule->verdict == VERDICT_ACCEPT)
        return memory ? "reason.gain_memory" : "reason.gain_throughput";
    if (strcmp(rule->name, "gain") == 0)
        return memory ? "reason.no_gain_memory" : "reason.no_gain_throughput";
    if (strcmp(rule->name, "baseline") == 0 && !others_pass(decided))
        return "reason.baseline_alone";
    return NULL; /* "reason." and the rule's name */
}

/* The candidate that the sentence is about. */
static const struct candidate *subject_of(const struct decide_input *input,
                                          const struct decide_facts *facts)
{
    long index = facts->selected >= 0 ? facts->selected : decide_closest(input);
    if (facts->failed_count == facts->candidate_count && facts->candidate_count > 0)
        index = (long)input->order[0];
    if (facts->world_size_absent >= 0)
        index = facts->world_size_absent;
    return index >= 0 ? &input->group->candidates[index] : NULL;
}

static const char *path_of(const struct decide_input *input, const struct candidate *subject)
{
    if (input->set != NULL && input->set->rejected_count > 0)
        return input->set->rejected[0].path;
    return subject != NULL && subject->record_count > 0 ? subject->records[0]->path : "";
}

static const char *failure_of(const struct decide_input *input, const struct candidate *subject)
{
    if (subject != NULL && subject->failure.failed && subject->failure.reason != NULL)
        return subject->failure.reason;
    return input->set != NULL && input->set->incomplete != NULL ? input->set->incomplete : "";
}

enum status decide_reason(const struct decide_case *decided, struct arena *arena,
                          struct message *message, struct diag *diag)
{
    const struct decide_input *input = decided->input;
    const struct decide_facts *facts = &decided->facts;
    const struct policy *policy = decided->policy;
    const struct candidate *candidates = input->group->candidates;
    const struct candidate *subject = subject_of(input, facts);
    const struct candidate *baseline = facts->baseline >= 0 ? &candidates[facts->baseline] : NULL;
    const struct candidate *alternative =
        facts->below_fraction >= 0 ? &candidates[facts->below_fraction] : NULL;
    const char *id = reason_id(decided);
    if (id == NULL)
        id = arena_printf(arena, "reason.%s", decided->rule->name);
    const struct candidate *failing = facts->selected >= 0 ? baseline : subject;
    const char *gates = failing != NULL ? gates_failures(failing, arena) : "";
    if (id == NULL || gates == NULL)
        return diag_no_memory(diag);
    bool incomplete_summary = strcmp(id, "reason.incomplete_summary") == 0;
    const struct sentence_value values[] = {
        MESSAGE_TEXT("strategy", subject != NULL ? subject->label : ""),
        MESSAGE_TEXT("baseline", baseline != NULL ? baseline->label
                                                  : training_state_row(policy->baseline)->name),
        MESSAGE_TEXT("alternative", alternative != NULL ? alternative->label : ""),
        MESSAGE_TEXT("gates", gates),
        MESSAGE_TEXT("level", input->group->level_name != NULL ? input->group->level_name : ""),
        MESSAGE_TEXT("path", path_of(input, subject)),
        MESSAGE_TEXT("failure", failure_of(input, incomplete_summary ? NULL : subject)),
        MESSAGE_NUMBER("rejected_count",
                       input->set != NULL ? (double)input->set->rejected_count : 0),
        MESSAGE_NUMBER("gain", facts->gain),
        MESSAGE_NUMBER("min_gain", facts->min_gain),
        MESSAGE_NUMBER("fraction", policy->max_memory_fraction),
        MESSAGE_NUMBER("share", subject != NULL ? subject->peak_mb / policy->memory_limit_mb : NAN),
    };
    return message_table_make(arena, id, values, sizeof values / sizeof values[0], message, diag);
}
