#include "changes_load.h"

#include <math.h>
#include <string.h>

#include "changes_view.h"
#include "evidence_level.h"
#include "summary_document.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- The document ---- */

static void read_rejected(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"path", SUMMARY_FIELDS_NAME, offsetof(struct changes_rejected, path)},
        {"error", SUMMARY_FIELDS_TEXT, offsetof(struct changes_rejected, error)},
    };
    summary_fields_read(fields, node, rows, COUNT(rows), element);
}

static void read_side(struct summary_fields *fields, const char *name, struct changes_side *side)
{
    static const struct summary_fields_row rows[] = {
        {"path", SUMMARY_FIELDS_NAME, offsetof(struct changes_side, path)},
        {"kind", SUMMARY_FIELDS_TEXT, offsetof(struct changes_side, kind)},
        {"summaries", SUMMARY_FIELDS_AMOUNT, offsetof(struct changes_side, summaries)},
        {"sources", SUMMARY_FIELDS_AMOUNT, offsetof(struct changes_side, sources)},
    };
    uint32_t node = json_fields_member(&fields->json, 0, name, JSON_READ_OBJECT);
    summary_fields_read(fields, node, rows, COUNT(rows), side);
    side->rejected =
        summary_fields_array(fields, node, "rejected_sources", sizeof(struct changes_rejected),
                             &side->rejected_count, read_rejected);
}

static void read_policy(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"field", SUMMARY_FIELDS_NAME, offsetof(struct changes_policy_difference, field)},
        {"base", SUMMARY_FIELDS_LOOSE, offsetof(struct changes_policy_difference, base)},
        {"new", SUMMARY_FIELDS_LOOSE, offsetof(struct changes_policy_difference, now)},
    };
    summary_fields_read(fields, node, rows, COUNT(rows), element);
}

static void read_unmatched(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"differs_in", SUMMARY_FIELDS_TEXT, offsetof(struct changes_unmatched, differs_in)},
    };
    struct changes_unmatched *unmatched = element;
    unmatched->label = changes_load_label(fields, node);
    summary_fields_read(fields, node, rows, COUNT(rows), unmatched);
}

static void read_settings(struct summary_fields *fields, struct changes *changes)
{
    static const struct summary_fields_row rows[] = {
        {"tolerance", SUMMARY_FIELDS_AMOUNT, offsetof(struct changes, tolerance)},
        {"max_regression", SUMMARY_FIELDS_AMOUNT, offsetof(struct changes, max_regression)},
        {"interval_level", SUMMARY_FIELDS_AMOUNT, offsetof(struct changes, interval_level)},
    };
    uint32_t node = json_fields_member(&fields->json, 0, "settings", JSON_READ_OBJECT);
    summary_fields_read(fields, node, rows, COUNT(rows), changes);
    changes->fail_on = summary_fields_texts(fields, node, "fail_on");
}

/* Groups first: messages of the whole name them, and their strategies, in the language. */
static void read_changes(struct summary_fields *fields, struct changes *changes)
{
    static const struct summary_fields_row rows[] = {
        {"regressions", SUMMARY_FIELDS_AMOUNT, offsetof(struct changes, regressions)},
        {"improvements", SUMMARY_FIELDS_AMOUNT, offsetof(struct changes, improvements)},
        {"beyond", SUMMARY_FIELDS_AMOUNT, offsetof(struct changes, beyond)},
        {"same_input", SUMMARY_FIELDS_BOOL, offsetof(struct changes, same_input)},
    };
    struct changes_group *groups = summary_fields_array(fields, 0, "groups", sizeof *groups,
                                                        &changes->group_count, changes_load_group);
    changes->groups = groups;
    if (fields->json.status == STATUS_OK)
        changes_view_choose(changes, groups);
    changes->missing =
        summary_fields_array(fields, 0, "missing_groups", sizeof(struct changes_unmatched),
                             &changes->missing_count, read_unmatched);
    changes->added = summary_fields_array(fields, 0, "new_groups", sizeof(struct changes_unmatched),
                                          &changes->added_count, read_unmatched);
    summary_fields_read(fields, 0, rows, COUNT(rows), changes);
    changes->verdict = summary_fields_message(
        fields, json_fields_member(&fields->json, 0, "verdict", JSON_READ_OBJECT));
    read_side(fields, "base", &changes->base);
    read_side(fields, "new", &changes->now);
    read_settings(fields, changes);
    changes->policy = summary_fields_array(fields, 0, "policy_differences",
                                           sizeof(struct changes_policy_difference),
                                           &changes->policy_count, read_policy);
    changes->findings = changes_load_findings(fields, 0);
}

/* ---- As a summary ---- */

static const char *weaker(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return a == NULL ? b : a;
    const struct evidence_level *left = evidence_level_find(a, strlen(a));
    const struct evidence_level *right = evidence_level_find(b, strlen(b));
    return evidence_level_rank(left) <= evidence_level_rank(right) ? a : b;
}

