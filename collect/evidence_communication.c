#include <math.h>

#include "evidence_parts.h"

#define NS_PER_MS 1e6

/* One row: a collective for a purpose. */
struct row {
    enum schedule_collective collective;
    enum schedule_purpose purpose;
};

static uint64_t measured_steps(const struct evidence_parts *parts, uint64_t rank)
{
    uint64_t steps = 0;
    for (size_t round = 0; round < parts->source->round_count; round++)
        steps += evidence_source_measured(evidence_source_record(parts->source, round, rank));
    return steps;
}

/* What rank 0 counted, per step; false if that is no whole number (nothing was measured). */
static bool per_step(const struct evidence_parts *parts, uint64_t total, uint64_t *amount)
{
    uint64_t steps = measured_steps(parts, 0);
    if (steps == 0 || total % steps != 0)
        return false;
    *amount = total / steps;
    return true;
}

static uint64_t calls_of(const struct evidence_parts *parts, const struct row *row)
{
    uint64_t total = 0;
    for (size_t round = 0; round < parts->source->round_count; round++)
        total += evidence_source_record(parts->source, round, 0)
                     ->usage.calls[row->collective][row->purpose];
    return total;
}

static uint64_t payload_of(const struct evidence_parts *parts, const struct row *row)
{
    uint64_t total = 0;
    for (size_t round = 0; round < parts->source->round_count; round++)
        total += evidence_source_record(parts->source, round, 0)
                     ->usage.payload_bytes[row->collective][row->purpose];
    return total;
}

/* The largest rank's mean over its measured steps, ms; NAN if nothing was measured. */
static double time_ms(const struct evidence_parts *parts, const struct row *row, bool exposed)
{
    double largest = NAN;
    for (uint64_t rank = 0; rank < evidence_source_ranks(parts->source); rank++) {
        double total = 0;
        uint64_t steps = measured_steps(parts, rank);
        for (size_t round = 0; round < parts->source->round_count; round++) {
            const struct communicator_usage *usage =
                &evidence_source_record(parts->source, round, rank)->usage;
            total += (double)(exposed ? usage->exposed_ns
                                      : usage->in_flight_ns)[row->collective][row->purpose];
        }
        if (steps > 0)
            largest = fmax(largest, total / (double)steps / NS_PER_MS); /* ignores a first NAN */
    }
    return largest;
}

static json_t *row_of(const struct evidence_parts *parts, const struct row *row)
{
    uint64_t ranks = evidence_source_ranks(parts->source);
    uint64_t calls;
    uint64_t payload;
    json_t *object = json_write_object(parts->writer);
    evidence_parts_set_text(parts, object, "collective", schedule_collective_name(row->collective));
    evidence_parts_set_text(parts, object, "purpose", schedule_purpose_name(row->purpose));
    evidence_parts_set_count(
        parts, object, "expected_bytes",
        parts->source->plan->count.payload_bytes[row->collective][row->purpose]);
    evidence_parts_set_count(parts, object, "expected_calls",
                             parts->source->plan->count.calls[row->collective][row->purpose]);
    if (!per_step(parts, calls_of(parts, row), &calls) ||
        !per_step(parts, payload_of(parts, row), &payload))
        return object;
    double in_flight = time_ms(parts, row, false);
    evidence_parts_set_count(parts, object, "calls", calls);
    evidence_parts_set_count(parts, object, "payload_bytes", payload);
    evidence_parts_set_number(parts, object, "exposed_ms", time_ms(parts, row, true));
    evidence_parts_set_number(parts, object, "in_flight_ms", in_flight);
    if (ranks > 1 && in_flight > 0)
        evidence_parts_set_number(parts, object, "bus_gb_per_s",
                                  (double)payload *
                                      schedule_count_bus_factor(row->collective, ranks) /
                                      (in_flight / 1e3) / 1e9);
    return object;
}

/* Mean exposed time of a step, of the rank that has most. */
static double exposed_ms(const struct evidence_parts *parts, size_t round)
{
    double most = 0;
    for (uint64_t rank = 0; rank < evidence_source_ranks(parts->source); rank++) {
        const struct rank_record *record = evidence_source_record(parts->source, round, rank);
        uint64_t steps = evidence_source_measured(record);
        double own = 0;
        for (int phase = 0; phase < SCHEDULE_PHASE_COUNT; phase++)
            own += (double)record->usage.exposed_phase_ns[phase];
        if (steps > 0)
            most = fmax(most, own / (double)steps / NS_PER_MS);
    }
    return most;
}

