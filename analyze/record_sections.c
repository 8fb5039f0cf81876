#include "record_sections.h"

#include <math.h>
#include <string.h>

#include "normalise.h"

#define BYTES_PER_MB 1048576.0

static bool is_array(const struct json_read_document *json, uint32_t node)
{
    return json_read_is(json, node, JSON_READ_ARRAY);
}

/* An amount of bytes as MiB; NAN if absent, another type or negative. */
static double read_mb(const struct normalise *look, uint32_t object, const char *name)
{
    double bytes = normalise_number(look, object, name);
    return bytes >= 0 ? bytes / BYTES_PER_MB : NAN;
}

static double read_amount(const struct normalise *look, uint32_t object, const char *name)
{
    double value = normalise_number(look, object, name);
    return value >= 0 ? value : NAN;
}

/* A member's name as text; NULL: memory exhausted. */
static const char *key_text(struct normalise *look, uint32_t key)
{
    size_t capacity = (size_t)look->json->nodes[key].length + 1;
    char *text = arena_take(look->arena, capacity);
    if (text != NULL)
        json_read_string(look->json, key, text, capacity);
    return text;
}

static bool read_categories(struct normalise *look, uint32_t node, struct record_phase *phase)
{
    const struct json_read_document *json = look->json;
    if (!json_read_is(json, node, JSON_READ_OBJECT))
        return true;
    struct memory_amount *amounts =
        arena_take_array(look->arena, json_read_count(json, node), sizeof *amounts);
    if (amounts == NULL)
        return false;
    for (uint32_t key = json_read_first(json, node); key != JSON_READ_NONE;
         key = json_read_next(json, node, key)) {
        double bytes;
        if (!json_read_is(json, key + 1, JSON_READ_NUMBER) ||
            !json_read_double(json, key + 1, &bytes) || bytes < 0)
            continue;
        const char *category = key_text(look, key);
        if (category == NULL)
            return false;
        amounts[phase->category_count++] =
            (struct memory_amount){category, "", bytes / BYTES_PER_MB};
    }
    phase->categories = amounts;
    return true;
}

/* Checkpoints have a peak of their own, "checkpoint_peak_memory_mb" (evidence contract). */
static bool is_checkpoint(const char *phase)
{
    static const char prefix[] = "checkpoint";
    return strncmp(phase, prefix, sizeof prefix - 1) == 0;
}

static bool is_checkpoint_node(const struct json_read_document *json, uint32_t phase)
{
    char name[32];
    uint32_t node = json_read_member(json, phase, "phase");
    if (!json_read_is(json, node, JSON_READ_STRING))
        return false;
    json_read_string(json, node, name, sizeof name);
    return is_checkpoint(name);
}

/* The largest peak of one rank in training; NAN without phases. */
static double rank_peak(const struct normalise *look, uint32_t rank)
{
    const struct json_read_document *json = look->json;
    uint32_t phases = json_read_member(json, rank, "phases");
    double peak = NAN;
    if (!is_array(json, phases))
        return NAN;
    for (uint32_t node = json_read_first(json, phases); node != JSON_READ_NONE;
         node = json_read_next(json, phases, node)) {
        double value =
            is_checkpoint_node(json, node) ? (double)NAN : read_mb(look, node, "peak_bytes");
        if (isnan(peak) || value > peak)
            peak = value;
    }
    return peak;
}

static bool read_phases(struct normalise *look, uint32_t node, struct record_memory *memory)
{
    const struct json_read_document *json = look->json;
    struct record_phase *phases =
        arena_take_array(look->arena, json_read_count(json, node), sizeof *phases);
    if (phases == NULL)
        return false;
    for (uint32_t at = json_read_first(json, node); at != JSON_READ_NONE;
         at = json_read_next(json, node, at)) {
        struct record_phase phase = {.name = normalise_text(look, at, "phase"),
                                     .peak_mb = read_mb(look, at, "peak_bytes")};
        if (phase.name == NULL || isnan(phase.peak_mb))
            continue;
        if (!read_categories(look, json_read_member(json, at, "by_category"), &phase))
            return false;
        struct record_phase *place = &phases[memory->phase_count++];
        *place = phase;
        if (!is_checkpoint(phase.name) &&
            (memory->peak == NULL || phase.peak_mb > memory->peak->peak_mb))
            memory->peak = place;
    }
    memory->phases = phases;
    return true;
}

