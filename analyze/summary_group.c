#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparability.h"
#include "summary_parts.h"

json_t *summary_parts_hardware(struct summary_parts *parts, const struct hardware *hardware)
{
    struct json_write *writer = &parts->writer;
    json_t *object = json_write_object(writer);
    json_write_set(writer, object, "device", json_write_string(writer, hardware->device));
    json_write_set(writer, object, "device_count",
                   summary_parts_number(parts, hardware->device_count));
    return object;
}

/* A comparability value as JSON: a number or a flag where the field holds one. */
static json_t *key_value(struct summary_parts *parts, enum comparability_field field,
                         const char *text)
{
    struct json_write *writer = &parts->writer;
    switch (field) {
    case COMPARABILITY_MODEL:
    case COMPARABILITY_DTYPE:
    case COMPARABILITY_OPTIMIZER:
    case COMPARABILITY_THROUGHPUT_UNIT:
    case COMPARABILITY_DEVICE:
        return json_write_string(writer, text);
    case COMPARABILITY_ACTIVATION_CHECKPOINTING:
    case COMPARABILITY_TIMES_COUNT:
        return json_write_bool(writer, strcmp(text, "true") == 0);
    default:
        return summary_parts_number(parts, strtod(text, NULL)); /* our own digits, C locale */
    }
}

json_t *summary_parts_key(struct summary_parts *parts, const char *const *texts)
{
    struct json_write *writer = &parts->writer;
    json_t *object = json_write_object(writer);
    for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++)
        json_write_set(writer, object, comparability_name((enum comparability_field)field),
                       texts[field] == NULL
                           ? json_write_null(writer)
                           : key_value(parts, (enum comparability_field)field, texts[field]));
    return object;
}

static json_t *key_of(struct summary_parts *parts, const struct group *group)
{
    const char *texts[COMPARABILITY_FIELD_COUNT];
    for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++) {
        if (!comparability_text(group->first, (enum comparability_field)field, parts->arena,
                                &texts[field])) {
            parts->status = diag_no_memory(parts->diag);
            return json_write_object(&parts->writer);
        }
    }
    return summary_parts_key(parts, texts);
}

json_t *summary_parts_varied(struct summary_parts *parts, const struct group *group, size_t index)
{
    struct json_write *writer = &parts->writer;
    json_t *array = json_write_array(writer);
    for (int i = 0; group->varied != NULL && i < COMPARABILITY_FIELD_COUNT; i++) {
        enum comparability_field field = (enum comparability_field)i;
        const char *text = NULL;
        if (!group->varied[i])
            continue;
        if (!comparability_text(group->candidates[index].records[0], field, parts->arena, &text)) {
            parts->status = diag_no_memory(parts->diag);
            break;
        }
        json_t *object = json_write_object(writer);
        summary_parts_put_text(parts, object, "name", comparability_name(field));
        json_write_set(writer, object, "value",
                       text == NULL ? json_write_null(writer) : key_value(parts, field, text));
        json_write_append(writer, array, object);
    }
    return array;
}

static json_t *difference_of(struct summary_parts *parts)
{
    const struct group_difference *difference = &parts->analysis->groups.difference;
    struct json_write *writer = &parts->writer;
    if (parts->analysis->groups.count < 2 || difference->field == NULL)
        return json_write_null(writer);
    json_t *object = json_write_object(writer);
    json_t *values = json_write_array(writer);
    json_t *paths = json_write_array(writer);
    json_write_append(writer, values, json_write_string(writer, difference->value_a));
    json_write_append(writer, values, json_write_string(writer, difference->value_b));
    json_write_append(writer, paths, json_write_string(writer, difference->path_a));
    json_write_append(writer, paths, json_write_string(writer, difference->path_b));
    summary_parts_put_text(parts, object, "field", difference->field);
    json_write_set(writer, object, "values", values);
    json_write_set(writer, object, "paths", paths);
    return object;
}

/* A run that does not state its world size stands alone and cannot be compared with any other. */
static bool may_be_compared(const struct group *group)
{
    const struct candidate *first = &group->candidates[0];
    return group->candidate_count > 1 || first->failure.failed ||
           !isnan(first->workload.world_size);
}

/* Of the records of a group, which may be compared; of the whole (NULL), which may not. */
json_t *summary_parts_comparability(struct summary_parts *parts, const struct group *group)
{
    struct json_write *writer = &parts->writer;
    json_t *object = json_write_object(writer);
    bool comparable = group == NULL ? parts->analysis->groups.count == 0 : may_be_compared(group);
    json_write_set(writer, object, "comparable", json_write_bool(writer, comparable));
    json_write_set(writer, object, "first_difference", difference_of(parts));
    json_write_set(writer, object, "warnings",
                   summary_parts_messages(parts, group == NULL ? NULL : group->warnings,
                                          group == NULL ? 0 : group->warning_count));
    return object;
}

static json_t *label_fields_of(struct summary_parts *parts, const struct group *group)
{
    json_t *array = json_write_array(&parts->writer);
    for (size_t i = 0; i < group->label_field_count; i++)
        json_write_append(&parts->writer, array,
                          json_write_string(&parts->writer, group->label_fields[i]));
    return array;
}

json_t *summary_parts_group(struct summary_parts *parts, size_t index)
{
    const struct group *group = &parts->analysis->groups.items[index];
    const struct group_outcome *outcome = &parts->analysis->outcomes[index];
    struct json_write *writer = &parts->writer;
    json_t *object = json_write_object(writer);
    json_t *candidates = json_write_array(writer);
    for (size_t i = 0; i < group->candidate_count; i++)
        json_write_append(writer, candidates, summary_parts_candidate(parts, group, i));
    json_write_set(writer, object, "index", json_write_integer(writer, (int64_t)index));
    summary_parts_put_text(parts, object, "label", group->label);
    json_write_set(writer, object, "label_fields", label_fields_of(parts, group));
    json_write_set(writer, object, "label_path", json_write_string(writer, group->label_path));
    json_write_set(writer, object, "key", key_of(parts, group));
    json_write_set(writer, object, "conditions", summary_parts_conditions(parts, group));
    json_write_set(writer, object, "workload",
                   summary_parts_workload(parts, &group->first->workload));
    json_write_set(writer, object, "hardware",
                   summary_parts_hardware(parts, &group->first->hardware));
    json_write_set(writer, object, "times_count", json_write_bool(writer, group->times_count));
    summary_parts_put_text(parts, object, "evidence_level", group->level_name);
    json_write_set(writer, object, "world_size",
                   summary_parts_number(parts, group->first->workload.world_size));
    json_write_set(writer, object, "candidates", candidates);
    json_write_set(writer, object, "selection",
                   summary_parts_selection(parts, group, &outcome->selection));
    json_write_set(writer, object, "decision",
                   summary_parts_decision(parts, group, &outcome->decision));
    json_write_set(writer, object, "comparability", summary_parts_comparability(parts, group));
    return object;
}
