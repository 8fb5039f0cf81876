#include <math.h>

#include "record_sections.h"
#include "summary_parts.h"

/* Keeps the first failure of reading a section; true if all is well. */
static bool keep(struct summary_parts *parts, enum status status)
{
    if (parts->status == STATUS_OK)
        parts->status = status;
    return status == STATUS_OK;
}

/* Adds up categories of one name (a hostile record may repeat none: keys are unique). */
static json_t *phases_of(struct summary_parts *parts, const struct record_memory *memory)
{
    struct json_write *writer = &parts->writer;
    json_t *array = json_write_array(writer);
    for (size_t i = 0; i < memory->phase_count; i++) {
        const struct record_phase *phase = &memory->phases[i];
        json_t *object = json_write_object(writer);
        json_t *categories = json_write_object(writer);
        for (size_t c = 0; c < phase->category_count; c++)
            summary_parts_put_number(parts, categories, phase->categories[c].category,
                                     phase->categories[c].mb);
        summary_parts_put_text(parts, object, "phase", phase->name);
        summary_parts_put_number(parts, object, "peak_mb", phase->peak_mb);
        json_write_set(writer, object, "by_category", categories);
        json_write_append(writer, array, object);
    }
    return array;
}

json_t *summary_parts_memory(struct summary_parts *parts, const struct candidate *candidate)
{
    struct json_write *writer = &parts->writer;
    struct record_memory memory = {.rank = NAN, .arena_mb = NAN, .process_peak_mb = NAN};
    keep(parts, record_sections_fullest(candidate, parts->arena, &memory, parts->diag));
    json_t *object = json_write_object(writer);
    json_t *kinds = json_write_object(writer);
    for (int kind = 0; kind < MEMORY_KIND_COUNT; kind++)
        json_write_set(writer, kinds, memory_kind_name((enum memory_kind)kind),
                       summary_parts_number(parts, candidate->metrics.peak_mb[kind]));
    json_write_set(writer, object, "kinds", kinds);
    json_write_set(writer, object, "per_rank_mb",
                   summary_parts_series(parts, &candidate->metrics.per_rank_peak_mb));
    json_write_set(writer, object, "phases", phases_of(parts, &memory));
    json_write_set(writer, object, "rank", summary_parts_number(parts, memory.rank));
    json_write_set(writer, object, "process_peak_mb",
                   summary_parts_number(parts, memory.process_peak_mb));
    json_write_set(writer, object, "arena_mb", summary_parts_number(parts, memory.arena_mb));
    return object;
}

static json_t *names(struct summary_parts *parts, const char *const *items, size_t count)
{
    json_t *array = json_write_array(&parts->writer);
    for (size_t i = 0; i < count; i++)
        json_write_append(&parts->writer, array, json_write_string(&parts->writer, items[i]));
    return array;
}

static json_t *temporary_of(struct summary_parts *parts, const struct candidate_ledger *ledger)
{
    struct json_write *writer = &parts->writer;
    json_t *array = json_write_array(writer);
    for (size_t i = 0; i < ledger->temporary_count; i++) {
        json_t *object = json_write_object(writer);
        summary_parts_put_text(parts, object, "category", ledger->temporary[i].category);
        summary_parts_put_number(parts, object, "mb", ledger->temporary[i].mb);
        summary_parts_put_text(parts, object, "text", ledger->temporary[i].text);
        json_write_append(writer, array, object);
    }
    return array;
}

/* Beyond this world size a state that is sharded is no longer seen beside one that is not. */
#define LARGEST_WORLD 1024

/* The resident state of one rank by the ledger's arithmetic at 1, 2, 4, ... ranks: what is sharded
 * is divided by them, what is not stays. NULL members where the ledger is not available. */
static json_t *scale_of(struct summary_parts *parts, const struct candidate *candidate)
{
    const struct candidate_ledger *ledger = &candidate->ledger;
    struct json_write *writer = &parts->writer;
    const struct training_state_bytes whole = {ledger->state.parameters *
                                                   ledger->parameters_divisor,
                                               ledger->state.gradients * ledger->gradients_divisor,
                                               ledger->state.optimizer * ledger->optimizer_divisor};
    if (!ledger->available || !isfinite(whole.parameters + whole.gradients + whole.optimizer))
        return json_write_null(writer);
    json_t *object = json_write_object(writer);
    json_t *sizes = json_write_array(writer);
    json_t *residents = json_write_array(writer);
    for (int64_t ranks = 1; ranks <= LARGEST_WORLD; ranks *= 2) {
        struct training_state_ledger state = {0};
        if (!keep(parts,
                  training_state_ledger(&whole, ranks, candidate->strategy, &state, parts->diag)))
            break;
        json_write_append(writer, sizes, json_write_integer(writer, ranks));
        json_write_append(writer, residents, summary_parts_number(parts, state.resident));
    }
    json_write_set(writer, object, "world_size", sizes);
    json_write_set(writer, object, "resident_mb", residents);
    return object;
}