/* The object of the rank with the largest peak, the first of equal ones. */
static uint32_t fullest_rank(const struct normalise *look, uint32_t ranks)
{
    uint32_t fullest = JSON_READ_NONE;
    double peak = NAN;
    for (uint32_t node = json_read_first(look->json, ranks); node != JSON_READ_NONE;
         node = json_read_next(look->json, ranks, node)) {
        double value = rank_peak(look, node);
        if (!isnan(value) && (isnan(peak) || value > peak)) {
            peak = value;
            fullest = node;
        }
    }
    return fullest;
}

enum status record_sections_memory(const struct record *record, struct arena *arena,
                                   struct record_memory *memory, struct diag *diag)
{
    struct record_memory result = {.rank = NAN, .arena_mb = NAN, .process_peak_mb = NAN};
    struct normalise look = {.json = record->json, .arena = arena};
    *memory = result;
    if (record->json == NULL)
        return STATUS_OK;
    uint32_t ranks = json_read_member(
        record->json, json_read_member(record->json, record->node, "memory"), "per_rank");
    if (!is_array(record->json, ranks))
        return STATUS_OK;
    uint32_t rank = fullest_rank(&look, ranks);
    if (rank == JSON_READ_NONE)
        return STATUS_OK;
    result.rank = read_amount(&look, rank, "rank");
    result.arena_mb = read_mb(&look, rank, "arena_bytes");
    result.process_peak_mb = read_mb(&look, rank, "process_peak_bytes");
    if (!read_phases(&look, json_read_member(record->json, rank, "phases"), &result) || look.failed)
        return diag_no_memory(diag);
    *memory = result;
    return STATUS_OK;
}

enum status record_sections_fullest(const struct candidate *candidate, struct arena *arena,
                                    struct record_memory *memory, struct diag *diag)
{
    struct record_memory fullest = {.rank = NAN, .arena_mb = NAN, .process_peak_mb = NAN};
    for (size_t i = 0; i < candidate->record_count; i++) {
        struct record_memory one;
        enum status status = record_sections_memory(candidate->records[i], arena, &one, diag);
        if (status != STATUS_OK)
            return status;
        if (one.peak != NULL && (fullest.peak == NULL || one.peak->peak_mb > fullest.peak->peak_mb))
            fullest = one;
    }
    *memory = fullest;
    return STATUS_OK;
}

enum status record_sections_collectives(const struct record *record, struct arena *arena,
                                        const struct record_collective **collectives, size_t *count,
                                        struct diag *diag)
{
    *collectives = NULL;
    *count = 0;
    const struct json_read_document *json = record->json;
    if (json == NULL)
        return STATUS_OK;
    struct normalise look = {.json = json, .arena = arena};
    uint32_t list = json_read_member(json, json_read_member(json, record->node, "communication"),
                                     "collectives");
    if (!is_array(json, list))
        return STATUS_OK;
    struct record_collective *rows =
        arena_take_array(arena, json_read_count(json, list), sizeof *rows);
    size_t filled = 0;
    if (rows == NULL)
        return diag_no_memory(diag);
    for (uint32_t node = json_read_first(json, list); node != JSON_READ_NONE;
         node = json_read_next(json, list, node)) {
        struct record_collective row = {
            .collective = normalise_text(&look, node, "collective"),
            .purpose = normalise_text(&look, node, "purpose"),
            .calls = read_amount(&look, node, "calls"),
            .expected_calls = read_amount(&look, node, "expected_calls"),
            .payload_mb = read_mb(&look, node, "payload_bytes"),
            .expected_mb = read_mb(&look, node, "expected_bytes"),
            .exposed_ms = read_amount(&look, node, "exposed_ms"),
            .in_flight_ms = read_amount(&look, node, "in_flight_ms"),
            .bus_gb_per_s = read_amount(&look, node, "bus_gb_per_s"),
        };
        if (row.collective != NULL)
            rows[filled++] = row;
    }
    if (look.failed)
        return diag_no_memory(diag);
    *collectives = rows;
    *count = filled;
    return STATUS_OK;
}

