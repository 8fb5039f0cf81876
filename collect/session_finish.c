#include "session_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calibration.h"
#include "stopwatch.h"

#define BARE_STEPS 5     /* enough for a median and a spread */
#define BLOCKING_STEPS 5 /* likewise */
#define MATRIX_PRODUCTS 5

static uint64_t fewer(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* --- the pass with every collective waited for at once --- */

/* The same steps again, whose results nobody uses: what the collectives cost where nothing is
 * computed meanwhile. Overlap is measured against it. */
static enum status run_blocking(struct session *session, struct diag *diag)
{
    struct communicator *communicator = session->communicator;
    const uint64_t count = fewer(session->training.repeats, BLOCKING_STEPS);
    if (communicator->world_size == 1 || !session->training.schedule.overlap)
        return STATUS_OK;
    session->doing = RANK_FAILURE_COMMUNICATION;
    session_parts_enter(session, RANK_BLOCKING);
    enum status status = communicator_barrier(communicator, diag);
    uint64_t exposed_ns = 0;
    communicator->blocking = true;
    for (uint64_t i = 0; i < count && status == STATUS_OK; i++) {
        struct executor_step step;
        status = session_parts_step(session, &step, diag);
        if (status == STATUS_OK)
            exposed_ns += step.times.exposed_ns;
        session_parts_advance(session);
    }
    communicator->blocking = false;
    if (status == STATUS_OK)
        session->record->blocking_ms = (double)exposed_ns / (double)count / 1e6;
    return status;
}

/* --- the pass without collectives --- */

/* Steps on real values whose results nobody uses: what a step costs without its collectives. All
 * ranks start together, because they share the machine in the measured steps, too. */
static enum status run_bare(struct session *session, struct diag *diag)
{
    struct rank_record *record = session->record;
    struct communicator *communicator = session->communicator;
    const uint64_t count = fewer(session->training.repeats, BARE_STEPS);
    if (communicator->world_size == 1)
        return STATUS_OK;
    session->doing = RANK_FAILURE_COMMUNICATION;
    session_parts_enter(session, RANK_NO_COLLECTIVES);
    enum status status = communicator_barrier(communicator, diag);
    communicator->off = true;
    for (uint64_t i = 0; i < count && status == STATUS_OK; i++) {
        struct executor_step step;
        status = session_parts_step(session, &step, diag);
        if (status == STATUS_OK)
            record->bare_ns[record->bare_steps++] = step.times.total_ns;
        session_parts_advance(session);
    }
    communicator->off = false;
    if (status == STATUS_NEGATIVE) { /* these steps are no training: numbers may run away */
        diag->status = STATUS_OK;
        return STATUS_OK;
    }
    return status;
}

/* --- calibration --- */

/* The part of the arena behind everything that is live: activations lie there during a step. */
static void *free_memory(const struct session *session, uint64_t *bytes)
{
    const struct device_memory *memory = &session->memory;
    uint64_t end = 0;
    if (memory->range_count > 0) {
        const struct device_memory_range *last = &memory->ranges[memory->range_count - 1];
        end = last->offset + last->size;
    }
    const uint64_t left = memory->capacity - end;
    *bytes = left < CALIBRATION_QUICK_BYTES ? left : CALIBRATION_QUICK_BYTES;
    return device_memory_at(memory, end);
}

/* How fast the ranks' link is: in memory that is warm, since steps have used it. */
static enum status calibrate_links(struct session *session, struct diag *diag)
{
    uint64_t bytes = 0;
    void *memory = free_memory(session, &bytes);
    session->backend->operations->fill_zero(session->backend, memory, bytes);
    enum status status = session->backend->operations->synchronise(session->backend, diag);
    if (status != STATUS_OK)
        return status;
    return calibration_quick(session->communicator, memory, bytes, session->record, diag);
}

static enum status calibrate(struct session *session, struct diag *diag)
{
    session->doing = RANK_FAILURE_COMMUNICATION;
    session_parts_enter(session, RANK_CALIBRATION);
    session->record->matrix_product_flops =
        session->backend->operations->matrix_product_rate(session->backend, MATRIX_PRODUCTS);
    session_parts_advance(session);
    return calibrate_links(session, diag);
}

enum status session_parts_finish(struct session *session, struct diag *diag)
{
    enum status status = session_parts_dump(session, DUMP_FINAL, diag);
    if (status == STATUS_OK)
        status = session_parts_checkpoints(session, diag);
    if (status == STATUS_OK)
        status = run_blocking(session, diag);
    if (status == STATUS_OK)
        status = run_bare(session, diag);
    if (status == STATUS_OK)
        status = calibrate(session, diag);
    if (status != STATUS_OK)
        return status;
    session_parts_enter(session, RANK_FINISH);
    session_parts_note_memory(session);
    session_parts_note_device(session);
    return communicator_barrier(session->communicator, diag);
}
