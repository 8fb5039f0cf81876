#include <math.h>

#include "comparison_parts.h"
#include "summary_parts.h"

/* Writes with the helpers of a summary, whose messages and numbers are the same. */
struct comparison_paper {
    struct summary_parts parts;
    const struct comparison *comparison;
};

static json_t *text(struct comparison_paper *document, const char *value)
{
    return json_write_string(&document->parts.writer, value);
}

static void set(struct comparison_paper *document, json_t *object, const char *key, json_t *value)
{
    json_write_set(&document->parts.writer, object, key, value);
}

static json_t *number(struct comparison_paper *document, double value)
{
    return summary_parts_number(&document->parts, isfinite(value) ? value : (double)NAN);
}

static json_t *integer(struct comparison_paper *document, size_t value)
{
    return json_write_integer(&document->parts.writer, (int64_t)value);
}

static json_t *flag(struct comparison_paper *document, bool value)
{
    return json_write_bool(&document->parts.writer, value);
}

static json_t *step(struct comparison_paper *document, long value)
{
    return value < 0 ? json_write_null(&document->parts.writer)
                     : json_write_integer(&document->parts.writer, value);
}

static json_t *bounds(struct comparison_paper *document, const struct interval *interval)
{
    struct json_write *writer = &document->parts.writer;
    if (isnan(interval->lower))
        return json_write_null(writer);
    json_t *array = json_write_array(writer);
    json_write_append(writer, array, json_write_real(writer, interval->lower));
    json_write_append(writer, array, json_write_real(writer, interval->upper));
    return array;
}

/* ---- findings ---- */

static json_t *finding_of(struct comparison_paper *document,
                          const struct comparison_finding *finding)
{
    json_t *object = summary_parts_message(&document->parts, &finding->message);
    set(document, object, "tendency", text(document, comparison_tendency_name(finding->tendency)));
    set(document, object, "category", text(document, comparison_category_name(finding->category)));
    set(document, object, "strategy", text(document, finding->strategy));
    set(document, object, "beyond", flag(document, finding->beyond));
    return object;
}

static json_t *findings_of(struct comparison_paper *document,
                           const struct comparison_findings *findings)
{
    json_t *array = json_write_array(&document->parts.writer);
    for (size_t i = 0; i < findings->count; i++)
        json_write_append(&document->parts.writer, array,
                          finding_of(document, &findings->items[i]));
    return array;
}

/* ---- a strategy ---- */

static json_t *value_of(struct comparison_paper *document, const struct comparison_value *value,
                        const struct comparison_quantity_row *row)
{
    json_t *object = json_write_object(&document->parts.writer);
    bool sampled = !isnan(value->ratio.lower);
    set(document, object, "name", text(document, row->name));
    set(document, object, "category", text(document, comparison_category_name(row->category)));
    set(document, object, "verdict", text(document, comparison_verdict_name(value->verdict)));
    set(document, object, "base", number(document, value->base));
    set(document, object, "new", number(document, value->now));
    set(document, object, "unit", text(document, value->unit));
    set(document, object, "change", number(document, value->change));
    set(document, object, "relative", number(document, value->relative));
    set(document, object, "ratio_interval", bounds(document, &value->ratio));
    set(document, object, "interval_unit",
        text(document, sampled ? interval_unit_name(value->drawn) : NULL));
    set(document, object, "worse_by", number(document, value->worse_by));
    set(document, object, "kind", text(document, value->kind));
    set(document, object, "unlike",
        text(document, value->verdict == COMPARISON_UNLIKE ? value->unlike : NULL));
    set(document, object, "beyond", flag(document, value->beyond));
    return object;
}

static json_t *values_of(struct comparison_paper *document, const struct comparison_strategy *row)
{
    json_t *array = json_write_array(&document->parts.writer);
    for (int i = 0; i < COMPARISON_QUANTITY_COUNT && row->base != NULL && row->now != NULL; i++)
        json_write_append(&document->parts.writer, array,
                          value_of(document, &row->values[i],
                                   comparison_quantity_row((enum comparison_quantity)i)));
    return array;
}

static json_t *losses_of(struct comparison_paper *document, const struct comparison_strategy *row)
{
    const struct comparison_losses *losses = &row->losses;
    if (row->base == NULL || row->now == NULL)
        return json_write_null(&document->parts.writer);
    json_t *object = json_write_object(&document->parts.writer);
    set(document, object, "base_count", integer(document, losses->base_count));
    set(document, object, "new_count", integer(document, losses->now_count));
    set(document, object, "compared", integer(document, losses->compared));
    set(document, object, "first_difference", step(document, losses->first_difference));
    set(document, object, "largest_difference",
        number(document, losses->largest_at < 0 ? (double)NAN : losses->largest));
    set(document, object, "largest_at", step(document, losses->largest_at));
    set(document, object, "broken_at", step(document, losses->broken_at));
    return object;
}