bool record_sections_slowest(const struct record *record, struct record_timing *timing)
{
    const struct json_read_document *json = record->json;
    const struct normalise look = {.json = json};
    bool found = false;
    if (json == NULL)
        return false;
    uint32_t ranks =
        json_read_member(json, json_read_member(json, record->node, "timing"), "per_rank");
    if (!is_array(json, ranks))
        return false;
    for (uint32_t node = json_read_first(json, ranks); node != JSON_READ_NONE;
         node = json_read_next(json, ranks, node)) {
        double step_ms = read_amount(&look, node, "step_ms");
        if (isnan(step_ms) || (found && step_ms <= timing->step_ms))
            continue;
        found = true;
        *timing = (struct record_timing){
            .rank = read_amount(&look, node, "rank"),
            .step_ms = step_ms,
            .forward_ms = read_amount(&look, node, "forward_ms"),
            .backward_ms = read_amount(&look, node, "backward_ms"),
            .optimizer_ms = read_amount(&look, node, "optimizer_ms"),
            .exposed_ms = read_amount(&look, node, "exposed_ms"),
            .other_ms = read_amount(&look, node, "other_ms"),
            .in_flight_ms = read_amount(&look, node, "in_flight_ms"),
        };
    }
    return found;
}

enum status record_sections_links(const struct record *record, struct arena *arena,
                                  const struct record_link **links, size_t *count,
                                  struct diag *diag)
{
    *links = NULL;
    *count = 0;
    const struct json_read_document *json = record->json;
    if (json == NULL)
        return STATUS_OK;
    struct normalise look = {.json = json, .arena = arena};
    uint32_t list =
        json_read_member(json, json_read_member(json, record->node, "calibration"), "links");
    if (!is_array(json, list))
        return STATUS_OK;
    struct record_link *rows = arena_take_array(arena, json_read_count(json, list), sizeof *rows);
    size_t filled = 0;
    if (rows == NULL)
        return diag_no_memory(diag);
    for (uint32_t node = json_read_first(json, list); node != JSON_READ_NONE;
         node = json_read_next(json, list, node)) {
        struct record_link row = {
            .collective = normalise_text(&look, node, "collective"),
            .payload_mb = read_mb(&look, node, "payload_bytes"),
            .bus_gb_per_s = read_amount(&look, node, "bus_gb_per_s"),
        };
        if (row.collective != NULL && !isnan(row.payload_mb) && !isnan(row.bus_gb_per_s))
            rows[filled++] = row;
    }
    if (look.failed)
        return diag_no_memory(diag);
    *links = rows;
    *count = filled;
    return STATUS_OK;
}

static int read_flag(const struct json_read_document *json, uint32_t node)
{
    if (json_read_is(json, node, JSON_READ_TRUE))
        return 1;
    return json_read_is(json, node, JSON_READ_FALSE) ? 0 : -1;
}

enum status record_sections_checkpoints(const struct record *record, struct arena *arena,
                                        const struct record_checkpoint **checkpoints, size_t *count,
                                        struct diag *diag)
{
    *checkpoints = NULL;
    *count = 0;
    const struct json_read_document *json = record->json;
    if (json == NULL)
        return STATUS_OK;
    struct normalise look = {.json = json, .arena = arena};
    uint32_t list = json_read_member(json, record->node, "checkpoint");
    if (!is_array(json, list))
        return STATUS_OK;
    struct record_checkpoint *rows =
        arena_take_array(arena, json_read_count(json, list), sizeof *rows);
    size_t filled = 0;
    if (rows == NULL)
        return diag_no_memory(diag);
    for (uint32_t node = json_read_first(json, list); node != JSON_READ_NONE;
         node = json_read_next(json, list, node)) {
        struct record_checkpoint row = {
            .kind = normalise_text(&look, node, "kind"),
            .files = read_amount(&look, node, "files"),
            .mb = read_mb(&look, node, "bytes"),
            .save_ms = read_amount(&look, node, "save_ms"),
            .restore_ms = read_amount(&look, node, "restore_ms"),
            .restore_verified = read_flag(json, json_read_member(json, node, "restore_verified")),
        };
        if (row.kind != NULL)
            rows[filled++] = row;
    }
    if (look.failed)
        return diag_no_memory(diag);
    *checkpoints = rows;
    *count = filled;
    return STATUS_OK;
}
