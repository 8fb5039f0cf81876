#include "evidence_parts.h"

static json_t *by_category(const struct evidence_parts *parts, const uint64_t *bytes)
{
    json_t *object = json_write_object(parts->writer);
    for (int category = 0; category < SCHEDULE_CATEGORY_COUNT; category++)
        if (bytes[category] > 0)
            evidence_parts_set_count(parts, object,
                                     schedule_category_name((enum schedule_category)category),
                                     bytes[category]);
    return object;
}

static json_t *phases(const struct evidence_parts *parts, uint64_t rank)
{
    json_t *array = json_write_array(parts->writer);
    for (int phase = 0; phase < SCHEDULE_PHASE_COUNT; phase++) {
        size_t round;
        enum schedule_phase which = (enum schedule_phase)phase;
        uint64_t peak = evidence_metrics_phase_peak(parts->source, rank, which, &round);
        if (peak == 0)
            continue;
        const struct rank_record *record = evidence_source_record(parts->source, round, rank);
        json_t *object = json_write_object(parts->writer);
        evidence_parts_set_text(parts, object, "phase", schedule_phase_name(which));
        evidence_parts_set_count(parts, object, "peak_bytes", peak);
        evidence_parts_set(parts, object, "by_category",
                           by_category(parts, record->at_peak[phase]));
        json_write_append(parts->writer, array, object);
    }
    return array;
}

static json_t *resident(const struct evidence_parts *parts, const struct rank_record *record)
{
    static const enum schedule_category state[] = {SCHEDULE_PARAMETERS, SCHEDULE_GRADIENTS,
                                                   SCHEDULE_OPTIMIZER_STATE};
    json_t *object = json_write_object(parts->writer);
    for (size_t i = 0; i < sizeof state / sizeof state[0]; i++)
        evidence_parts_set_count(parts, object, schedule_category_name(state[i]),
                                 record->resident[state[i]]);
    return object;
}

/* The most of each category over all rounds: those after the first make no checkpoint. */
static json_t *category_peaks(const struct evidence_parts *parts, uint64_t rank)
{
    uint64_t largest[SCHEDULE_CATEGORY_COUNT] = {0};
    for (size_t round = 0; round < parts->source->round_count; round++) {
        const uint64_t *peaks = evidence_source_record(parts->source, round, rank)->category_peak;
        for (int category = 0; category < SCHEDULE_CATEGORY_COUNT; category++)
            if (peaks[category] > largest[category])
                largest[category] = peaks[category];
    }
    return by_category(parts, largest);
}

/* The round in which the process grew largest; all rounds reserve the same arena. */
static const struct rank_record *largest_process(const struct evidence_parts *parts, uint64_t rank)
{
    const struct rank_record *largest = evidence_source_record(parts->source, 0, rank);
    for (size_t round = 1; round < parts->source->round_count; round++) {
        const struct rank_record *record = evidence_source_record(parts->source, round, rank);
        if (record->process_peak_bytes > largest->process_peak_bytes)
            largest = record;
    }
    return largest;
}

/* The device's memory over all rounds: what was in use before this rank used it, where that is
 * known, at most in training and at all; and what of it is neither that nor the arena: context,
 * kernels, libraries. */
static void set_device(const struct evidence_parts *parts, uint64_t rank, json_t *object)
{
    struct evidence_metrics_device device;
    if (!evidence_metrics_device_of(parts->source, rank, &device))
        return;
    if (device.before_bytes > 0)
        evidence_parts_set_count(parts, object, "device_before_bytes", device.before_bytes);
    evidence_parts_set_count(parts, object, "device_training_peak_bytes",
                             device.training_peak_bytes);
    evidence_parts_set_count(parts, object, "device_peak_bytes", device.peak_bytes);
    if (device.own_bytes > 0 && device.before_bytes > 0) /* else somebody else's may be in it */
        evidence_parts_set_count(parts, object, "device_residual_bytes",
                                 device.own_bytes - device.arena_bytes);
}

static json_t *rank_memory(const struct evidence_parts *parts, uint64_t rank)
{
    const struct rank_record *record = largest_process(parts, rank);
    json_t *object = json_write_object(parts->writer);
    evidence_parts_set_count(parts, object, "rank", rank);
    if (record->arena_bytes == 0)
        return object; /* it never came so far, or nobody knows */
    evidence_parts_set_count(parts, object, "arena_bytes", record->arena_bytes);
    evidence_parts_set_count(parts, object, "process_peak_bytes", record->process_peak_bytes);
    evidence_parts_set_count(parts, object, "process_before_arena_bytes",
                             record->process_before_bytes);
    /* What the process takes beyond its arena: program, BLAS, MPI, this record. */
    if (!record->gpu.used && record->process_peak_bytes > record->arena_bytes)
        evidence_parts_set_count(parts, object, "process_residual_bytes",
                                 record->process_peak_bytes - record->arena_bytes);
    set_device(parts, rank, object);
    evidence_parts_set(parts, object, "resident", resident(parts, record));
    evidence_parts_set(parts, object, "phases", phases(parts, rank));
    evidence_parts_set(parts, object, "category_peaks", category_peaks(parts, rank));
    return object;
}

json_t *evidence_parts_memory(const struct evidence_parts *parts)
{
    json_t *object = json_write_object(parts->writer);
    json_t *ranks = json_write_array(parts->writer);
    if (parts->source->round_count == 0) {
        evidence_parts_set(parts, object, "per_rank", json_write_null(parts->writer));
        json_decref(ranks);
        return object;
    }
    for (uint64_t rank = 0; rank < evidence_source_ranks(parts->source); rank++)
        json_write_append(parts->writer, ranks, rank_memory(parts, rank));
    evidence_parts_set(parts, object, "per_rank", ranks);
    return object;
}

/* ---- checkpoints; they are made in the first round ---- */

/* True if every rank verified what it restored; the slowest rank's times. */
static bool gather(const struct evidence_parts *parts, int kind, struct rank_checkpoint *all)
{
    bool verified = true;
    *all = evidence_source_record(parts->source, 0, 0)->checkpoints[kind];
    for (uint64_t rank = 0; rank < evidence_source_ranks(parts->source); rank++) {
        const struct rank_checkpoint *own =
            &evidence_source_record(parts->source, 0, rank)->checkpoints[kind];
        verified = verified && own->verified;
        all->done = all->done && own->done;
        all->restored = all->restored && own->restored;
        all->save_ms = own->save_ms > all->save_ms ? own->save_ms : all->save_ms;
        all->restore_ms = own->restore_ms > all->restore_ms ? own->restore_ms : all->restore_ms;
    }
    return verified;
}

json_t *evidence_parts_checkpoint(const struct evidence_parts *parts)
{
    json_t *array = json_write_array(parts->writer);
    for (int kind = 0; parts->source->round_count > 0 && kind < RANK_RECORD_CHECKPOINTS; kind++) {
        struct rank_checkpoint all;
        bool verified = gather(parts, kind, &all);
        if (!all.done)
            continue;
        json_t *object = json_write_object(parts->writer);
        evidence_parts_set_text(parts, object, "kind", kind == 0 ? "full" : "sharded");
        evidence_parts_set_count(parts, object, "files", all.files);
        evidence_parts_set_count(parts, object, "bytes", all.bytes);
        evidence_parts_set_number(parts, object, "save_ms", all.save_ms);
        if (all.restored) {
            evidence_parts_set_number(parts, object, "restore_ms", all.restore_ms);
            evidence_parts_set_bool(parts, object, "restore_verified", verified);
        }
        json_write_append(parts->writer, array, object);
    }
    return array;
}
