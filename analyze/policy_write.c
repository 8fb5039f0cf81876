#include "policy.h"

static json_t *text_or_null(struct json_write *writer, const char *text)
{
    return text == NULL ? json_write_null(writer) : json_write_string(writer, text);
}

json_t *policy_write(struct json_write *writer, const struct policy *policy)
{
    json_t *object = json_write_object(writer);
    const char *kind =
        policy->memory_kind < 0 ? NULL : memory_kind_name((enum memory_kind)policy->memory_kind);
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        {"memory_limit_mb", policy->memory_limit_mb},
        {"min_throughput", policy->min_throughput},
        {"max_communication_ratio", policy->max_communication_ratio},
        {"max_memory_fraction", policy->max_memory_fraction},
        {"tight_memory_fraction", policy->tight_memory_fraction},
        {"min_gain", policy->min_gain},
        {"max_step_time_variation", policy->max_step_time_variation},
    };
    const struct {
        const char *key, *value;
    } texts[] = {
        {"schema", "rankledger.policy/1"},
        {"memory_kind", kind},
        {"throughput_unit", throughput_unit_name(policy->throughput_unit)},
        {"goal", policy_goal_name(policy->goal)},
        {"baseline", training_state_row(policy->baseline)->name},
        {"ties", policy->statistical_ties ? "statistical" : "strict"},
        {"min_evidence_level", policy->min_evidence_level},
        {"correctness", policy_correctness_name(policy->correctness)},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        json_write_set(writer, object, numbers[i].key,
                       json_write_real_or_null(writer, numbers[i].value));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        json_write_set(writer, object, texts[i].key, text_or_null(writer, texts[i].value));
    json_write_set(writer, object, "allow_failed_repeats",
                   json_write_bool(writer, policy->allow_failed_repeats));
    json_t *ranking = json_write_array(writer);
    for (size_t i = 0; i < policy->ranking_count; i++)
        json_write_append(writer, ranking,
                          json_write_string(writer, policy_key_name(policy->ranking[i])));
    json_write_set(writer, object, "ranking", ranking);
    json_t *vary = json_write_array(writer);
    for (size_t i = 0; i < policy->vary_count; i++)
        json_write_append(writer, vary, json_write_string(writer, policy->vary[i]));
    json_write_set(writer, object, "vary", vary);
    return object;
}
