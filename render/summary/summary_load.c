#include "summary_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "summary_document.h"
#include "summary_labels.h"
#include "text.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- Sources ---- */

static void read_source(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"path", SUMMARY_FIELDS_NAME, offsetof(struct summary_source, path)},
        {"sha256", SUMMARY_FIELDS_TEXT, offsetof(struct summary_source, sha256)},
        {"strategy", SUMMARY_FIELDS_LOOSE, offsetof(struct summary_source, strategy)},
        {"evidence_level", SUMMARY_FIELDS_LOOSE, offsetof(struct summary_source, evidence_level)},
        {"decision", SUMMARY_FIELDS_LOOSE, offsetof(struct summary_source, decision)},
        {"failure", SUMMARY_FIELDS_LOOSE, offsetof(struct summary_source, failure)},
        {"group", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_source, group)},
    };
    struct summary_source *source = element;
    summary_fields_read(fields, node, rows, COUNT(rows), source);
    source->warnings = summary_fields_texts(fields, node, "warnings");
    /* The reason of a failure that has one says more than the whole object. */
    uint32_t failure = json_read_member(fields->json.source.document, node, "failure");
    uint32_t reason = json_read_is(fields->json.source.document, failure, JSON_READ_OBJECT)
                          ? json_read_member(fields->json.source.document, failure, "reason")
                          : JSON_READ_NONE;
    if (json_read_is(fields->json.source.document, reason, JSON_READ_STRING))
        source->failure = summary_fields_text(fields, failure, "reason");
}

static void read_finding(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"line", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_finding, line)},
        {"column", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_finding, column)},
        {"pointer", SUMMARY_FIELDS_TEXT, offsetof(struct summary_finding, pointer)},
        {"severity", SUMMARY_FIELDS_TEXT, offsetof(struct summary_finding, severity)},
        {"rule", SUMMARY_FIELDS_TEXT, offsetof(struct summary_finding, rule)},
        {"message", SUMMARY_FIELDS_TEXT, offsetof(struct summary_finding, message)},
    };
    summary_fields_read(fields, node, rows, COUNT(rows), element);
}

static void read_rejected(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"path", SUMMARY_FIELDS_NAME, offsetof(struct summary_rejected, path)},
        {"sha256", SUMMARY_FIELDS_TEXT, offsetof(struct summary_rejected, sha256)},
    };
    struct summary_rejected *rejected = element;
    summary_fields_read(fields, node, rows, COUNT(rows), rejected);
    rejected->findings =
        summary_fields_array(fields, node, "errors", sizeof(struct summary_finding),
                             &rejected->finding_count, read_finding);
}

/* ---- Groups ---- */

static int compare_ranks(const void *a, const void *b, void *context)
{
    const struct summary_candidate *candidates = context;
    size_t left = *(const size_t *)a;
    size_t right = *(const size_t *)b;
    double left_rank = candidates[left].rank;
    double right_rank = candidates[right].rank;
    left_rank = isnan(left_rank) ? (double)INFINITY : left_rank;
    right_rank = isnan(right_rank) ? (double)INFINITY : right_rank;
    if (left_rank != right_rank)
        return left_rank < right_rank ? -1 : 1;
    return left < right ? -1 : left > right;
}

static void set_order(struct summary_fields *fields, struct summary_group *group,
                      struct summary_candidate *candidates)
{
    size_t *order = arena_take_array(fields->json.arena, group->candidate_count + 1, sizeof *order);
    if (order == NULL && fields->json.status == STATUS_OK)
        fields->json.status = diag_no_memory(fields->json.diag);
    if (fields->json.status != STATUS_OK)
        return;
    for (size_t i = 0; i < group->candidate_count; i++)
        order[i] = i;
    if (group->candidate_count > 1)
        qsort_r(order, group->candidate_count, sizeof *order, compare_ranks, candidates);
    group->order = order;
}

static const char *label_of(const struct summary_group *group, long candidate)
{
    bool known = candidate >= 0 && (size_t)candidate < group->candidate_count;
    return known ? group->candidates[candidate].label : NULL;
}