json_t *summary_parts_ledger(struct summary_parts *parts, const struct candidate *candidate)
{
    const struct candidate_ledger *ledger = &candidate->ledger;
    struct json_write *writer = &parts->writer;
    json_t *object = json_write_object(writer);
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        {"parameters_mb", ledger->state.parameters},
        {"gradients_mb", ledger->state.gradients},
        {"optimizer_state_mb", ledger->state.optimizer},
        {"resident_mb", ledger->state.resident},
        {"parameters_divisor", ledger->parameters_divisor},
        {"gradients_divisor", ledger->gradients_divisor},
        {"optimizer_divisor", ledger->optimizer_divisor},
        {"persistent_parameters_mb", ledger->persistent_parameters_mb},
        {"padding_mb", ledger->padding_mb},
        {"temporary_mb", ledger->temporary_mb},
        {"residual_mb", ledger->residual_mb},
        {"predicted_peak_mb", ledger->foreseen_peak_mb},
    };
    static const char *const sources[] = {[CANDIDATE_FORMULA] = "formula",
                                          [CANDIDATE_RECORD] = "record",
                                          [CANDIDATE_MEASURED] = "measured"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        json_write_set(writer, object, numbers[i].key,
                       summary_parts_number(parts, numbers[i].value));
    json_write_set(writer, object, "available", json_write_bool(writer, ledger->available));
    summary_parts_put_text(parts, object, "source", ledger->from_record ? "record" : "formula");
    summary_parts_put_text(parts, object, "temporary_source", sources[ledger->temporary_source]);
    json_write_set(writer, object, "scale", scale_of(parts, candidate));
    json_write_set(writer, object, "missing", names(parts, ledger->missing, ledger->missing_count));
    json_write_set(writer, object, "temporary", temporary_of(parts, ledger));
    json_write_set(writer, object, "temporary_missing",
                   names(parts, ledger->temporary_missing, ledger->temporary_missing_count));
    return object;
}

static json_t *collective_of(struct summary_parts *parts, const struct record_collective *row)
{
    json_t *object = json_write_object(&parts->writer);
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        {"calls", row->calls},
        {"expected_calls", row->expected_calls},
        {"payload_mb", row->payload_mb},
        {"expected_mb", row->expected_mb},
        {"exposed_ms", row->exposed_ms},
        {"in_flight_ms", row->in_flight_ms},
        {"bus_gb_per_s", row->bus_gb_per_s},
    };
    summary_parts_put_text(parts, object, "collective", row->collective);
    json_write_set(&parts->writer, object, "purpose",
                   json_write_string(&parts->writer, row->purpose));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        json_write_set(&parts->writer, object, numbers[i].key,
                       summary_parts_number(parts, numbers[i].value));
    return object;
}

/* Of the first run that has the section: calls and bytes are the same in every repeat. */
json_t *summary_parts_communication(struct summary_parts *parts, const struct candidate *candidate)
{
    json_t *array = json_write_array(&parts->writer);
    const struct record_collective *rows = NULL;
    size_t count = 0;
    for (size_t i = 0; i < candidate->record_count && count == 0; i++)
        if (!keep(parts, record_sections_collectives(candidate->records[i], parts->arena, &rows,
                                                     &count, parts->diag)))
            return array;
    for (size_t i = 0; i < count; i++)
        json_write_append(&parts->writer, array, collective_of(parts, &rows[i]));
    return array;
}

/* Of the first run that has any: they are the machine's. */
json_t *summary_parts_links(struct summary_parts *parts, const struct candidate *candidate)
{
    struct json_write *writer = &parts->writer;
    json_t *array = json_write_array(writer);
    const struct record_link *rows = NULL;
    size_t count = 0;
    for (size_t i = 0; i < candidate->record_count && count == 0; i++)
        if (!keep(parts, record_sections_links(candidate->records[i], parts->arena, &rows, &count,
                                               parts->diag)))
            return array;
    for (size_t i = 0; i < count; i++) {
        json_t *object = json_write_object(writer);
        summary_parts_put_text(parts, object, "collective", rows[i].collective);
        summary_parts_put_number(parts, object, "payload_mb", rows[i].payload_mb);
        summary_parts_put_number(parts, object, "bus_gb_per_s", rows[i].bus_gb_per_s);
        json_write_append(writer, array, object);
    }
    return array;
}

static json_t *checkpoint_of(struct summary_parts *parts, const struct record_checkpoint *row)
{
    json_t *object = json_write_object(&parts->writer);
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"files", row->files},
                   {"mb", row->mb},
                   {"save_ms", row->save_ms},
                   {"restore_ms", row->restore_ms}};
    summary_parts_put_text(parts, object, "kind", row->kind);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        json_write_set(&parts->writer, object, numbers[i].key,
                       summary_parts_number(parts, numbers[i].value));
    json_write_set(&parts->writer, object, "restore_verified",
                   row->restore_verified < 0
                       ? json_write_null(&parts->writer)
                       : json_write_bool(&parts->writer, row->restore_verified == 1));
    return object;
}

/* Of the first run that made any. */
json_t *summary_parts_checkpoints(struct summary_parts *parts, const struct candidate *candidate)
{
    json_t *array = json_write_array(&parts->writer);
    const struct record_checkpoint *rows = NULL;
    size_t count = 0;
    for (size_t i = 0; i < candidate->record_count && count == 0; i++)
        if (!keep(parts, record_sections_checkpoints(candidate->records[i], parts->arena, &rows,
                                                     &count, parts->diag)))
            return array;
    for (size_t i = 0; i < count; i++)
        json_write_append(&parts->writer, array, checkpoint_of(parts, &rows[i]));
    return array;
}
