#include "session_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stopwatch.h"

#define BARE_STEPS 5 /* enough for a median and a spread */
#define MATRIX_PRODUCTS 5

/* --- the pass without collectives --- */

/* Steps on real values whose results nobody uses: what a step costs without its collectives. All
 * ranks start together, because they share the machine in the measured steps, too. */
static enum status run_bare(struct session *session, struct diag *diag)
{
    struct rank_record *record = session->record;
    struct communicator *communicator = session->communicator;
    const uint64_t repeats = session->training.repeats;
    const uint64_t count = repeats < BARE_STEPS ? repeats : BARE_STEPS;
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

static enum status calibrate(struct session *session, struct diag *diag)
{
    session->doing = RANK_FAILURE_COMMUNICATION;
    session_parts_enter(session, RANK_CALIBRATION);
    session->record->matrix_product_flops =
        session->backend->operations->matrix_product_rate(session->backend, MATRIX_PRODUCTS);
    session_parts_advance(session);
    (void)diag;
    return STATUS_OK;
}

enum status session_parts_finish(struct session *session, struct diag *diag)
{
    enum status status = session_parts_dump(session, DUMP_FINAL, diag);
    if (status == STATUS_OK)
        status = session_parts_checkpoints(session, diag);
    if (status == STATUS_OK)
        status = run_bare(session, diag);
    if (status == STATUS_OK)
        status = calibrate(session, diag);
    if (status != STATUS_OK)
        return status;
    session_parts_enter(session, RANK_FINISH);
    session_parts_note_memory(session);
    return communicator_barrier(session->communicator, diag);
}