/* Everything that a number stands for is not measured. */
static void clear(struct summary_candidate *candidate)
{
    static const size_t offsets[] = {
        offsetof(struct summary_candidate, peak_memory_mb),
        offsetof(struct summary_candidate, throughput),
        offsetof(struct summary_candidate, step_time_ms),
        offsetof(struct summary_candidate, communication_ratio),
        offsetof(struct summary_candidate, failure.rank),
        offsetof(struct summary_candidate, failure.step),
    };
    for (size_t i = 0; i < COUNT(offsets); i++)
        *(double *)((unsigned char *)candidate + offsets[i]) = (double)NAN;
}

static void set_candidate(struct summary_fields *fields, const struct changes_strategy *strategy,
                          struct summary_candidate *candidate)
{
    const struct changes_candidate *told = strategy->now != NULL ? strategy->now : strategy->base;
    *candidate = (struct summary_candidate){.label = strategy->label,
                                            .strategy = strategy->strategy,
                                            .evidence_level = told->evidence_level,
                                            .eligible = told->eligible,
                                            .rank = told->rank,
                                            .gates = told->gates,
                                            .gate_count = told->gate_count,
                                            .failure.reason = told->failure,
                                            .repeats = 1};
    clear(candidate);
    const char **names = json_fields_take(&fields->json, told->gate_count, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; names != NULL && i < told->gate_count; i++)
        if (told->gates[i].failed)
            names[count++] = told->gates[i].name;
    candidate->gate_failures = (struct summary_texts){names, count};
}

static void set_group(struct summary_fields *fields, const struct changes_group *told,
                      struct summary_group *group)
{
    size_t count = told->strategy_count;
    struct summary_candidate *candidates =
        json_fields_take(&fields->json, count, sizeof *candidates);
    size_t *order = json_fields_take(&fields->json, count, sizeof *order);
    if (candidates == NULL || order == NULL)
        return;
    long selected = -1;
    for (size_t i = 0; i < count; i++) {
        const struct changes_candidate *now = told->strategies[i].now;
        set_candidate(fields, &told->strategies[i], &candidates[i]);
        order[i] = i;
        if (now != NULL && now->rank == 1 && told->now.strategy != NULL)
            selected = (long)i;
    }
    *group = (struct summary_group){
        .label = told->label,
        .evidence_level = weaker(told->base.evidence_level, told->now.evidence_level),
        .times_count = true,
        .world_size = (double)NAN,
        .global_batch = (double)NAN,
        .seq_len = (double)NAN,
        .parameters = (double)NAN,
        .device_count = (double)NAN,
        .candidates = candidates,
        .candidate_count = count,
        .order = order,
        .decision = {.decision = told->now.decision,
                     .rule = told->now.rule,
                     .strategy = told->now.strategy,
                     .label = told->now.strategy,
                     .reason = told->now.reason,
                     .candidate = selected,
                     .gain = (double)NAN,
                     .min_gain = (double)NAN},
    };
}

static void set_summary(struct summary_fields *fields, const struct changes *changes,
                        struct summary *summary)
{
    struct summary_group *groups =
        json_fields_take(&fields->json, changes->group_count, sizeof *groups);
    for (size_t i = 0; groups != NULL && i < changes->group_count; i++)
        set_group(fields, &changes->groups[i], &groups[i]);
    uint32_t program = json_fields_member(&fields->json, 0, "program", JSON_READ_OBJECT);
    summary->program_version = summary_fields_text(fields, program, "version");
    summary->policy = (struct summary_policy){.memory_limit_mb = (double)NAN,
                                              .min_throughput = (double)NAN,
                                              .max_communication_ratio = (double)NAN,
                                              .max_memory_fraction = (double)NAN,
                                              .tight_memory_fraction = (double)NAN,
                                              .min_gain = (double)NAN,
                                              .max_step_time_variation = (double)NAN};
    summary->decision = (struct summary_decision){
        .candidate = -1, .gain = (double)NAN, .min_gain = (double)NAN, .reason = changes->verdict};
    summary->groups = groups;
    summary->group_count = groups == NULL ? 0 : changes->group_count;
    summary->changes = changes;
}

/* ---- The whole ---- */

enum status changes_load(const struct summary_document *given, const struct texts *texts,
                         struct summary *summary, struct diag *diag)
{
    struct json_read_document document = {0};
    struct summary loaded = {0};
    struct summary_fields fields = {
        .json = {.source = {&document, given->path}, .arena = &loaded.arena, .diag = diag},
        .labels.texts = texts};
    fields.json.status =
        summary_document_parse(given, CHANGES_SCHEMA, "a comparison", &document, diag);
    struct changes *changes = json_fields_take(&fields.json, 1, sizeof *changes);
    if (changes != NULL) {
        read_changes(&fields, changes);
        set_summary(&fields, changes, &loaded);
    }
    enum status status = fields.json.status;
    if (status == STATUS_OK) {
        *summary = loaded;
        loaded = (struct summary){0};
    }
    text_buffer_fini(&fields.buffer);
    summary_fini(&loaded);
    json_read_fini(&document);
    return status;
}

const struct changes_value *changes_find(const struct changes_strategy *strategy, const char *name)
{
    for (size_t i = 0; i < strategy->value_count; i++)
        if (strcmp(strategy->values[i].name, name) == 0)
            return &strategy->values[i];
    return NULL;
}
