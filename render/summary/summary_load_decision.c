#include "summary_load.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void read_action(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"gate", SUMMARY_FIELDS_TEXT, offsetof(struct summary_action, gate)},
        {"kind", SUMMARY_FIELDS_TEXT, offsetof(struct summary_action, kind)},
        {"command", SUMMARY_FIELDS_TEXT, offsetof(struct summary_action, command)},
        {"status", SUMMARY_FIELDS_TEXT, offsetof(struct summary_action, status)},
        {"predicted_peak_mb", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_action, predicted_peak_mb)},
        {"changes_global_batch", SUMMARY_FIELDS_BOOL,
         offsetof(struct summary_action, changes_global_batch)},
    };
    struct summary_action *action = element;
    summary_fields_read(fields, node, rows, COUNT(rows), action);
    action->message = summary_fields_message(fields, node);
    action->missing = summary_fields_texts(fields, node, "missing");
}

/* A candidate's value of what a limit limits, NAN: not measured. */
static double limited_value(const struct summary_candidate *candidate, const char *limit)
{
    if (strcmp(limit, "memory_limit_mb") == 0)
        return candidate->peak_memory_mb;
    if (strcmp(limit, "min_throughput") == 0)
        return candidate->throughput;
    if (strcmp(limit, "max_communication_ratio") == 0)
        return candidate->communication_ratio;
    for (size_t i = 0; i < candidate->gate_count; i++)
        if (strcmp(limit, "max_memory_fraction") == 0 &&
            strcmp(candidate->gates[i].name, "memory") == 0)
            return candidate->peak_memory_mb / candidate->gates[i].limit;
    return (double)NAN;
}

static double find_beyond(const struct summary_load *load, const struct summary_change *change)
{
    bool up = change->direction != NULL && strcmp(change->direction, "up") == 0;
    double found = up ? (double)INFINITY : -(double)INFINITY;
    for (size_t i = 0; load->candidates != NULL && load->limit != NULL && i < load->candidate_count;
         i++) {
        double value = limited_value(&load->candidates[i], load->limit);
        if (up && value > change->value)
            found = fmin(found, value);
        else if (!up && value < change->value)
            found = fmax(found, value);
    }
    return found;
}

static void read_change(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"direction", SUMMARY_FIELDS_NAME, offsetof(struct summary_change, direction)},
        {"comparison", SUMMARY_FIELDS_NAME, offsetof(struct summary_change, comparison)},
        {"strategy", SUMMARY_FIELDS_TEXT, offsetof(struct summary_change, strategy)},
        {"decision", SUMMARY_FIELDS_TEXT, offsetof(struct summary_change, decision)},
        {"value", SUMMARY_FIELDS_NUMBER, offsetof(struct summary_change, value)},
    };
    const struct summary_load *load = (const struct summary_load *)fields;
    struct summary_change *change = element;
    summary_fields_read(fields, node, rows, COUNT(rows), change);
    long candidate = json_fields_index(&fields->json, node, "candidate", load->candidate_count);
    if (candidate >= 0 && load->candidates != NULL)
        change->label = load->candidates[candidate].label;
    change->beyond = find_beyond(load, change);
}

static void read_sensitivity(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"limit", SUMMARY_FIELDS_NAME, offsetof(struct summary_sensitivity, limit)},
        {"unit", SUMMARY_FIELDS_TEXT, offsetof(struct summary_sensitivity, unit)},
        {"current", SUMMARY_FIELDS_NUMBER, offsetof(struct summary_sensitivity, current)},
    };
    struct summary_sensitivity *sensitivity = element;
    struct summary_load *load = (struct summary_load *)fields;
    summary_fields_read(fields, node, rows, COUNT(rows), sensitivity);
    load->limit = sensitivity->limit;
    sensitivity->changes =
        summary_fields_array(fields, node, "changes", sizeof(struct summary_change),
                             &sensitivity->change_count, read_change);
}

static void read_gain(struct summary_fields *fields, uint32_t node,
                      struct summary_decision *decision)
{
    static const struct summary_fields_row rows[] = {
        {"value", SUMMARY_FIELDS_NUMBER, offsetof(struct summary_decision, gain)},
        {"minimum", SUMMARY_FIELDS_NUMBER, offsetof(struct summary_decision, min_gain)},
        {"applicable", SUMMARY_FIELDS_BOOL, offsetof(struct summary_decision, gain_applicable)},
        {"goal", SUMMARY_FIELDS_TEXT, offsetof(struct summary_decision, goal)},
    };
    uint32_t gain = json_fields_member(&fields->json, node, "gain", JSON_READ_OBJECT);
    summary_fields_read(fields, gain, rows, COUNT(rows), decision);
    uint32_t baseline = json_fields_member(&fields->json, node, "baseline", JSON_READ_OBJECT);
    const struct summary_load *load = (const struct summary_load *)fields;
    decision->baseline = summary_fields_text(fields, baseline, "strategy");
    decision->baseline_candidate =
        json_fields_index(&fields->json, baseline, "candidate", load->candidate_count);
}

/* The member that must be there: a group without a decision is no group of a summary. */
struct summary_decision summary_load_decision(struct summary_fields *fields, uint32_t node)
{
    static const struct summary_fields_row rows[] = {
        {"decision", SUMMARY_FIELDS_NAME, offsetof(struct summary_decision, decision)},
        {"rule", SUMMARY_FIELDS_TEXT, offsetof(struct summary_decision, rule)},
        {"strategy", SUMMARY_FIELDS_TEXT, offsetof(struct summary_decision, strategy)},
    };
    static const char *const decisions[] = {"accept", "tune", "reject", NULL};
    const struct summary_load *load = (const struct summary_load *)fields;
    struct summary_decision decision = {.candidate = -1, .baseline_candidate = -1};
    summary_fields_read(fields, node, rows, COUNT(rows), &decision);
    summary_fields_check_word(fields, node, "decision", decision.decision, decisions);
    decision.reason.id = summary_fields_text(fields, node, "reason_id");
    decision.reason.text = summary_fields_text(fields, node, "reason");
    decision.reason.values =
        summary_fields_values(fields, node, "reason_values", &decision.reason.value_count);
    decision.candidate = json_fields_index(&fields->json, node, "candidate", load->candidate_count);
    read_gain(fields, node, &decision);
    decision.actions =
        summary_fields_array(fields, node, "next_actions", sizeof(struct summary_action),
                             &decision.action_count, read_action);
    decision.sensitivity =
        summary_fields_array(fields, node, "sensitivity", sizeof(struct summary_sensitivity),
                             &decision.sensitivity_count, read_sensitivity);
    decision.notes = summary_fields_messages(fields, node, "notes", &decision.note_count);
    return decision;
}
