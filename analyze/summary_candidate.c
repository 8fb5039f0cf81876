#include <math.h>
#include <string.h>

#include "front.h"
#include "gates.h"
#include "statistics.h"
#include "summary_parts.h"

json_t *summary_parts_workload(struct summary_parts *parts, const struct workload *workload)
{
    json_t *object = json_write_object(&parts->writer);
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        {"parameters", workload->parameters},
        {"width", workload->width},
        {"layers", workload->layers},
        {"heads", workload->heads},
        {"vocab", workload->vocab},
        {"seq_len", workload->seq_len},
        {"micro_batch", workload->micro_batch},
        {"gradient_accumulation", workload->gradient_accumulation},
        {"global_batch", workload->global_batch},
        {"world_size", workload->world_size},
        {"warmup", workload->warmup},
        {"repeats", workload->repeats},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        summary_parts_put_number(parts, object, numbers[i].key, numbers[i].value);
    summary_parts_put_text(parts, object, "model", workload->model);
    summary_parts_put_text(parts, object, "dtype", workload->dtype);
    summary_parts_put_text(parts, object, "optimizer", workload->optimizer);
    if (workload->activation_checkpointing >= 0)
        json_write_set(&parts->writer, object, "activation_checkpointing",
                       json_write_bool(&parts->writer, workload->activation_checkpointing == 1));
    return object;
}

/* What the peak of `utilisation` is: of the repeat with the largest, because only a measured peak
 * may be passed, and the pooled value passes it only if that repeat does. */
static void put_peak_source(struct summary_parts *parts, json_t *object,
                            const struct candidate *candidate)
{
    const struct record *largest = NULL;
    for (size_t i = 0; i < candidate->record_count; i++) {
        const struct record *record = candidate->records[i];
        if (!isnan(record->metrics.utilisation) &&
            (largest == NULL || record->metrics.utilisation > largest->metrics.utilisation))
            largest = record;
    }
    if (largest == NULL || isnan(candidate->metrics.utilisation))
        return;
    const struct json_read_document *json = largest->json;
    uint32_t metrics = json_read_member(json, largest->node, "metrics");
    uint32_t source = json_read_member(json, metrics, "peak_source");
    if (json_read_is(json, source, JSON_READ_STRING))
        json_write_set(&parts->writer, object, "peak_source",
                       json_write_copy(&parts->writer, json, source));
}

/* How far the steps lie apart: of each step the slowest rank's time. */
static void put_spread(struct summary_parts *parts, json_t *object, const struct metrics *metrics)
{
    size_t count = 0;
    bool failed = false;
    double *times = statistics_slowest_rank(metrics->step_times_ms, metrics->step_times_ranks,
                                            parts->arena, &count, &failed);
    double smallest = NAN;
    if (failed && parts->status == STATUS_OK)
        parts->status = diag_no_memory(parts->diag);
    for (size_t i = 0; i < count; i++)
        smallest = fmin(smallest, times[i]); /* ignores the first NAN */
    summary_parts_put_number(parts, object, "step_time_smallest_ms", smallest);
    summary_parts_put_number(parts, object, "step_time_largest_ms", statistics_max(times, count));
    summary_parts_put_number(parts, object, "step_time_variation",
                             statistics_variation(times, count));
}

json_t *summary_parts_metrics(struct summary_parts *parts, const struct candidate *candidate)
{
    const struct metrics *metrics = &candidate->metrics;
    json_t *object = json_write_object(&parts->writer);
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        {"peak_memory_mb", candidate->peak_mb},
        {"checkpoint_peak_memory_mb", metrics->checkpoint_peak_mb},
        {"throughput", metrics->throughput},
        {"step_time_ms", metrics->step_time_ms},
        {"communication_ratio", metrics->communication_ratio},
        {"skew_ratio", metrics->skew_ratio},
        {"communication_in_flight_ratio", metrics->in_flight_ratio},
        {"utilisation", metrics->utilisation},
        {"achieved_tflops", metrics->achieved_tflops},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        summary_parts_put_number(parts, object, numbers[i].key, numbers[i].value);
    if (candidate->memory_kind >= 0 && !isnan(candidate->peak_mb))
        summary_parts_put_text(parts, object, "memory_kind",
                               memory_kind_name((enum memory_kind)candidate->memory_kind));
    if (!isnan(metrics->throughput))
        summary_parts_put_text(parts, object, "throughput_unit",
                               throughput_unit_name(metrics->throughput_unit));
    put_peak_source(parts, object, candidate);
    put_spread(parts, object, metrics);
    return object;
}

static json_t *gates_of(struct summary_parts *parts, const struct candidate *candidate)
{
    struct json_write *writer = &parts->writer;
    json_t *array = json_write_array(writer);
    for (size_t i = 0; i < candidate->gate_count; i++) {
        const struct gate_result *gate = &candidate->gates[i];
        json_t *object = json_write_object(writer);
        summary_parts_put_text(parts, object, "name", gate->name);
        summary_parts_put_text(parts, object, "verdict", gates_verdict_name(gate->verdict));
        json_write_set(writer, object, "value", summary_parts_number(parts, gate->value));
        json_write_set(writer, object, "limit", summary_parts_number(parts, gate->limit));
        json_write_set(writer, object, "margin", summary_parts_number(parts, gate->margin));
        json_write_set(writer, object, "margin_percent",
                       summary_parts_number(parts, gate->margin_percent));
        summary_parts_put_text(parts, object, "unit", gate->unit);
        json_write_set(writer, object, "failed", json_write_bool(writer, gate->failed));
        summary_parts_put_text(parts, object, "detail", gate->detail);
        json_write_append(writer, array, object);
    }
    return array;
}