/* The same where every collective was waited for at once; NAN unless measured. */
static double blocking_ms(const struct evidence_parts *parts, size_t round)
{
    double most = NAN;
    for (uint64_t rank = 0; rank < evidence_source_ranks(parts->source); rank++)
        most = fmax(most, evidence_source_record(parts->source, round, rank)->blocking_ms);
    return most > 0 ? most : NAN;
}

/* How much of the collectives' time computing hides, with what it was worked out from. */
static void set_overlap(const struct evidence_parts *parts, json_t *object)
{
    double blocking = NAN;
    double exposed = NAN;
    if (parts->source->round_count > 0) {
        blocking = blocking_ms(parts, 0);
        exposed = exposed_ms(parts, 0);
    }
    json_t *overlap = json_write_object(parts->writer);
    evidence_parts_set_number(parts, overlap, "exposed_ms", isnan(blocking) ? NAN : exposed);
    evidence_parts_set_number(parts, overlap, "blocking_ms", blocking);
    evidence_parts_set(parts, object, "overlap", overlap);
    evidence_parts_set_number(parts, object, "overlap_efficiency", 1 - exposed / blocking);
}

/* How rank 0's collectives were made; null if it never came to that. */
static void set_library(const struct evidence_parts *parts, json_t *object)
{
    const struct rank_record *record =
        parts->source->round_count > 0 ? evidence_source_record(parts->source, 0, 0) : NULL;
    const bool known = record != NULL && record->moved_by[0] != '\0';
    evidence_parts_set_text(parts, object, "progress", known ? record->moved_by : NULL);
    evidence_parts_set_text(parts, object, "algorithm", known ? record->algorithm : NULL);
}

json_t *evidence_parts_communication(const struct evidence_parts *parts)
{
    const struct schedule_count *expected = &parts->source->plan->count;
    json_t *object = json_write_object(parts->writer);
    json_t *rows = json_write_array(parts->writer);
    for (int c = 0; c < SCHEDULE_COLLECTIVE_COUNT; c++)
        for (int p = 0; p < SCHEDULE_PURPOSE_COUNT; p++) {
            struct row row = {(enum schedule_collective)c, (enum schedule_purpose)p};
            if (expected->calls[c][p] > 0 || calls_of(parts, &row) > 0)
                json_write_append(parts->writer, rows, row_of(parts, &row));
        }
    evidence_parts_set(parts, object, "collectives", rows);
    set_library(parts, object);
    evidence_parts_set_text(parts, object, "times", "largest rank's mean over measured steps");
    set_overlap(parts, object);
    return object;
}

/* ---- calibration ---- */

/* The last round in which rank 0 measured links; NULL if none did. */
static const struct rank_record *calibrated(const struct evidence_parts *parts)
{
    for (size_t round = parts->source->round_count; round-- > 0;)
        if (evidence_source_record(parts->source, round, 0)->link_count > 0)
            return evidence_source_record(parts->source, round, 0);
    return NULL;
}

static json_t *link_of(const struct evidence_parts *parts, const struct rank_link *link)
{
    uint64_t ranks = evidence_source_ranks(parts->source);
    json_t *object = json_write_object(parts->writer);
    evidence_parts_set_text(parts, object, "collective",
                            schedule_collective_name(link->collective));
    evidence_parts_set_text(parts, object, "call", "blocking");
    evidence_parts_set_count(parts, object, "payload_bytes", link->payload_bytes);
    evidence_parts_set_number(parts, object, "ms", link->ms);
    if (ranks > 1 && link->ms > 0)
        evidence_parts_set_number(parts, object, "bus_gb_per_s",
                                  (double)link->payload_bytes *
                                      schedule_count_bus_factor(link->collective, ranks) /
                                      (link->ms / 1e3) / 1e9);
    return object;
}

json_t *evidence_parts_calibration(const struct evidence_parts *parts)
{
    const struct rank_record *record = calibrated(parts);
    json_t *object = json_write_object(parts->writer);
    json_t *links = json_write_array(parts->writer);
    evidence_parts_set_number(parts, object, "matrix_product_tflops", parts->metrics.matrix_tflops);
    for (uint64_t i = 0; record != NULL && i < record->link_count && i < RANK_RECORD_LINKS; i++)
        json_write_append(parts->writer, links, link_of(parts, &record->links[i]));
    evidence_parts_set(parts, object, "links", links);
    return object;
}