/* Which runs it is of. */
static void read_identity(struct summary_fields *fields, uint32_t node, struct summary_group *group)
{
    static const struct summary_fields_row rows[] = {
        {"label", SUMMARY_FIELDS_NAME, offsetof(struct summary_group, label)},
        {"evidence_level", SUMMARY_FIELDS_TEXT, offsetof(struct summary_group, evidence_level)},
        {"times_count", SUMMARY_FIELDS_BOOL, offsetof(struct summary_group, times_count)},
        {"world_size", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_group, world_size)},
    };
    static const struct summary_fields_row workload_rows[] = {
        {"model", SUMMARY_FIELDS_LOOSE, offsetof(struct summary_group, model)},
        {"dtype", SUMMARY_FIELDS_LOOSE, offsetof(struct summary_group, dtype)},
        {"global_batch", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_group, global_batch)},
        {"seq_len", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_group, seq_len)},
        {"parameters", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_group, parameters)},
    };
    static const struct summary_fields_row hardware_rows[] = {
        {"device", SUMMARY_FIELDS_LOOSE, offsetof(struct summary_group, device)},
        {"device_count", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_group, device_count)},
    };
    summary_fields_read(fields, node, rows, COUNT(rows), group);
    uint32_t workload = json_fields_member(&fields->json, node, "key", JSON_READ_OBJECT);
    summary_fields_read(fields, workload, workload_rows, COUNT(workload_rows), group);
    uint32_t hardware = json_fields_member(&fields->json, node, "hardware", JSON_READ_OBJECT);
    summary_fields_read(fields, hardware, hardware_rows, COUNT(hardware_rows), group);
}

static void read_group(struct summary_fields *fields, uint32_t node, void *element)
{
    struct summary_group *group = element;
    struct summary_load *load = (struct summary_load *)fields;
    read_identity(fields, node, group);
    struct summary_candidate *candidates =
        summary_fields_array(fields, node, "candidates", sizeof *candidates,
                             &group->candidate_count, summary_load_candidate);
    group->candidates = candidates;
    set_order(fields, group, candidates);
    load->candidate_count = group->candidate_count;
    load->candidates = group->candidates;
    uint32_t decision = json_fields_member(&fields->json, node, "decision", JSON_READ_OBJECT);
    if (decision == JSON_READ_NONE && fields->json.status == STATUS_OK)
        fields->json.status = json_read_refuse(&fields->json.source, node, fields->json.diag,
                                               "the group has no decision");
    group->decision = summary_load_decision(fields, decision);
    group->decision.label = label_of(group, group->decision.candidate);
    uint32_t comparability =
        json_fields_member(&fields->json, node, "comparability", JSON_READ_OBJECT);
    summary_load_conditions(fields, node, group);
    summary_labels_group(fields, node, group);
    group->warnings =
        summary_fields_messages(fields, comparability, "warnings", &group->warning_count);
}

/* ---- The whole ---- */

static void read_policy(struct summary_fields *fields, uint32_t root, struct summary_policy *policy)
{
    static const struct summary_fields_row rows[] = {
        {"memory_limit_mb", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_policy, memory_limit_mb)},
        {"min_throughput", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_policy, min_throughput)},
        {"max_communication_ratio", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_policy, max_communication_ratio)},
        {"max_memory_fraction", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_policy, max_memory_fraction)},
        {"tight_memory_fraction", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_policy, tight_memory_fraction)},
        {"min_gain", SUMMARY_FIELDS_NUMBER, offsetof(struct summary_policy, min_gain)},
        {"memory_kind", SUMMARY_FIELDS_TEXT, offsetof(struct summary_policy, memory_kind)},
        {"throughput_unit", SUMMARY_FIELDS_TEXT, offsetof(struct summary_policy, throughput_unit)},
        {"goal", SUMMARY_FIELDS_TEXT, offsetof(struct summary_policy, goal)},
        {"baseline", SUMMARY_FIELDS_TEXT, offsetof(struct summary_policy, baseline)},
        {"max_step_time_variation", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_policy, max_step_time_variation)},
        {"min_evidence_level", SUMMARY_FIELDS_TEXT,
         offsetof(struct summary_policy, min_evidence_level)},
        {"correctness", SUMMARY_FIELDS_TEXT, offsetof(struct summary_policy, correctness)},
        {"ties", SUMMARY_FIELDS_TEXT, offsetof(struct summary_policy, ties)},
        {"allow_failed_repeats", SUMMARY_FIELDS_BOOL,
         offsetof(struct summary_policy, allow_failed_repeats)},
    };
    uint32_t node = json_fields_member(&fields->json, root, "policy", JSON_READ_OBJECT);
    summary_fields_read(fields, node, rows, COUNT(rows), policy);
    policy->ranking = summary_fields_texts(fields, node, "ranking");
    policy->vary = summary_fields_texts(fields, node, "vary");
}

