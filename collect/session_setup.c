#include "session_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run_devices.h"
#include "run_plan.h"
#include "stopwatch.h"

/* Which device of this host is this rank's, and what it is. */
static enum status find_device(struct session *session, struct diag *diag)
{
    return run_devices_find(session->config->backend, session->request->local_rank,
                            &session->record->gpu, diag);
}

static enum status create_backend(struct session *session, struct diag *diag)
{
    const struct backend_row *row = backend_find(session->config->backend);
    const struct backend_request request = {
        .shape = session->training.schedule.shape,
        .dtype = session->training.schedule.dtype,
        .threads = session->record->threads > 0 ? (int)session->record->threads : 1,
        .device = (int)session->record->gpu.index,
    };
    if (row == NULL)
        return diag_set(diag, STATUS_USAGE, "there is no backend \"%s\"", session->config->backend);
    return row->create(&request, &session->backend, diag);
}

static enum status build_schedule(struct session *session, struct diag *diag)
{
    struct schedule_request *request = &session->training.schedule;
    request->strategy = session->request->strategy;
    request->workspace_bytes = executor_workspace_bytes(
        request, session->backend->workspace_bytes, run_plan_communicator_bytes(session->config));
    return schedule_build(request, &session->arena, &session->schedule, diag);
}

static enum status size_arena(struct session *session, struct diag *diag)
{
    return run_plan_arena_bytes(session->config, &session->schedule, &session->arena_bytes, diag);
}

static enum status reserve(struct session *session, struct diag *diag)
{
    struct rank_record *record = session->record;
    record->process_before_bytes = stopwatch_resident_bytes();
    enum status status = session->backend->operations->reserve(
        session->backend, session->arena_bytes, &session->base, diag);
    if (status != STATUS_OK) {
        session->doing = RANK_FAILURE_OUT_OF_MEMORY;
        return status;
    }
    record->arena_bytes = session->arena_bytes;
    device_memory_init(&session->memory, session->base, session->arena_bytes,
                       session->config->memory_limit_bytes);
    return STATUS_OK;
}

/* Over MPI; if the backend has collectives of its own, those then. */
static enum status make_communicator(struct session *session, struct diag *diag)
{
    const struct backend_row *row = backend_find(session->config->backend);
    struct communicator *host = NULL;
    size_t tickets = session->schedule.ticket_count > 0 ? session->schedule.ticket_count : 1;
    enum status status =
        session->request->connect(session->training.schedule.dtype, tickets, &host, diag);
    if (status != STATUS_OK)
        return status;
    return backend_connect(row, session->backend, host, tickets, &session->communicator, diag);
}

static enum status connect(struct session *session, struct diag *diag)
{
    session->doing = RANK_FAILURE_COMMUNICATION;
    enum status status = make_communicator(session, diag);
    if (status != STATUS_OK)
        return status;
    rank_record_note_communicator(session->record, session->communicator);
    session->communicator->inside = &session->record->inside;
    if (session->communicator->world_size == session->training.schedule.world_size)
        return STATUS_OK;
    return diag_set(diag, STATUS_BUG, "%" PRIu64 " ranks were started for a world size of %" PRIu64,
                    session->communicator->world_size, session->training.schedule.world_size);
}

static enum status create_executor(struct session *session, struct diag *diag)
{
    const struct model_shape *shape = &session->training.schedule.shape;
    session->context = (struct executor_request){
        .schedule = &session->schedule,
        .training = &session->training,
        .backend = session->backend,
        .communicator = session->communicator,
        .memory = &session->memory,
        .observer = {session_parts_before, session},
    };
    session->tokens = calloc(session->training.schedule.gradient_accumulation * shape->micro_batch *
                                 (shape->seq_len + 1),
                             sizeof *session->tokens);
    if (session->tokens == NULL)
        return diag_no_memory(diag);
    return executor_create(&session->context, &session->executor, diag);
}

enum status session_parts_setup(struct session *session, struct diag *diag)
{
    static enum status (*const parts[])(struct session *, struct diag *) = {
        find_device, create_backend, build_schedule,  size_arena,
        reserve,     connect,        create_executor, session_parts_restore};
    struct rank_record *record = session->record;
    record->step = -1;
    record->warmup = session->training.warmup;
    record->blocking_ms = NAN;
    session_parts_enter(session, RANK_INIT);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        enum status status = parts[i](session, diag);
        if (status != STATUS_OK)
            return status;
        session_parts_advance(session);
    }
    memcpy(record->resident, session->memory.live_by_category, sizeof record->resident);
    session_parts_note_memory(session);
    session_parts_note_device(session);
    return session_parts_dump(session, DUMP_INITIAL, diag);
}

void session_parts_fini(struct session *session)
{
    dump_abandon(session->dump);
    executor_destroy(session->executor);
    communicator_destroy(session->communicator);
    device_memory_fini(&session->memory);
    free(session->tokens);
    if (session->base != NULL)
        session->backend->operations->unreserve(session->backend, session->base,
                                                session->arena_bytes);
    if (session->backend != NULL)
        session->backend->operations->destroy(session->backend);
    arena_fini(&session->arena);
}