static json_t *gates_of(struct comparison_paper *document,
                        const struct comparison_candidate *candidate)
{
    json_t *array = json_write_array(&document->parts.writer);
    for (size_t i = 0; i < candidate->gate_count; i++) {
        const struct comparison_gate *gate = &candidate->gates[i];
        json_t *object = json_write_object(&document->parts.writer);
        set(document, object, "name", text(document, gate->name));
        set(document, object, "verdict", text(document, gate->verdict));
        set(document, object, "value", number(document, gate->value));
        set(document, object, "limit", number(document, gate->limit));
        set(document, object, "unit", text(document, gate->unit));
        set(document, object, "margin", number(document, gate->margin));
        set(document, object, "margin_percent", number(document, gate->margin_percent));
        set(document, object, "failed", flag(document, gate->failed));
        json_write_append(&document->parts.writer, array, object);
    }
    return array;
}

static json_t *candidate_of(struct comparison_paper *document,
                            const struct comparison_candidate *candidate)
{
    if (candidate == NULL)
        return json_write_null(&document->parts.writer);
    json_t *object = json_write_object(&document->parts.writer);
    set(document, object, "label", text(document, candidate->label));
    set(document, object, "eligible", flag(document, candidate->eligible));
    set(document, object, "rank", number(document, candidate->rank));
    set(document, object, "evidence_level", text(document, candidate->level));
    set(document, object, "failure", text(document, candidate->failure));
    set(document, object, "repeats", integer(document, candidate->repeats));
    set(document, object, "samples", integer(document, candidate->times.medians.samples));
    set(document, object, "gates", gates_of(document, candidate));
    return object;
}

static json_t *strategy_of(struct comparison_paper *document, const struct comparison_strategy *row)
{
    json_t *object = json_write_object(&document->parts.writer);
    const struct comparison_candidate *either = row->now != NULL ? row->now : row->base;
    set(document, object, "label", text(document, row->label));
    const struct comparison_candidate *named = row->base != NULL ? row->base : row->now;
    set(document, object, "varied",
        json_write_copy(&document->parts.writer, named->json, named->varied_node));
    set(document, object, "strategy", text(document, either->strategy));
    set(document, object, "presence",
        text(document, row->base == NULL  ? "new"
                       : row->now == NULL ? "missing"
                                          : "both"));
    set(document, object, "base", candidate_of(document, row->base));
    set(document, object, "new", candidate_of(document, row->now));
    set(document, object, "values", values_of(document, row));
    set(document, object, "losses", losses_of(document, row));
    return object;
}

/* ---- groups ---- */

/* Members of a node of the group's summary, as they stand there; NULL ends the names. */
static void put_copies(struct comparison_paper *document, json_t *object,
                       const struct comparison_members *group, uint32_t node,
                       const char *const *names)
{
    for (size_t i = 0; names[i] != NULL; i++)
        set(document, object, names[i],
            json_write_copy(&document->parts.writer, group->json,
                            json_read_member(group->json, node, names[i])));
}

static json_t *choice_of(struct comparison_paper *document, const struct comparison_members *group)
{
    static const char *const reason_parts[] = {"reason_id", "reason_values", NULL};
    const struct comparison_choice *choice = &group->choice;
    json_t *object = json_write_object(&document->parts.writer);
    set(document, object, "label", text(document, group->label));
    set(document, object, "index", integer(document, group->index));
    set(document, object, "evidence_level", text(document, group->level));
    set(document, object, "decision", text(document, choice->decision));
    set(document, object, "rule", text(document, choice->rule));
    set(document, object, "reason", text(document, choice->reason));
    put_copies(document, object, group, group->decision_node, reason_parts);
    set(document, object, "strategy", text(document, choice->strategy));
    set(document, object, "selection_reason", text(document, choice->selection_reason));
    set(document, object, "gain", number(document, choice->gain));
    return object;
}

static json_t *key_of(struct comparison_paper *document, const struct comparison_members *group)
{
    return json_write_copy(&document->parts.writer, group->json, group->key_node);
}

/* The label, and its parts, by which a report says it in another language. */
static void put_label(struct comparison_paper *document, json_t *object,
                      const struct comparison_members *group)
{
    static const char *const parts[] = {"label_fields", "label_path", NULL};
    set(document, object, "label", text(document, group->label));
    set(document, object, "key", key_of(document, group));
    put_copies(document, object, group, group->node, parts);
}

static json_t *pair_of(struct comparison_paper *document, const struct comparison_pair *pair)
{
    json_t *object = json_write_object(&document->parts.writer);
    json_t *strategies = json_write_array(&document->parts.writer);
    for (size_t i = 0; i < pair->strategy_count; i++)
        json_write_append(&document->parts.writer, strategies,
                          strategy_of(document, &pair->strategies[i]));
    put_label(document, object, pair->now);
    set(document, object, "base", choice_of(document, pair->base));
    set(document, object, "new", choice_of(document, pair->now));
    set(document, object, "strategies", strategies);
    set(document, object, "findings", findings_of(document, &pair->findings));
    return object;
}