static json_t *failures_of(struct summary_parts *parts, const struct candidate *candidate)
{
    json_t *array = json_write_array(&parts->writer);
    for (size_t i = 0; i < candidate->gate_count; i++)
        if (candidate->gates[i].failed)
            json_write_append(&parts->writer, array,
                              json_write_string(&parts->writer, candidate->gates[i].name));
    return array;
}

static json_t *failure_of(struct summary_parts *parts, const struct candidate *candidate)
{
    const struct failure *failure = &candidate->failure;
    struct json_write *writer = &parts->writer;
    if (!failure->failed)
        return json_write_null(writer);
    json_t *object = json_write_object(writer);
    summary_parts_put_text(parts, object, "reason",
                           failure->reason != NULL ? failure->reason : "not given");
    json_write_set(writer, object, "kind", json_write_string(writer, failure->kind));
    summary_parts_put_text(parts, object, "phase", failure->phase);
    summary_parts_put_number(parts, object, "rank", failure->rank);
    summary_parts_put_number(parts, object, "step", failure->step);
    json_write_set(writer, object, "repeats_failed",
                   json_write_integer(writer, (int64_t)candidate->failed_repeats));
    return object;
}

static json_t *normalised_of(struct summary_parts *parts, const struct candidate *candidate)
{
    struct json_write *writer = &parts->writer;
    json_t *array = json_write_array(writer);
    for (size_t i = 0; i < candidate->normalised_count; i++) {
        const struct normalised *normalised = &candidate->normalised[i];
        json_t *object = json_write_object(writer);
        summary_parts_put_text(parts, object, "metric", normalised->metric);
        summary_parts_put_text(parts, object, "from", normalised->from);
        json_write_set(writer, object, "value", summary_parts_number(parts, normalised->value));
        summary_parts_put_text(parts, object, "unit", normalised->unit);
        json_write_append(writer, array, object);
    }
    return array;
}

/* The records of a candidate are those of the set: their places are the indices of sources. */
static json_t *sources_of(struct summary_parts *parts, const struct candidate *candidate)
{
    const struct record *first = parts->analysis->set.records;
    json_t *array = json_write_array(&parts->writer);
    for (size_t i = 0; i < candidate->record_count; i++)
        json_write_append(&parts->writer, array,
                          json_write_integer(&parts->writer, candidate->records[i] - first));
    return array;
}

static void put_identity(struct summary_parts *parts, json_t *object,
                         const struct candidate *candidate, size_t index)
{
    struct json_write *writer = &parts->writer;
    const struct training_state_row *row = training_state_row(candidate->strategy);
    json_write_set(writer, object, "index", json_write_integer(writer, (int64_t)index));
    summary_parts_put_text(parts, object, "label", candidate->label);
    summary_parts_put_text(parts, object, "strategy", row->name);
    summary_parts_put_text(parts, object, "group_name", row->group);
    json_write_set(writer, object, "eligible", json_write_bool(writer, candidate->eligible));
    json_write_set(writer, object, "rank",
                   candidate->rank > 0 ? json_write_integer(writer, (int64_t)candidate->rank)
                                       : json_write_null(writer));
    summary_parts_put_text(parts, object, "evidence_level", candidate->level_name);
    json_write_set(writer, object, "own_collector",
                   json_write_bool(writer, candidate->own_collector));
    json_write_set(writer, object, "times_count", json_write_bool(writer, candidate->times_count));
    json_write_set(writer, object, "repeats",
                   json_write_integer(writer, (int64_t)candidate->record_count));
}

json_t *summary_parts_candidate(struct summary_parts *parts, const struct group *group,
                                size_t index)
{
    const struct candidate *candidate = &group->candidates[index];
    struct json_write *writer = &parts->writer;
    json_t *object = json_write_object(writer);
    put_identity(parts, object, candidate, index);
    json_write_set(writer, object, "varied", summary_parts_varied(parts, group, index));
    json_write_set(writer, object, "on_front", json_write_bool(writer, front_holds(group, index)));
    json_write_set(writer, object, "gate_failures", failures_of(parts, candidate));
    json_write_set(writer, object, "gates", gates_of(parts, candidate));
    json_write_set(writer, object, "workload", summary_parts_workload(parts, &candidate->workload));
    json_write_set(writer, object, "metrics", summary_parts_metrics(parts, candidate));
    json_write_set(writer, object, "samples", summary_parts_samples(parts, candidate));
    json_write_set(writer, object, "interval", summary_parts_interval(parts, candidate));
    json_write_set(writer, object, "timing", summary_parts_timing(parts, candidate));
    json_write_set(writer, object, "memory", summary_parts_memory(parts, candidate));
    json_write_set(writer, object, "ledger", summary_parts_ledger(parts, candidate));
    json_write_set(writer, object, "communication", summary_parts_communication(parts, candidate));
    json_write_set(writer, object, "links", summary_parts_links(parts, candidate));
    json_write_set(writer, object, "checkpoint", summary_parts_checkpoints(parts, candidate));
    json_write_set(writer, object, "formula_payload_mb",
                   summary_parts_number(parts, candidate->formula_payload_mb));
    json_write_set(writer, object, "failure", failure_of(parts, candidate));
    json_write_set(writer, object, "sources", sources_of(parts, candidate));
    json_write_set(writer, object, "normalised", normalised_of(parts, candidate));
    json_write_set(writer, object, "notes",
                   summary_parts_messages(parts, candidate->notes, candidate->note_count));
    return object;
}
