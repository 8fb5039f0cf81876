#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibration.h"
#include "cmd_bandwidth.h"
#include "communicator_mpi.h"
#include "mpi_expect.h"
#include "stopwatch.h"

/* What is measured beside training: that it is measured, how much, and that nothing is left. */

static void calibration_leaves_no_trace(struct communicator *communicator,
                                        struct rank_record *record)
{
    const size_t bytes = (size_t)2 << 20; /* no room for the largest payload */
    struct diag diag = {0};
    struct communicator_usage none = {0};
    unsigned char *memory = aligned_alloc(64, bytes);
    mpi_expect(memory != NULL, "memory");
    memset(memory, 0, bytes);
    communicator->off = true;
    uint64_t begin = stopwatch_ns();
    enum status status = calibration_quick(communicator, memory, bytes, record, &diag);
    uint64_t wall = stopwatch_ns() - begin;
    mpi_expect(status == STATUS_OK, "a calibration: %s", diag.text);
    mpi_expect(communicator->off && !communicator->blocking &&
                   memcmp(&communicator->usage, &none, sizeof none) == 0,
               "the communicator to be as before");
    bool alone = communicator->world_size == 1;
    mpi_expect(record->link_count == (alone ? 0 : 6),
               "two payloads of each collective, not %llu rows",
               (unsigned long long)record->link_count);
    double sum = 0;
    for (uint64_t i = 0; i < record->link_count; i++) {
        const struct rank_link *link = &record->links[i];
        uint64_t least = i < 3 ? 65536 - 256 : 1048576 - 256; /* rounded down to whole parts */
        mpi_expect(link->collective == (enum schedule_collective)(i % 3) &&
                       link->payload_bytes >= least && link->payload_bytes <= least + 256,
                   "row %llu to be in order", (unsigned long long)i);
        mpi_expect(link->ms > 0, "a time in row %llu", (unsigned long long)i);
        sum += link->ms;
    }
    mpi_expect(communicator->rank > 0 || sum * 1e6 < (double)wall, "times below the wall's");
    for (size_t i = 0; i < bytes; i++) {
        mpi_expect(memory[i] == 0, "zeros to stay zeros");
    }
    communicator->off = false;
    free(memory);
}

static void the_sweep_fills_a_record(struct communicator *communicator, struct rank_record *record)
{
    struct diag diag = {0};
    struct text_buffer out = {0};
    struct cmd_bandwidth command = {.world_size = communicator->world_size, .dtype = MODEL_FP32};
    void *memory = aligned_alloc(64, CMD_BANDWIDTH_LARGEST);
    mpi_expect(memory != NULL, "memory");
    memset(memory, 0, CMD_BANDWIDTH_LARGEST);
    enum status status = cmd_bandwidth_rank(communicator, memory, record, &diag);
    free(memory);
    mpi_expect(status == STATUS_OK && record->complete, "a sweep: %s", diag.text);
    mpi_expect(record->link_count == (communicator->world_size > 1 ? 21 : 0) &&
                   record->progress == 7,
               "seven payloads of each");
    status = cmd_bandwidth_format(&command, record, &out, &diag);
    mpi_expect(status == STATUS_OK, "a table: %s", diag.text);
    if (communicator->rank == 0) {
        puts(out.text); /* to be looked at where the test's output is shown */
    }
    text_buffer_fini(&out);
}

int main(void)
{
    int rank = 0;
    int world_size = 0;
    struct diag diag = {0};
    struct communicator *communicator = NULL;
    struct rank_record *record = calloc(1, rank_record_size(0));
    if (!record || communicator_mpi_start(&rank, &world_size, &diag) != STATUS_OK ||
        communicator_mpi_create(MODEL_FP32, 1, &communicator, &diag) != STATUS_OK) {
        fprintf(stderr, "%s\n", diag.text);
        return 1;
    }
    record->world_size = (uint64_t)world_size;
    communicator_mpi_library(record->mpi, sizeof record->mpi);
    calibration_leaves_no_trace(communicator, record);
    the_sweep_fills_a_record(communicator, record);
    communicator_destroy(communicator);
    communicator_mpi_finish();
    free(record);
    return 0;
}