static json_t *unmatched_of(struct comparison_paper *document,
                            const struct comparison_unmatched *groups, size_t count)
{
    json_t *array = json_write_array(&document->parts.writer);
    for (size_t i = 0; i < count; i++) {
        json_t *object = json_write_object(&document->parts.writer);
        put_label(document, object, groups[i].group);
        set(document, object, "differs_in", text(document, groups[i].field));
        json_write_append(&document->parts.writer, array, object);
    }
    return array;
}

/* ---- the whole ---- */

static json_t *side_of(struct comparison_paper *document, const struct comparison_side *side)
{
    json_t *object = json_write_object(&document->parts.writer);
    json_t *rejected = json_write_array(&document->parts.writer);
    for (size_t i = 0; i < side->rejected_count; i++) {
        json_t *source = json_write_object(&document->parts.writer);
        set(document, source, "path", text(document, side->rejected[i].path));
        set(document, source, "error", text(document, side->rejected[i].error));
        json_write_append(&document->parts.writer, rejected, source);
    }
    set(document, object, "path", text(document, side->path));
    set(document, object, "kind", text(document, side->kind));
    set(document, object, "summaries", integer(document, side->reader_count));
    set(document, object, "sources", integer(document, side->source_count));
    set(document, object, "rejected_sources", rejected);
    set(document, object, "policy", policy_write(&document->parts.writer, &side->policy));
    return object;
}

static json_t *settings_of(struct comparison_paper *document)
{
    const struct comparison_settings *settings = &document->comparison->settings;
    json_t *object = json_write_object(&document->parts.writer);
    json_t *names = json_write_array(&document->parts.writer);
    for (int i = 0; i < COMPARISON_CATEGORY_COUNT; i++)
        if (settings->counts[i])
            json_write_append(
                &document->parts.writer, names,
                text(document, comparison_category_name((enum comparison_category)i)));
    set(document, object, "tolerance", number(document, settings->tolerance));
    set(document, object, "max_regression", number(document, settings->max_regression));
    set(document, object, "fail_on", names);
    set(document, object, "interval_level", number(document, INTERVAL_LEVEL));
    return object;
}

static json_t *policy_of(struct comparison_paper *document)
{
    const struct comparison *comparison = document->comparison;
    json_t *array = json_write_array(&document->parts.writer);
    for (size_t i = 0; i < comparison->policy_count; i++) {
        json_t *object = json_write_object(&document->parts.writer);
        set(document, object, "field", text(document, comparison->policy[i].field));
        set(document, object, "base", text(document, comparison->policy[i].base));
        set(document, object, "new", text(document, comparison->policy[i].now));
        json_write_append(&document->parts.writer, array, object);
    }
    return array;
}

static void put_counts(struct comparison_paper *document, json_t *root)
{
    const struct comparison *comparison = document->comparison;
    set(document, root, "regressions", integer(document, comparison->regressions));
    set(document, root, "improvements", integer(document, comparison->improvements));
    set(document, root, "beyond", integer(document, comparison->beyond));
    set(document, root, "same_input", flag(document, comparison->same_input));
    set(document, root, "verdict", summary_parts_message(&document->parts, &comparison->verdict));
    set(document, root, "findings", findings_of(document, &comparison->findings));
}

enum status comparison_write(const struct comparison *comparison, struct text_buffer *out,
                             struct diag *diag)
{
    struct comparison_paper document = {.parts = {.diag = diag}, .comparison = comparison};
    struct json_write *writer = &document.parts.writer;
    json_t *root = json_write_object(writer);
    json_t *program = json_write_object(writer);
    json_t *groups = json_write_array(writer);
    set(&document, program, "name", text(&document, "rankledger"));
    set(&document, program, "version", text(&document, RANKLEDGER_VERSION));
    for (size_t i = 0; i < comparison->pair_count; i++)
        json_write_append(writer, groups, pair_of(&document, &comparison->pairs[i]));
    set(&document, root, "schema", text(&document, "rankledger.comparison/1"));
    set(&document, root, "program", program);
    set(&document, root, "base", side_of(&document, &comparison->base));
    set(&document, root, "new", side_of(&document, &comparison->now));
    set(&document, root, "settings", settings_of(&document));
    set(&document, root, "policy_differences", policy_of(&document));
    set(&document, root, "groups", groups);
    set(&document, root, "missing_groups",
        unmatched_of(&document, comparison->missing, comparison->missing_count));
    set(&document, root, "new_groups",
        unmatched_of(&document, comparison->added, comparison->added_count));
    put_counts(&document, root);
    enum status status = json_write_text(writer, root, out, diag);
    json_decref(root);
    return status;
}
