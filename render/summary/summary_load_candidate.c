#include "summary_load.h"

#include <math.h>

#include "summary_labels.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void read_gate(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"name", SUMMARY_FIELDS_NAME, offsetof(struct summary_gate, name)},
        {"verdict", SUMMARY_FIELDS_NAME, offsetof(struct summary_gate, verdict)},
        {"unit", SUMMARY_FIELDS_TEXT, offsetof(struct summary_gate, unit)},
        {"detail", SUMMARY_FIELDS_TEXT, offsetof(struct summary_gate, detail)},
        {"value", SUMMARY_FIELDS_NUMBER, offsetof(struct summary_gate, value)},
        {"limit", SUMMARY_FIELDS_NUMBER, offsetof(struct summary_gate, limit)},
        {"margin", SUMMARY_FIELDS_NUMBER, offsetof(struct summary_gate, margin)},
        {"margin_percent", SUMMARY_FIELDS_NUMBER, offsetof(struct summary_gate, margin_percent)},
        {"failed", SUMMARY_FIELDS_BOOL, offsetof(struct summary_gate, failed)},
    };
    static const char *const verdicts[] = {"pass",          "tight",       "fail",
                                           "not_measured",  "not_applied", "unit_differs",
                                           "not_evaluated", NULL};
    struct summary_gate *gate = element;
    summary_fields_read(fields, node, rows, COUNT(rows), gate);
    summary_fields_check_word(fields, node, "verdict", gate->verdict, verdicts);
}

const struct summary_gate *summary_load_gates(struct summary_fields *fields, uint32_t node,
                                              size_t *count)
{
    return summary_fields_array(fields, node, "gates", sizeof(struct summary_gate), count,
                                read_gate);
}

static void read_workload(struct summary_fields *fields, uint32_t node,
                          struct summary_candidate *candidate)
{
    static const struct summary_fields_row rows[] = {
        {"micro_batch", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_candidate, micro_batch)},
        {"gradient_accumulation", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_candidate, gradient_accumulation)},
        {"global_batch", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_candidate, global_batch)},
        {"world_size", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_candidate, world_size)},
        {"warmup", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_candidate, warmup)},
    };
    uint32_t workload = json_fields_member(&fields->json, node, "workload", JSON_READ_OBJECT);
    summary_fields_read(fields, workload, rows, COUNT(rows), candidate);
}

static void read_metrics(struct summary_fields *fields, uint32_t node,
                         struct summary_candidate *candidate)
{
    static const struct summary_fields_row rows[] = {
        {"peak_memory_mb", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_candidate, peak_memory_mb)},
        {"throughput", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_candidate, throughput)},
        {"step_time_ms", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_candidate, step_time_ms)},
        {"communication_ratio", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_candidate, communication_ratio)},
        {"skew_ratio", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_candidate, skew_ratio)},
        {"communication_in_flight_ratio", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_candidate, in_flight_ratio)},
        {"checkpoint_peak_memory_mb", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_candidate, checkpoint_peak_memory_mb)},
        {"utilisation", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_candidate, utilisation)},
        {"step_time_smallest_ms", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_candidate, step_time_smallest_ms)},
        {"step_time_largest_ms", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_candidate, step_time_largest_ms)},
        {"step_time_variation", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_candidate, step_time_variation)},
        {"memory_kind", SUMMARY_FIELDS_TEXT, offsetof(struct summary_candidate, memory_kind)},
        {"throughput_unit", SUMMARY_FIELDS_TEXT,
         offsetof(struct summary_candidate, throughput_unit)},
    };
    uint32_t metrics = json_fields_member(&fields->json, node, "metrics", JSON_READ_OBJECT);
    summary_fields_read(fields, metrics, rows, COUNT(rows), candidate);
}

/* [lower, upper]; NAN both where there is no interval. */
static void read_bounds(struct summary_fields *fields, uint32_t interval, const char *name,
                        double *lower, double *upper)
{
    struct summary_numbers bounds = summary_fields_numbers(fields, interval, name);
    *lower = bounds.count == 2 ? bounds.items[0] : (double)NAN;
    *upper = bounds.count == 2 ? bounds.items[1] : (double)NAN;
}

static void read_interval(struct summary_fields *fields, uint32_t node,
                          struct summary_candidate *candidate)
{
    static const struct summary_fields_row rows[] = {
        {"unit", SUMMARY_FIELDS_TEXT, offsetof(struct summary_candidate, interval_unit)},
        {"samples", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_candidate, interval_samples)},
    };
    uint32_t interval = json_fields_member(&fields->json, node, "interval", JSON_READ_OBJECT);
    summary_fields_read(fields, interval, rows, COUNT(rows), candidate);
    read_bounds(fields, interval, "step_time_ms", &candidate->step_time_lower_ms,
                &candidate->step_time_upper_ms);
    read_bounds(fields, interval, "throughput", &candidate->throughput_lower,
                &candidate->throughput_upper);
    read_bounds(fields, interval, "ratio_to_fastest", &candidate->ratio_lower,
                &candidate->ratio_upper);
}

