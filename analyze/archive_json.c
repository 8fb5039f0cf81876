#include <math.h>

#include "archive_index.h"
#include "gate_table.h"
#include "summary_parts.h"

static json_t *count_of(struct summary_parts *parts, size_t count)
{
    return json_write_integer(&parts->writer, (int64_t)count);
}

static void put_null_or_text(struct summary_parts *parts, json_t *object, const char *name,
                             const char *text)
{
    json_write_set(&parts->writer, object, name, json_write_string(&parts->writer, text));
}

/* NULL without a selected candidate. */
static json_t *selected_of(struct summary_parts *parts, const struct archive_index_row *row)
{
    json_t *object = json_write_object(&parts->writer);
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"throughput", row->throughput},
        {"peak_memory_mb", row->peak_mb},
        {"communication_ratio", row->communication_ratio},
        {"step_time_ms", row->step_time_ms},
        {"memory_margin_percent", row->memory_margin_percent},
        {"throughput_margin_percent", row->throughput_margin_percent},
        {"communication_margin_percent", row->communication_margin_percent},
    };
    if (row->selected == NULL) {
        json_decref(object);
        return json_write_null(&parts->writer);
    }
    summary_parts_put_text(parts, object, "label", row->selected);
    summary_parts_put_text(parts, object, "strategy", row->strategy);
    summary_parts_put_text(parts, object, "throughput_unit", row->throughput_unit);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        summary_parts_put_number(parts, object, numbers[i].name, numbers[i].value);
    return object;
}

static json_t *failures_of(struct summary_parts *parts, const struct archive_index_row *row)
{
    json_t *object = json_write_object(&parts->writer);
    size_t count;
    const struct gate_row *gates = gate_table(&count);
    for (size_t i = 0; i < count; i++)
        json_write_set(&parts->writer, object, gates[i].name,
                       json_write_real(&parts->writer, row->failed[i]));
    return object;
}

static json_t *group_of(struct summary_parts *parts, const struct archive_index_row *row)
{
    json_t *object = json_write_object(&parts->writer);
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"gain", row->gain},
        {"records", row->records},
        {"candidates", row->candidates},
        {"eligible", row->eligible},
        {"repeats_least", row->repeats_least},
        {"repeats_most", row->repeats_most},
        {"rejected_sources", row->rejected},
        {"warnings", row->warnings},
    };
    summary_parts_put_text(parts, object, "label", row->label);
    summary_parts_put_text(parts, object, "summary", row->summary);
    json_write_set(&parts->writer, object, "key", summary_parts_key(parts, row->key));
    summary_parts_put_text(parts, object, "decision", summary_parts_verdict_name(row->verdict));
    summary_parts_put_text(parts, object, "rule", row->rule);
    summary_parts_put_text(parts, object, "reason", row->reason);
    summary_parts_put_text(parts, object, "reason_id", row->reason_id);
    put_null_or_text(parts, object, "strategy", row->strategy);
    put_null_or_text(parts, object, "baseline", row->baseline);
    summary_parts_put_text(parts, object, "evidence_level", row->level);
    json_write_set(&parts->writer, object, "selected", selected_of(parts, row));
    json_write_set(&parts->writer, object, "gates_failed", failures_of(parts, row));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        json_write_set(&parts->writer, object, numbers[i].name,
                       summary_parts_number(parts, numbers[i].value));
    return object;
}

static json_t *totals_of(struct summary_parts *parts, const struct archive_index *index)
{
    json_t *object = json_write_object(&parts->writer);
    size_t skipped = 0;
    for (size_t i = 0; i < index->set.skipped_count; i++)
        skipped += !index->set.skipped[i].own;
    const struct {
        const char *name;
        size_t count;
    } rows[] = {
        {"groups", index->group_count},
        {"listed", index->count},
        {"records", index->set.record_count},
        {"rejected_sources", index->set.rejected_count},
        {"rejected_without_group", index->unplaced_count},
        {"skipped_sources", skipped},
        {"accept", index->verdicts[VERDICT_ACCEPT]},
        {"tune", index->verdicts[VERDICT_TUNE]},
        {"reject", index->verdicts[VERDICT_REJECT]},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        json_write_set(&parts->writer, object, rows[i].name, count_of(parts, rows[i].count));
    return object;
}

enum status archive_index_json(const struct archive_index *index, struct text_buffer *out,
                               struct diag *diag)
{
    struct arena scratch = {0};
    /* What a summary's parts look at of an analysis: what was loaded, and how. */
    struct analysis analysis = {.set = index->set, .options = index->options, .picked = -1};
    struct summary_parts parts = {.analysis = &analysis, .arena = &scratch, .diag = diag};
    struct json_write *writer = &parts.writer;
    json_t *root = json_write_object(writer);
    json_t *groups = json_write_array(writer);
    for (size_t i = 0; i < index->count; i++)
        json_write_append(writer, groups, group_of(&parts, &index->rows[i]));
    summary_parts_put_text(&parts, root, "schema", "rankledger.index/1");
    json_write_set(writer, root, "program", summary_parts_program(&parts));
    json_write_set(writer, root, "policy", policy_write(writer, &index->options.policy));
    json_write_set(writer, root, "options", summary_parts_options(&parts));
    json_write_set(writer, root, "totals", totals_of(&parts, index));
    json_write_set(writer, root, "groups", groups);
    json_write_set(writer, root, "rejected_sources", summary_parts_rejected(&parts));
    json_write_set(writer, root, "skipped_sources", summary_parts_skipped(&parts));
    enum status status = parts.status;
    if (status == STATUS_OK)
        status = json_write_text(writer, root, out, diag);
    json_decref(root);
    arena_fini(&scratch);
    return status;
}
