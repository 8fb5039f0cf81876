#include <math.h>
#include <string.h>

#include "summary_parts.h"

#define ROLE "training_state_parallel"

json_t *summary_parts_number(struct summary_parts *parts, double value)
{
    return json_write_real_or_null(&parts->writer, isfinite(value) ? value : NAN);
}

void summary_parts_put_number(struct summary_parts *parts, json_t *object, const char *key,
                              double value)
{
    if (isfinite(value))
        json_write_set(&parts->writer, object, key, summary_parts_number(parts, value));
}

void summary_parts_put_text(struct summary_parts *parts, json_t *object, const char *key,
                            const char *value)
{
    if (value != NULL)
        json_write_set(&parts->writer, object, key, json_write_string(&parts->writer, value));
}

const char *summary_parts_verdict_name(enum verdict verdict)
{
    static const char *const names[] = {
        [VERDICT_ACCEPT] = "accept", [VERDICT_TUNE] = "tune", [VERDICT_REJECT] = "reject"};
    return names[verdict];
}

static const struct group *picked_group(const struct analysis *analysis)
{
    return analysis->picked < 0 ? NULL : &analysis->groups.items[analysis->picked];
}

static const struct candidate *selected(const struct analysis *analysis)
{
    const struct group *group = picked_group(analysis);
    if (group == NULL || analysis->selection.candidate < 0)
        return NULL;
    return &group->candidates[analysis->selection.candidate];
}

static json_t *counts(struct summary_parts *parts)
{
    const struct analysis *analysis = parts->analysis;
    struct json_write *writer = &parts->writer;
    size_t candidates = 0;
    size_t eligible = 0;
    for (size_t i = 0; i < analysis->groups.count; i++) {
        candidates += analysis->groups.items[i].candidate_count;
        eligible += analysis->outcomes[i].selection.order_count;
    }
    json_t *object = json_write_object(writer);
    const struct {
        const char *key;
        size_t count;
    } rows[] = {{"source_count", analysis->set.record_count},
                {"rejected_source_count", analysis->set.rejected_count},
                {"candidate_count", candidates},
                {"eligible_count", eligible}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        json_write_set(writer, object, rows[i].key,
                       json_write_integer(writer, (int64_t)rows[i].count));
    return object;
}

static bool is_all_null(json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) if (!json_is_null(value)) return false;
    return true;
}

/* What was measured of the selected candidate. Where that is nothing, or none is selected, the
 * counts: a document whose metrics are empty is not sound (evidence contract). */
static json_t *metrics_of(struct summary_parts *parts, const struct candidate *winner)
{
    if (winner == NULL)
        return counts(parts);
    json_t *metrics = summary_parts_metrics(parts, winner);
    if (metrics == NULL || !is_all_null(metrics))
        return metrics;
    json_decref(metrics);
    return counts(parts);
}

json_t *summary_parts_program(struct summary_parts *parts)
{
    json_t *object = json_write_object(&parts->writer);
    summary_parts_put_text(parts, object, "name", "rankledger");
    summary_parts_put_text(parts, object, "version", RANKLEDGER_VERSION);
    return object;
}

json_t *summary_parts_options(struct summary_parts *parts)
{
    struct json_write *writer = &parts->writer;
    const struct analysis_options *given = &parts->analysis->options;
    json_t *object = json_write_object(writer);
    json_t *filters = json_write_array(writer);
    for (size_t i = 0; i < given->filter_count; i++) {
        json_t *filter = json_write_object(writer);
        summary_parts_put_text(parts, filter, "key", given->filters[i].key);
        summary_parts_put_text(parts, filter, "value", given->filters[i].value);
        json_write_append(writer, filters, filter);
    }
    json_write_set(writer, object, "allow_invalid", json_write_bool(writer, given->allow_invalid));
    json_write_set(writer, object, "group", filters);
    if (given->listed)
        summary_parts_put_text(parts, object, "records", ANALYSIS_LISTED);
    return object;
}

/* The level of the weakest source; NULL without sources. */
static const char *weakest_level(const struct analysis *analysis)
{
    const char *weakest = NULL;
    int rank = 0;
    for (size_t i = 0; i < analysis->set.record_count; i++) {
        const struct record *record = &analysis->set.records[i];
        int own = evidence_level_rank(record->level);
        if (weakest != NULL && own >= rank)
            continue;
        weakest = record->level_name;
        rank = own;
    }
    return weakest;
}

/* Set where the decision rests on less than was asked for: evidence is missing or every run failed.
 */