static void read_phase(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"phase", SUMMARY_FIELDS_NAME, offsetof(struct summary_phase, name)},
        {"peak_mb", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_phase, peak_mb)},
    };
    struct summary_phase *phase = element;
    summary_fields_read(fields, node, rows, COUNT(rows), phase);
    phase->by_category = summary_fields_amounts(fields, node, "by_category");
}

static void read_memory(struct summary_fields *fields, uint32_t node,
                        struct summary_candidate *candidate)
{
    static const struct summary_fields_row rows[] = {
        {"allocated", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_candidate, allocated_mb)},
        {"reserved", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_candidate, reserved_mb)},
        {"device", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_candidate, device_mb)},
    };
    uint32_t memory = json_fields_member(&fields->json, node, "memory", JSON_READ_OBJECT);
    uint32_t kinds = json_fields_member(&fields->json, memory, "kinds", JSON_READ_OBJECT);
    summary_fields_read(fields, kinds, rows, COUNT(rows), candidate);
    candidate->per_rank_mb = summary_fields_numbers(fields, memory, "per_rank_mb");
    candidate->phases = summary_fields_array(fields, memory, "phases", sizeof(struct summary_phase),
                                             &candidate->phase_count, read_phase);
}

static void read_temporary(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"category", SUMMARY_FIELDS_NAME, offsetof(struct summary_amount, name)},
        {"text", SUMMARY_FIELDS_TEXT, offsetof(struct summary_amount, text)},
        {"mb", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_amount, mb)},
    };
    summary_fields_read(fields, node, rows, COUNT(rows), element);
}

static void read_ledger(struct summary_fields *fields, uint32_t node, struct summary_ledger *ledger)
{
    static const struct summary_fields_row rows[] = {
        {"available", SUMMARY_FIELDS_BOOL, offsetof(struct summary_ledger, available)},
        {"source", SUMMARY_FIELDS_TEXT, offsetof(struct summary_ledger, source)},
        {"temporary_source", SUMMARY_FIELDS_TEXT,
         offsetof(struct summary_ledger, temporary_source)},
        {"predicted_peak_mb", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_ledger, predicted_peak_mb)},
        {"parameters_mb", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_ledger, parameters_mb)},
        {"gradients_mb", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_ledger, gradients_mb)},
        {"optimizer_state_mb", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_ledger, optimizer_state_mb)},
        {"resident_mb", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_ledger, resident_mb)},
        {"parameters_divisor", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_ledger, parameters_divisor)},
        {"gradients_divisor", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_ledger, gradients_divisor)},
        {"optimizer_divisor", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_ledger, optimizer_divisor)},
        {"persistent_parameters_mb", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_ledger, persistent_parameters_mb)},
        {"padding_mb", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_ledger, padding_mb)},
        {"residual_mb", SUMMARY_FIELDS_NUMBER, offsetof(struct summary_ledger, residual_mb)},
    };
    uint32_t object = json_fields_member(&fields->json, node, "ledger", JSON_READ_OBJECT);
    summary_fields_read(fields, object, rows, COUNT(rows), ledger);
    ledger->temporary.items =
        summary_fields_array(fields, object, "temporary", sizeof(struct summary_amount),
                             &ledger->temporary.count, read_temporary);
    ledger->missing = summary_fields_texts(fields, object, "missing");
    ledger->temporary_missing = summary_fields_texts(fields, object, "temporary_missing");
}

static void read_collective(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"collective", SUMMARY_FIELDS_TEXT, offsetof(struct summary_collective, collective)},
        {"purpose", SUMMARY_FIELDS_TEXT, offsetof(struct summary_collective, purpose)},
        {"calls", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_collective, calls)},
        {"expected_calls", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_collective, expected_calls)},
        {"payload_mb", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_collective, payload_mb)},
        {"expected_mb", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_collective, expected_mb)},
        {"exposed_ms", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_collective, exposed_ms)},
        {"in_flight_ms", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_collective, in_flight_ms)},
        {"bus_gb_per_s", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_collective, bus_gb_per_s)},
    };
    summary_fields_read(fields, node, rows, COUNT(rows), element);
}

static void read_checkpoint(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"kind", SUMMARY_FIELDS_NAME, offsetof(struct summary_checkpoint, kind)},
        {"files", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_checkpoint, files)},
        {"mb", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_checkpoint, mb)},
        {"save_ms", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_checkpoint, save_ms)},
        {"restore_ms", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_checkpoint, restore_ms)},
        {"restore_verified", SUMMARY_FIELDS_ANSWER,
         offsetof(struct summary_checkpoint, restore_verified)},
    };
    summary_fields_read(fields, node, rows, COUNT(rows), element);
}

