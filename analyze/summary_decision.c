#include <math.h>

#include "summary_parts.h"

static json_t *value_of(struct summary_parts *parts, const struct sentence_value *value)
{
    if (value->text != NULL)
        return json_write_string(&parts->writer, value->text);
    return summary_parts_number(parts, value->number);
}

static json_t *values_of(struct summary_parts *parts, const struct message *message)
{
    json_t *values = json_write_object(&parts->writer);
    for (size_t i = 0; i < message->value_count; i++)
        json_write_set(&parts->writer, values, message->values[i].name,
                       value_of(parts, &message->values[i]));
    return values;
}

static void put_message(struct summary_parts *parts, json_t *object, const struct message *message)
{
    summary_parts_put_text(parts, object, "id", message->id);
    summary_parts_put_text(parts, object, "text", message->text);
    json_write_set(&parts->writer, object, "values", values_of(parts, message));
}

json_t *summary_parts_message(struct summary_parts *parts, const struct message *message)
{
    json_t *object = json_write_object(&parts->writer);
    put_message(parts, object, message);
    return object;
}

json_t *summary_parts_messages(struct summary_parts *parts, const struct message *messages,
                               size_t count)
{
    json_t *array = json_write_array(&parts->writer);
    for (size_t i = 0; i < count; i++)
        json_write_append(&parts->writer, array, summary_parts_message(parts, &messages[i]));
    return array;
}

static json_t *index_or_null(struct summary_parts *parts, long index)
{
    if (index < 0)
        return json_write_null(&parts->writer);
    return json_write_integer(&parts->writer, index);
}

static json_t *strategy_or_null(struct summary_parts *parts, const struct group *group, long index)
{
    if (index < 0 || group == NULL)
        return json_write_null(&parts->writer);
    return json_write_string(&parts->writer,
                             training_state_row(group->candidates[index].strategy)->name);
}

/* Statistical ties: the fastest and those tied with it, in order; empty under strict ones. */
static json_t *tied_of(struct summary_parts *parts, const struct selection *selection)
{
    json_t *array = json_write_array(&parts->writer);
    for (size_t i = 0; i < selection->tied_count; i++)
        json_write_append(&parts->writer, array,
                          json_write_integer(&parts->writer, (int64_t)selection->tied[i]));
    return array;
}

json_t *summary_parts_selection(struct summary_parts *parts, const struct group *group,
                                const struct selection *selection)
{
    struct json_write *writer = &parts->writer;
    json_t *object = json_write_object(writer);
    json_t *order = json_write_array(writer);
    for (size_t i = 0; i < selection->order_count; i++)
        json_write_append(writer, order, json_write_integer(writer, (int64_t)selection->order[i]));
    summary_parts_put_text(parts, object, "decision",
                           summary_parts_verdict_name(selection->verdict));
    json_write_set(writer, object, "strategy",
                   strategy_or_null(parts, group, selection->candidate));
    summary_parts_put_text(parts, object, "reason", selection->reason);
    json_write_set(writer, object, "candidate", index_or_null(parts, selection->candidate));
    json_write_set(writer, object, "order", order);
    json_write_set(writer, object, "fastest", index_or_null(parts, selection->fastest));
    json_write_set(writer, object, "tied", tied_of(parts, selection));
    json_write_set(writer, object, "ties",
                   summary_parts_messages(parts, selection->ties, selection->tie_count));
    return object;
}

static json_t *texts(struct summary_parts *parts, const char *const *items, size_t count)
{
    json_t *array = json_write_array(&parts->writer);
    for (size_t i = 0; i < count; i++)
        json_write_append(&parts->writer, array, json_write_string(&parts->writer, items[i]));
    return array;
}

static json_t *action_of(struct summary_parts *parts, const struct action *action)
{
    struct json_write *writer = &parts->writer;
    json_t *object = json_write_object(writer);
    put_message(parts, object, &action->message);
    summary_parts_put_text(parts, object, "gate", action->gate);
    summary_parts_put_text(parts, object, "kind", action->kind);
    json_write_set(writer, object, "strategy",
                   json_write_string(writer, action->strategy < STRATEGY_COUNT
                                                 ? training_state_row(action->strategy)->name
                                                 : NULL));
    json_write_set(writer, object, "world_size", summary_parts_number(parts, action->world_size));
    json_write_set(writer, object, "micro_batch", summary_parts_number(parts, action->micro_batch));
    json_write_set(writer, object, "gradient_accumulation",
                   summary_parts_number(parts, action->gradient_accumulation));
    json_write_set(writer, object, "activation_checkpointing",
                   action->activation_checkpointing < 0
                       ? json_write_null(writer)
                       : json_write_bool(writer, action->activation_checkpointing == 1));
    json_write_set(writer, object, "command", json_write_string(writer, action->command));
    json_write_set(writer, object, "predicted_peak_mb",
                   summary_parts_number(parts, action->predicted_peak_mb));
    json_write_set(writer, object, "prediction", json_write_string(writer, action->basis));
    summary_parts_put_text(parts, object, "status",
                           action->verified ? "predicted_pass" : "unverified");
    json_write_set(writer, object, "missing", texts(parts, action->missing, action->missing_count));
    json_write_set(writer, object, "changes_global_batch",
                   json_write_bool(writer, action->changes_global_batch));
    return object;
}