static void read_failure(struct summary_fields *fields, uint32_t root, struct summary *summary)
{
    uint32_t failure = json_read_member(fields->json.source.document, root, "failure");
    if (json_read_is(fields->json.source.document, failure, JSON_READ_STRING))
        summary->failure = summary_fields_text(fields, root, "failure");
    else
        summary->failure = summary_fields_text(
            fields, json_fields_member(&fields->json, root, "failure", JSON_READ_OBJECT), "reason");
}

static void read_summary(struct summary_load *load, struct summary *summary)
{
    struct summary_fields *fields = &load->fields;
    uint32_t program = json_fields_member(&fields->json, 0, "program", JSON_READ_OBJECT);
    summary->program_version = summary_fields_text(fields, program, "version");
    summary->weakest_source_level = summary_fields_text(fields, 0, "weakest_source_level");
    read_policy(fields, 0, &summary->policy);
    read_failure(fields, 0, summary);
    summary->sources = summary_fields_array(fields, 0, "sources", sizeof(struct summary_source),
                                            &summary->source_count, read_source);
    summary->rejected =
        summary_fields_array(fields, 0, "rejected_sources", sizeof(struct summary_rejected),
                             &summary->rejected_count, read_rejected);
    load->source_count = summary->source_count;
    summary->groups = summary_fields_array(fields, 0, "groups", sizeof(struct summary_group),
                                           &summary->group_count, read_group);
    /* The decision of the whole may be that of a group picked among several. */
    load->candidate_count = 0;
    load->candidates = summary->group_count == 1 ? summary->groups[0].candidates : NULL;
    for (size_t i = 0; i < summary->group_count; i++)
        if (summary->groups[i].candidate_count > load->candidate_count)
            load->candidate_count = summary->groups[i].candidate_count;
    summary->decision = summary_load_decision(
        fields, json_fields_member(&fields->json, 0, "decision", JSON_READ_OBJECT));
    if (summary->group_count == 1)
        summary->decision.label = label_of(&summary->groups[0], summary->decision.candidate);
}

static enum status check_members(const struct json_read_source *source, struct diag *diag)
{
    uint32_t node = JSON_READ_NONE;
    enum status status =
        json_read_get_node(source, 0, "groups", JSON_READ_ARRAY, JSON_READ_REQUIRED, &node, diag);
    if (status == STATUS_OK)
        status = json_read_get_node(source, 0, "decision", JSON_READ_OBJECT, JSON_READ_REQUIRED,
                                    &node, diag);
    return status;
}

enum status summary_load_in(const struct summary_document *given, const struct texts *texts,
                            struct summary *summary, struct diag *diag)
{
    struct json_read_document document = {0};
    struct summary loaded = {0};
    struct summary_load load = {
        .fields = {
            .json = {.source = {&document, given->path}, .arena = &loaded.arena, .diag = diag},
            .labels.texts = texts}};
    enum status status =
        summary_document_parse(given, SUMMARY_SCHEMA, "a summary", &document, diag);
    if (status == STATUS_OK)
        status = check_members(&load.fields.json.source, diag);
    if (status != STATUS_OK)
        goto cleanup;
    read_summary(&load, &loaded);
    status = load.fields.json.status;
    if (status == STATUS_OK) {
        *summary = loaded;
        loaded = (struct summary){0};
    }
cleanup:
    text_buffer_fini(&load.fields.buffer);
    summary_fini(&loaded);
    json_read_fini(&document);
    return status;
}

enum status summary_load(const char *path, const char *text, size_t size, struct summary *summary,
                         struct diag *diag)
{
    const struct summary_document document = {path, text, size};
    return summary_load_in(&document, NULL, summary, diag);
}

void summary_fini(struct summary *summary)
{
    if (summary == NULL)
        return;
    arena_fini(&summary->arena);
    *summary = (struct summary){0};
}