static void read_normalised(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"metric", SUMMARY_FIELDS_TEXT, offsetof(struct summary_normalised, metric)},
        {"from", SUMMARY_FIELDS_TEXT, offsetof(struct summary_normalised, from)},
        {"unit", SUMMARY_FIELDS_TEXT, offsetof(struct summary_normalised, unit)},
        {"value", SUMMARY_FIELDS_NUMBER, offsetof(struct summary_normalised, value)},
    };
    summary_fields_read(fields, node, rows, COUNT(rows), element);
}

static void read_failure(struct summary_fields *fields, uint32_t node,
                         struct summary_failure *failure)
{
    static const struct summary_fields_row rows[] = {
        {"reason", SUMMARY_FIELDS_NAME, offsetof(struct summary_failure, reason)},
        {"kind", SUMMARY_FIELDS_LOOSE, offsetof(struct summary_failure, kind)},
        {"phase", SUMMARY_FIELDS_LOOSE, offsetof(struct summary_failure, phase)},
        {"rank", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_failure, rank)},
        {"step", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_failure, step)},
    };
    failure->rank = (double)NAN;
    failure->step = (double)NAN;
    uint32_t object = json_fields_member(&fields->json, node, "failure", JSON_READ_OBJECT);
    if (object != JSON_READ_NONE)
        summary_fields_read(fields, object, rows, COUNT(rows), failure);
}

/* Indices of the summary's sources. */
static void read_sources(struct summary_fields *fields, uint32_t node,
                         struct summary_candidate *candidate)
{
    const struct summary_load *load = (const struct summary_load *)fields;
    struct summary_numbers numbers = summary_fields_numbers(fields, node, "sources");
    size_t *indices = arena_take_array(fields->json.arena, numbers.count + 1, sizeof *indices);
    if (indices == NULL && fields->json.status == STATUS_OK)
        fields->json.status = diag_no_memory(fields->json.diag);
    for (size_t i = 0; i < numbers.count && fields->json.status == STATUS_OK; i++) {
        double value = numbers.items[i];
        if (!(value >= 0 && value < (double)load->source_count && value == floor(value)))
            fields->json.status = json_read_refuse(
                &fields->json.source,
                json_read_member(fields->json.source.document, node, "sources"), fields->json.diag,
                "expected indices below %zu, the number of sources", load->source_count);
        else
            indices[i] = (size_t)value;
    }
    candidate->sources = indices;
    candidate->source_count = numbers.count;
}

void summary_load_candidate(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"label", SUMMARY_FIELDS_NAME, offsetof(struct summary_candidate, label)},
        {"strategy", SUMMARY_FIELDS_NAME, offsetof(struct summary_candidate, strategy)},
        {"group_name", SUMMARY_FIELDS_TEXT, offsetof(struct summary_candidate, group_name)},
        {"evidence_level", SUMMARY_FIELDS_TEXT, offsetof(struct summary_candidate, evidence_level)},
        {"eligible", SUMMARY_FIELDS_BOOL, offsetof(struct summary_candidate, eligible)},
        {"own_collector", SUMMARY_FIELDS_BOOL, offsetof(struct summary_candidate, own_collector)},
        {"on_front", SUMMARY_FIELDS_BOOL, offsetof(struct summary_candidate, on_front)},
        {"rank", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_candidate, rank)},
        {"formula_payload_mb", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct summary_candidate, formula_payload_mb)},
    };
    struct summary_candidate *candidate = element;
    summary_fields_read(fields, node, rows, COUNT(rows), candidate);
    candidate->gate_failures = summary_fields_texts(fields, node, "gate_failures");
    candidate->gates = summary_load_gates(fields, node, &candidate->gate_count);
    read_workload(fields, node, candidate);
    read_metrics(fields, node, candidate);
    read_interval(fields, node, candidate);
    summary_load_samples(fields, node, candidate);
    summary_labels_candidate(fields, candidate);
    read_memory(fields, node, candidate);
    read_ledger(fields, node, &candidate->ledger);
    candidate->collectives =
        summary_fields_array(fields, node, "communication", sizeof(struct summary_collective),
                             &candidate->collective_count, read_collective);
    candidate->checkpoints =
        summary_fields_array(fields, node, "checkpoint", sizeof(struct summary_checkpoint),
                             &candidate->checkpoint_count, read_checkpoint);
    read_failure(fields, node, &candidate->failure);
    long repeats = json_fields_index(&fields->json, node, "repeats", (size_t)1 << 30);
    candidate->repeats = repeats > 0 ? (size_t)repeats : 1;
    read_sources(fields, node, candidate);
    candidate->normalised =
        summary_fields_array(fields, node, "normalised", sizeof(struct summary_normalised),
                             &candidate->normalised_count, read_normalised);
    candidate->notes = summary_fields_messages(fields, node, "notes", &candidate->note_count);
}
