#include "calibration.h"

#include <stdlib.h>

/* Small payloads are timed more often: until so much was moved, at most so many times. */
#define MOVED_BYTES (UINT64_C(32) << 20)
#define MOST_CALLS 101

static int compare(const void *a, const void *b)
{
    double first = *(const double *)a;
    double second = *(const double *)b;
    return (first > second) - (first < second);
}

static enum status post(const struct calibration_request *request,
                        enum schedule_collective collective, uint64_t payload, struct diag *diag)
{
    struct communicator *communicator = request->communicator;
    uint64_t part_bytes = payload / communicator->world_size;
    struct communicator_segment segment = {
        .whole = request->memory,
        .shard = (const unsigned char *)request->memory + communicator->rank * part_bytes,
        .part_elements = part_bytes / model_dtype_bytes(communicator->wire),
    };
    struct communicator_call call = {
        .collective = collective,
        .purpose = collective == SCHEDULE_ALL_GATHER ? SCHEDULE_PARAMETER_GATHER
                                                     : SCHEDULE_GRADIENT_REDUCTION,
        .segments = &segment,
        .segment_count = 1,
        .payload_bytes = payload,
    };
    return communicator_post(communicator, &call, diag); /* it is blocking here */
}

/* When every call began and was complete, as marks of the communicator's timeline. */
struct samples {
    uint64_t count;
    uint64_t begin[SCHEDULE_COLLECTIVE_COUNT][MOST_CALLS];
    uint64_t end[SCHEDULE_COLLECTIVE_COUNT][MOST_CALLS];
};

/*
 * The collectives take turns, so that each finds what it sends freshly written by the one before,
 * as in a step; in a loop of one alone it would lie in the receiver's cache already. The first turn
 * is not measured.
 */
static enum status take_samples(const struct calibration_request *request, uint64_t payload,
                                struct samples *samples, struct diag *diag)
{
    uint64_t count = MOVED_BYTES / payload;
    count = count < request->least_calls ? request->least_calls : count;
    samples->count = count > MOST_CALLS ? MOST_CALLS : count;
    const struct timeline *timeline = request->communicator->timeline;
    timeline_restart(timeline);
    enum status status = communicator_barrier(request->communicator, diag);
    for (uint64_t i = 0; i <= samples->count; i++) {
        uint64_t at = i > 0 ? i - 1 : 0;
        for (int c = 0; status == STATUS_OK && c < SCHEDULE_COLLECTIVE_COUNT; c++) {
            samples->begin[c][at] = timeline_mark(timeline, TIMELINE_COMPUTE);
            status = post(request, (enum schedule_collective)c, payload, diag);
            samples->end[c][at] = timeline_mark(timeline, TIMELINE_COMPUTE);
        }
    }
    if (status == STATUS_OK) {
        status = communicator_drain(request->communicator, diag);
    }
    if (status == STATUS_OK) {
        communicator_settle(request->communicator);
    }
    return status;
}

/* Nanoseconds of a collective's calls; the device has passed their marks. */
static double median(const struct timeline *timeline, const struct samples *samples, int collective)
{
    double ns[MOST_CALLS];
    for (uint64_t i = 0; i < samples->count; i++) {
        ns[i] = (double)(timeline_ns(timeline, samples->end[collective][i]) -
                         timeline_ns(timeline, samples->begin[collective][i]));
    }
    qsort(ns, samples->count, sizeof ns[0], compare);
    return ns[samples->count / 2];
}

/* On rank 0 the largest of all ranks' values. */
static enum status slowest(struct communicator *communicator,
                           double values[SCHEDULE_COLLECTIVE_COUNT], struct diag *diag)
{
    const size_t bytes = SCHEDULE_COLLECTIVE_COUNT * sizeof *values;
    double *all = NULL;
    if (communicator->rank == 0) {
        all = calloc(communicator->world_size, bytes);
        if (!all) {
            return diag_no_memory(diag);
        }
    }
    enum status status = communicator_gather(communicator, values, bytes, all, 0, diag);
    for (uint64_t i = 0; all && i < SCHEDULE_COLLECTIVE_COUNT * communicator->world_size; i++) {
        double *value = &values[i % SCHEDULE_COLLECTIVE_COUNT];
        *value = status == STATUS_OK && all[i] > *value ? all[i] : *value;
    }
    free(all);
    return status;
}

/* Three rows for one payload. */
static enum status time_links(const struct calibration_request *request, uint64_t payload,
                              struct rank_link *links, struct diag *diag)
{
    struct samples samples;
    double medians[SCHEDULE_COLLECTIVE_COUNT];
    enum status status = take_samples(request, payload, &samples, diag);
    if (status != STATUS_OK) {
        return status;
    }
    for (int c = 0; c < SCHEDULE_COLLECTIVE_COUNT; c++) {
        medians[c] = median(request->communicator->timeline, &samples, c);
    }
    status = slowest(request->communicator, medians, diag);
    for (int c = 0; status == STATUS_OK && c < SCHEDULE_COLLECTIVE_COUNT; c++) {
        links[c] = (struct rank_link){.collective = (enum schedule_collective)c,
                                      .payload_bytes = payload,
                                      .ms = medians[c] / 1e6};
    }
    return status;
}

static enum status measure(const struct calibration_request *request, uint64_t *link_count,
                           struct diag *diag)
{
    const struct communicator *communicator = request->communicator;
    uint64_t step = 16 * communicator->world_size * model_dtype_bytes(communicator->wire);
    enum status status = STATUS_OK;
    *link_count = 0;
    if (communicator->world_size == 1) { /* there is no link */
        return STATUS_OK;
    }
    for (size_t i = 0; status == STATUS_OK && i < request->payload_count; i++) {
        uint64_t payload = request->payloads[i] / step * step;
        if (payload == 0 || payload > request->bytes ||
            *link_count + SCHEDULE_COLLECTIVE_COUNT > request->capacity) {
            continue;
        }
        status = time_links(request, payload, &request->links[*link_count], diag);
        *link_count += status == STATUS_OK ? SCHEDULE_COLLECTIVE_COUNT : 0;
    }
    return status;
}

enum status calibration_measure(const struct calibration_request *request, uint64_t *link_count,
                                struct diag *diag)
{
    struct communicator *communicator = request->communicator;
    struct communicator_usage usage = communicator->usage;
    bool blocking = communicator->blocking;
    bool off = communicator->off;
    communicator->blocking = true;
    communicator->off = false;
    enum status status = measure(request, link_count, diag);
    communicator->blocking = blocking;
    communicator->off = off;
    communicator->usage = usage;
    return status;
}

enum status calibration_quick(struct communicator *communicator, void *memory, uint64_t bytes,
                              struct rank_record *record, struct diag *diag)
{
    static const uint64_t payloads[] = {UINT64_C(64) << 10, UINT64_C(1) << 20,
                                        CALIBRATION_QUICK_BYTES};
    struct calibration_request request = {
        .communicator = communicator,
        .memory = memory,
        .bytes = bytes,
        .payloads = payloads,
        .payload_count = sizeof payloads / sizeof *payloads,
        .least_calls = 5,
        .links = record->links,
        .capacity = RANK_RECORD_LINKS,
    };
    return calibration_measure(&request, &record->link_count, diag);
}
