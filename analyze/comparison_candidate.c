#include "comparison_candidate.h"

#include <math.h>
#include <string.h>

#include "candidate_times.h"
#include "statistics.h"

static void read_gates(struct summary_reader *reader, uint32_t node,
                       struct comparison_candidate *candidate)
{
    size_t count;
    const uint32_t *nodes = summary_reader_objects(
        reader, summary_reader_need(reader, node, "gates", JSON_READ_ARRAY), &count);
    struct comparison_gate *gates = json_fields_take(&reader->fields, count, sizeof *gates);
    for (size_t i = 0; i < count && reader->fields.status == STATUS_OK; i++)
        gates[i] = (struct comparison_gate){
            .name = summary_reader_need_text(reader, nodes[i], "name"),
            .verdict = summary_reader_need_text(reader, nodes[i], "verdict"),
            .unit = summary_reader_text(reader, nodes[i], "unit"),
            .detail = summary_reader_text(reader, nodes[i], "detail"),
            .value = json_fields_number(&reader->fields, nodes[i], "value"),
            .limit = json_fields_number(&reader->fields, nodes[i], "limit"),
            .margin = json_fields_number(&reader->fields, nodes[i], "margin"),
            .margin_percent = json_fields_number(&reader->fields, nodes[i], "margin_percent"),
            .failed = json_fields_flag(&reader->fields, nodes[i], "failed")};
    candidate->gates = gates;
    candidate->gate_count = count;
}

static void read_workload(struct summary_reader *reader, uint32_t node,
                          struct comparison_candidate *candidate)
{
    uint32_t workload = json_fields_member(&reader->fields, node, "workload", JSON_READ_OBJECT);
    static const enum comparability_field numbers[] = {
        COMPARABILITY_WORLD_SIZE, COMPARABILITY_GLOBAL_BATCH, COMPARABILITY_MICRO_BATCH,
        COMPARABILITY_GRADIENT_ACCUMULATION, COMPARABILITY_SEQ_LEN};
    for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++)
        candidate->workload[field] = NAN;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        candidate->workload[numbers[i]] =
            json_fields_number(&reader->fields, workload, comparability_name(numbers[i]));
    const char *const flag = comparability_name(COMPARABILITY_ACTIVATION_CHECKPOINTING);
    if (json_read_member(&reader->json, workload, flag) != JSON_READ_NONE)
        candidate->workload[COMPARABILITY_ACTIVATION_CHECKPOINTING] =
            json_fields_flag(&reader->fields, workload, flag);
}

static void read_memory(struct summary_reader *reader, uint32_t node,
                        struct comparison_candidate *candidate)
{
    uint32_t metrics = summary_reader_need(reader, node, "metrics", JSON_READ_OBJECT);
    uint32_t kinds = json_fields_member(
        &reader->fields, json_fields_member(&reader->fields, node, "memory", JSON_READ_OBJECT),
        "kinds", JSON_READ_OBJECT);
    const char *kind = summary_reader_text(reader, metrics, "memory_kind");
    enum memory_kind read;
    candidate->memory_kind = -1;
    if (kind != NULL && memory_kind_find(kind, strlen(kind), &read))
        candidate->memory_kind = (int)read;
    for (int i = 0; i < MEMORY_KIND_COUNT; i++)
        candidate->peak_mb[i] =
            json_fields_amount(&reader->fields, kinds, memory_kind_name((enum memory_kind)i));
    if (candidate->memory_kind >= 0 && isnan(candidate->peak_mb[candidate->memory_kind]))
        candidate->peak_mb[candidate->memory_kind] =
            json_fields_amount(&reader->fields, metrics, "peak_memory_mb");
    candidate->checkpoint_peak_mb =
        json_fields_amount(&reader->fields, metrics, "checkpoint_peak_memory_mb");
    candidate->resident_mb = json_fields_number(
        &reader->fields, json_fields_member(&reader->fields, node, "ledger", JSON_READ_OBJECT),
        "resident_mb");
}

/* The sum over collectives; NAN where none is told, or one of them is not. */
static double payload_of(struct summary_reader *reader, uint32_t node)
{
    size_t count;
    const uint32_t *rows = summary_reader_objects(
        reader, json_fields_member(&reader->fields, node, "communication", JSON_READ_ARRAY),
        &count);
    double sum = count > 0 ? 0 : (double)NAN;
    for (size_t i = 0; i < count; i++)
        sum += json_fields_number(&reader->fields, rows[i], "payload_mb");
    return isfinite(sum) ? sum : (double)NAN;
}

/* ---- samples ---- */