static json_t *failure(struct summary_parts *parts)
{
    const struct analysis *analysis = parts->analysis;
    bool missing = analysis->set.incomplete != NULL || analysis->set.rejected_count > 0;
    bool left_out = missing && !analysis->options.allow_invalid;
    const char *rule = analysis->decision.rule;
    const char *reason = NULL;
    if (strcmp(rule, "no_evidence") == 0 || strcmp(rule, "all_failed") == 0 ||
        strcmp(rule, "incomplete") == 0)
        reason = analysis->decision.reason.text;
    else if (left_out)
        reason = "evidence is incomplete: see rejected_sources";
    if (reason == NULL)
        return json_write_null(&parts->writer);
    json_t *object = json_write_object(&parts->writer);
    summary_parts_put_text(parts, object, "reason", reason);
    return object;
}

/* The fields of the evidence contract, and what stands for them in a summary. */
static void put_contract(struct summary_parts *parts, json_t *root)
{
    const struct analysis *analysis = parts->analysis;
    struct json_write *writer = &parts->writer;
    const struct group *group = picked_group(analysis);
    const struct candidate *winner = selected(analysis);
    json_t *workload;
    json_t *hardware;
    if (group != NULL) {
        workload = summary_parts_workload(parts, &group->first->workload);
        hardware = summary_parts_hardware(parts, &group->first->hardware);
    } else {
        workload = json_write_object(writer);
        json_write_set(writer, workload, "source_result_count",
                       json_write_integer(writer, (int64_t)analysis->set.record_count));
        hardware = json_write_object(writer);
        summary_parts_put_text(parts, hardware, "details", "see_each_source_result");
    }
    json_write_set(writer, root, "strategy",
                   json_write_string(
                       writer, winner == NULL ? NULL : training_state_row(winner->strategy)->name));
    json_write_set(writer, root, "workload", workload);
    json_write_set(writer, root, "hardware", hardware);
    json_write_set(writer, root, "metrics", metrics_of(parts, winner));
    summary_parts_put_text(parts, root, "evidence_level", "aggregated_evidence");
    json_write_set(writer, root, "failure", failure(parts));
    json_write_set(writer, root, "decision",
                   summary_parts_decision(parts, group, &analysis->decision));
}

static void put_analysis(struct summary_parts *parts, json_t *root)
{
    const struct analysis *analysis = parts->analysis;
    struct json_write *writer = &parts->writer;
    const struct group *group = picked_group(analysis);
    json_t *groups = json_write_array(writer);
    for (size_t i = 0; i < analysis->groups.count; i++)
        json_write_append(writer, groups, summary_parts_group(parts, i));
    json_write_set(writer, root, "groups", groups);
    /* The top level repeats the only group: the same tree, written twice. */
    json_t *repeated = json_array_get(groups, (size_t)analysis->picked);
    json_t *candidates = group == NULL ? json_write_array(writer)
                                       : json_incref(json_object_get(repeated, "candidates"));
    json_write_set(writer, root, "candidates", candidates);
    json_write_set(writer, root, "selection",
                   summary_parts_selection(parts, group, &analysis->selection));
    json_write_set(writer, root, "comparability", summary_parts_comparability(parts, group));
    json_write_set(writer, root, "policy", policy_write(writer, &analysis->options.policy));
    json_write_set(writer, root, "options", summary_parts_options(parts));
    json_write_set(writer, root, "sources", summary_parts_sources(parts));
    json_write_set(writer, root, "rejected_sources", summary_parts_rejected(parts));
    json_write_set(writer, root, "skipped_sources", summary_parts_skipped(parts));
}

enum status analysis_write_summary(const struct analysis *analysis, struct text_buffer *out,
                                   struct diag *diag)
{
    struct arena scratch = {0};
    struct summary_parts parts = {
        .writer = {.digits = true}, .analysis = analysis, .arena = &scratch, .diag = diag};
    json_t *root = json_write_object(&parts.writer);
    summary_parts_put_text(&parts, root, "schema", "rankledger.summary/1");
    summary_parts_put_text(&parts, root, "role", ROLE);
    json_write_set(&parts.writer, root, "program", summary_parts_program(&parts));
    json_write_set(&parts.writer, root, "weakest_source_level",
                   json_write_string(&parts.writer, weakest_level(analysis)));
    put_contract(&parts, root);
    put_analysis(&parts, root);
    arena_fini(&scratch);
    if (parts.status == STATUS_OK)
        return json_write_text_take(&parts.writer, root, out, diag);
    json_decref(root);
    return parts.status;
}