static json_t *change_of(struct summary_parts *parts, const struct sensitivity_change *change)
{
    json_t *object = json_write_object(&parts->writer);
    summary_parts_put_text(parts, object, "direction", change->direction);
    summary_parts_put_text(parts, object, "comparison", change->comparison);
    json_write_set(&parts->writer, object, "value",
                   json_write_real_or_null(&parts->writer, change->value));
    json_write_set(&parts->writer, object, "strategy",
                   json_write_string(&parts->writer, change->strategy));
    json_write_set(&parts->writer, object, "candidate", index_or_null(parts, change->candidate));
    summary_parts_put_text(parts, object, "decision", summary_parts_verdict_name(change->verdict));
    summary_parts_put_text(parts, object, "rule", change->rule);
    return object;
}

static json_t *sensitivity_of(struct summary_parts *parts, const struct sensitivity *sensitivity)
{
    struct json_write *writer = &parts->writer;
    json_t *object = json_write_object(writer);
    json_t *changes = json_write_array(writer);
    for (size_t i = 0; i < sensitivity->change_count; i++)
        json_write_append(writer, changes, change_of(parts, &sensitivity->changes[i]));
    summary_parts_put_text(parts, object, "limit", sensitivity->limit);
    summary_parts_put_text(parts, object, "unit", sensitivity->unit);
    json_write_set(writer, object, "current", summary_parts_number(parts, sensitivity->current));
    json_write_set(writer, object, "changes", changes);
    return object;
}

static json_t *baseline_of(struct summary_parts *parts, const struct group *group,
                           const struct decision *decision)
{
    struct json_write *writer = &parts->writer;
    enum strategy strategy = parts->analysis->options.policy.baseline;
    json_t *object = json_write_object(writer);
    bool known = group != NULL && decision->baseline >= 0;
    summary_parts_put_text(parts, object, "strategy", training_state_row(strategy)->name);
    json_write_set(writer, object, "candidate",
                   index_or_null(parts, known ? decision->baseline : -1));
    json_write_set(writer, object, "eligible",
                   known ? json_write_bool(writer, group->candidates[decision->baseline].eligible)
                         : json_write_null(writer));
    return object;
}

static json_t *gain_of(struct summary_parts *parts, const struct decision *decision)
{
    struct json_write *writer = &parts->writer;
    const struct policy *policy = &parts->analysis->options.policy;
    json_t *object = json_write_object(writer);
    summary_parts_put_text(parts, object, "goal", policy_goal_name(policy->goal));
    json_write_set(writer, object, "value",
                   decision->gain_applicable ? summary_parts_number(parts, decision->gain)
                                             : json_write_null(writer));
    json_write_set(writer, object, "applicable",
                   json_write_bool(writer, decision->gain_applicable));
    json_write_set(writer, object, "minimum", summary_parts_number(parts, policy->min_gain));
    return object;
}

json_t *summary_parts_decision(struct summary_parts *parts, const struct group *group,
                               const struct decision *decision)
{
    struct json_write *writer = &parts->writer;
    json_t *object = json_write_object(writer);
    json_t *actions = json_write_array(writer);
    json_t *sensitivity = json_write_array(writer);
    for (size_t i = 0; i < decision->action_count; i++)
        json_write_append(writer, actions, action_of(parts, &decision->actions[i]));
    for (size_t i = 0; i < decision->sensitivity_count; i++)
        json_write_append(writer, sensitivity, sensitivity_of(parts, &decision->sensitivity[i]));
    summary_parts_put_text(parts, object, "decision",
                           summary_parts_verdict_name(decision->verdict));
    summary_parts_put_text(parts, object, "rule", decision->rule);
    summary_parts_put_text(parts, object, "reason", decision->reason.text);
    summary_parts_put_text(parts, object, "reason_id", decision->reason.id);
    json_write_set(writer, object, "reason_values", values_of(parts, &decision->reason));
    json_write_set(writer, object, "strategy", strategy_or_null(parts, group, decision->candidate));
    json_write_set(writer, object, "candidate",
                   index_or_null(parts, group == NULL ? -1 : decision->candidate));
    json_write_set(writer, object, "baseline", baseline_of(parts, group, decision));
    json_write_set(writer, object, "gain", gain_of(parts, decision));
    json_write_set(writer, object, "next_actions", actions);
    json_write_set(writer, object, "sensitivity", sensitivity);
    json_write_set(writer, object, "notes",
                   summary_parts_messages(parts, decision->notes, decision->note_count));
    return object;
}
