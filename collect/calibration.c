#include "calibration.h"

#include <stdlib.h>

#include "stopwatch.h"

/* Bytes that one round moves through the link, unless a single call is more. */
#define ROUND_BYTES (UINT64_C(8) << 20)
#define MOST_CALLS 50
#define MOST_ROUNDS 16

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

/* Nanoseconds of one call, on average over one round. */
static enum status time_round(const struct calibration_request *request,
                              enum schedule_collective collective, uint64_t payload,
                              double *call_ns, struct diag *diag)
{
    uint64_t calls = ROUND_BYTES / payload;
    calls = calls < 1 ? 1 : calls > MOST_CALLS ? MOST_CALLS : calls;
    enum status status = communicator_barrier(request->communicator, diag);
    uint64_t begin = stopwatch_ns();
    for (uint64_t i = 0; status == STATUS_OK && i < calls; i++) {
        status = post(request, collective, payload, diag);
    }
    *call_ns = (double)(stopwatch_ns() - begin) / (double)calls;
    return status;
}

/* On rank 0 the largest of all ranks' values. */
static enum status slowest(struct communicator *communicator, double *value, struct diag *diag)
{
    double *all = NULL;
    if (communicator->rank == 0) {
        all = calloc(communicator->world_size, sizeof *all);
        if (!all) {
            return diag_no_memory(diag);
        }
    }
    enum status status = communicator_gather(communicator, value, sizeof *value, all, 0, diag);
    for (uint64_t i = 0; status == STATUS_OK && all && i < communicator->world_size; i++) {
        *value = all[i] > *value ? all[i] : *value;
    }
    free(all);
    return status;
}

static enum status time_link(const struct calibration_request *request,
                             enum schedule_collective collective, uint64_t payload,
                             struct rank_link *link, struct diag *diag)
{
    double rounds[MOST_ROUNDS];
    int count = request->rounds < MOST_ROUNDS ? request->rounds : MOST_ROUNDS;
    enum status status = post(request, collective, payload, diag); /* fresh pages, first use */
    for (int i = 0; status == STATUS_OK && i < count; i++) {
        status = time_round(request, collective, payload, &rounds[i], diag);
    }
    if (status != STATUS_OK) {
        return status;
    }
    qsort(rounds, (size_t)count, sizeof *rounds, compare);
    double call_ns = rounds[count / 2];
    status = slowest(request->communicator, &call_ns, diag);
    *link = (struct rank_link){
        .collective = collective, .blocking = true, .payload_bytes = payload, .ms = call_ns / 1e6};
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
    for (int c = 0; c < SCHEDULE_COLLECTIVE_COUNT; c++) {
        for (size_t i = 0; status == STATUS_OK && i < request->payload_count; i++) {
            uint64_t payload = request->payloads[i] / step * step;
            if (payload == 0 || payload > request->bytes || *link_count == request->capacity) {
                continue;
            }
            status = time_link(request, (enum schedule_collective)c, payload,
                               &request->links[*link_count], diag);
            *link_count += status == STATUS_OK;
        }
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
        .rounds = 3,
        .links = record->links,
        .capacity = RANK_RECORD_LINKS,
    };
    return calibration_measure(&request, &record->link_count, diag);
}