static struct series *read_ranks(struct summary_reader *reader, uint32_t samples, size_t *count)
{
    const struct json_read_document *json = &reader->json;
    uint32_t list = json_fields_member(&reader->fields, samples, "step_times_ms", JSON_READ_ARRAY);
    *count = 0;
    if (list == JSON_READ_NONE)
        return NULL;
    struct series *ranks =
        json_fields_take(&reader->fields, json_read_count(json, list), sizeof *ranks);
    if (ranks == NULL)
        return NULL;
    for (uint32_t node = json_read_first(json, list);
         node != JSON_READ_NONE && reader->fields.status == STATUS_OK;
         node = json_read_next(json, list, node)) {
        if (!json_read_is(json, node, JSON_READ_ARRAY))
            reader->fields.status =
                json_read_refuse(&reader->fields.source, node, reader->fields.diag,
                                 "expected the step times of a rank, an array");
        else
            ranks[(*count)++] = summary_reader_series(reader, node);
    }
    return ranks;
}

/* Steps of each round; one round where the summary does not tell of them, or they do not add up. */
static size_t *read_rounds(struct summary_reader *reader, uint32_t samples, size_t steps,
                           size_t *count)
{
    struct series told = summary_reader_series(
        reader, json_fields_member(&reader->fields, samples, "round_steps", JSON_READ_ARRAY));
    size_t *rounds = arena_take_array(reader->fields.arena, told.count + 1, sizeof *rounds);
    double sum = 0;
    *count = 0;
    if (rounds == NULL)
        return NULL;
    for (size_t i = 0; i < told.count; i++) {
        bool whole = told.values[i] >= 0 && told.values[i] <= (double)steps &&
                     floor(told.values[i]) == told.values[i];
        sum += whole ? told.values[i] : (double)NAN;
        rounds[(*count)++] = whole ? (size_t)told.values[i] : 0;
    }
    if (sum != (double)steps) {
        rounds[0] = steps;
        *count = 1;
    }
    return rounds;
}

static void read_samples(struct summary_reader *reader, uint32_t node,
                         struct comparison_candidate *candidate)
{
    uint32_t samples = json_fields_member(&reader->fields, node, "samples", JSON_READ_OBJECT);
    size_t rank_count;
    struct series *ranks = read_ranks(reader, samples, &rank_count);
    struct interval_sample sample = {0};
    bool failed = false;
    candidate->losses = summary_reader_series(
        reader, json_fields_member(&reader->fields, samples, "losses", JSON_READ_ARRAY));
    if (reader->fields.status != STATUS_OK)
        return;
    sample.values =
        statistics_slowest_rank(ranks, rank_count, reader->fields.arena, &sample.count, &failed);
    sample.rounds = read_rounds(reader, samples, sample.count, &sample.round_count);
    if (failed || sample.rounds == NULL)
        json_fields_no_memory(&reader->fields);
    if (reader->fields.status == STATUS_OK)
        reader->fields.status =
            candidate_times_make(&sample, candidate->throughput, reader->fields.arena,
                                 &candidate->times, reader->fields.diag);
}

static const char *read_failure(struct summary_reader *reader, uint32_t node)
{
    uint32_t failure = json_fields_member(&reader->fields, node, "failure", JSON_READ_OBJECT);
    if (failure == JSON_READ_NONE)
        return NULL;
    const char *reason = summary_reader_text(reader, failure, "reason");
    return reason != NULL ? reason : "not given";
}

void comparison_candidate_read(struct summary_reader *reader, uint32_t node,
                               struct comparison_candidate *candidate)
{
    uint32_t metrics = summary_reader_need(reader, node, "metrics", JSON_READ_OBJECT);
    double repeats = json_fields_number(&reader->fields, node, "repeats");
    *candidate = (struct comparison_candidate){
        .label = summary_reader_need_text(reader, node, "label"),
        .strategy = summary_reader_need_text(reader, node, "strategy"),
        .level = summary_reader_text(reader, node, "evidence_level"),
        .eligible = json_fields_flag(&reader->fields, node, "eligible"),
        .times_count = json_fields_flag(&reader->fields, node, "times_count"),
        .rank = json_fields_number(&reader->fields, node, "rank"),
        .throughput_unit = summary_reader_text(reader, metrics, "throughput_unit"),
        .throughput = json_fields_amount(&reader->fields, metrics, "throughput"),
        .step_time_ms = json_fields_amount(&reader->fields, metrics, "step_time_ms"),
        .communication_ratio = json_fields_amount(&reader->fields, metrics, "communication_ratio"),
        .payload_mb = payload_of(reader, node),
        .failure = read_failure(reader, node),
        .repeats = repeats >= 1 && repeats < 1e9 ? (size_t)repeats : 1,
        .json = &reader->json,
        .varied_node = json_fields_member(&reader->fields, node, "varied", JSON_READ_ARRAY),
    };
    double failed = json_fields_number(
        &reader->fields, json_fields_member(&reader->fields, node, "failure", JSON_READ_OBJECT),
        "repeats_failed");
    candidate->failed_repeats = failed >= 1 && failed < 1e9 ? (size_t)failed : 0;
    read_gates(reader, node, candidate);
    read_workload(reader, node, candidate);
    read_memory(reader, node, candidate);
    read_samples(reader, node, candidate);
}
