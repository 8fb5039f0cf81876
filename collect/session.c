#include "session_parts.h"

#include <stdio.h>
#include <string.h>

#include "stopwatch.h"

void session_parts_advance(struct session *session)
{
    session->record->progress++;
}

void session_parts_enter(struct session *session, enum rank_phase phase)
{
    session->record->phase = phase;
    session_parts_advance(session);
}

void session_parts_note_memory(struct session *session)
{
    const struct device_memory *memory = &session->memory;
    struct rank_record *record = session->record;
    memcpy(record->phase_peak, memory->phase_peak, sizeof record->phase_peak);
    memcpy(record->at_peak, memory->at_peak, sizeof record->at_peak);
    memcpy(record->category_peak, memory->category_peak, sizeof record->category_peak);
    record->process_peak_bytes = stopwatch_peak_resident_bytes();
}

void session_parts_note_device(struct session *session)
{
    uint64_t now = 0;
    struct rank_device *gpu = &session->record->gpu;
    const struct backend_operations *operations = session->backend->operations;
    if (operations->memory_used == NULL || session->backend->lost)
        return;
    operations->memory_used(session->backend, &gpu->before_bytes, &now);
    if (session->request->device_before_bytes > 0)
        gpu->before_bytes = session->request->device_before_bytes;
    if (now > gpu->peak_bytes)
        gpu->peak_bytes = now;
    if (session->record->phase <= RANK_OPTIMIZER)
        gpu->training_peak_bytes = gpu->peak_bytes;
}

/* The arena could not be had. */
static void note_small_device(struct session *session, struct rank_failure *failure)
{
    uint64_t before = 0;
    const struct backend_operations *operations = session->backend->operations;
    failure->asked_bytes = session->arena_bytes;
    failure->category = SCHEDULE_CATEGORY_COUNT;
    failure->limit_bytes = session->record->gpu.memory_bytes;
    if (operations->memory_used != NULL)
        operations->memory_used(session->backend, &before, &failure->in_use_bytes);
}

/* What refused memory was asked for, where that was the failure. */
static void note_refusal(struct session *session, struct rank_failure *failure)
{
    const struct device_memory *memory = &session->memory;
    failure->kind = RANK_FAILURE_OUT_OF_MEMORY;
    failure->asked_bytes = memory->refused_bytes;
    failure->in_use_bytes = memory->live;
    failure->limit_bytes = memory->limit < memory->capacity ? memory->limit : memory->capacity;
    failure->category = memory->refused_category;
}

/* Whose failure it is and of what kind, where that is more than what was being done. */
static void judge(struct session *session, enum status status, struct rank_failure *failure)
{
    if (session->communicator != NULL && session->communicator->failed)
        failure->rank = (int64_t)session->communicator->failed_rank;
    if (session->memory.refused) {
        note_refusal(session, failure);
    } else if (status == STATUS_NEGATIVE) {
        failure->kind = RANK_FAILURE_NON_FINITE;
        failure->rank = -1;
    } else if (session->backend != NULL && session->backend->lost) {
        failure->kind = RANK_FAILURE_RANK_LOST; /* with all that it held on the device */
        failure->rank = (int64_t)session->record->rank;
    } else if (session->doing == RANK_FAILURE_OUT_OF_MEMORY) {
        note_small_device(session, failure);
    }
}

/* Which device was lost: its number alone is another one's after the next start. */
static void say_device(const struct session *session, struct rank_failure *failure)
{
    const struct rank_device *gpu = &session->record->gpu;
    const size_t used = strlen(failure->detail);
    if (gpu->used && session->backend != NULL && session->backend->lost)
        snprintf(failure->detail + used, sizeof failure->detail - used, " (%s at %s)", gpu->name,
                 gpu->bus);
}

/* Fills the record's failure; its kind comes last, because whoever watches the record looks at it
 * first. */
static void note_failure(struct session *session, enum status status, const struct diag *diag)
{
    struct rank_record *record = session->record;
    struct rank_failure failure = {
        .kind = session->doing,
        .phase = record->phase,
        .rank = (int64_t)record->rank,
        .step = record->step,
        .at_ns = stopwatch_ns(),
    };
    if (session->executor != NULL)
        session_parts_note_memory(session);
    judge(session, status, &failure);
    const char *words = diag->text;
    const int64_t origin = rank_record_origin(&words);
    if (origin >= 0)
        failure.rank = origin;
    snprintf(failure.detail, sizeof failure.detail, "%.*s", (int)sizeof failure.detail - 1, words);
    say_device(session, &failure);
    enum rank_failure_kind kind = failure.kind;
    failure.kind = RANK_FAILURE_NONE;
    record->failure = failure;
    __atomic_store_n(&record->failure.kind, kind, __ATOMIC_RELEASE);
}

static enum status run(struct session *session, struct diag *diag)
{
    enum status status = session_parts_setup(session, diag);
    if (status == STATUS_OK)
        status = session_parts_train(session, diag);
    if (status == STATUS_OK)
        status = session_parts_finish(session, diag);
    return status;
}

enum status session_run(const struct session_request *request, struct diag *diag)
{
    struct session session = {
        .request = request,
        .config = request->config,
        .record = request->record,
        .training = request->config->training,
        .doing = RANK_FAILURE_PREFLIGHT,
    };
    /* The record keeps the words even if the caller wants none. */
    struct diag own = {0};
    if (diag == NULL)
        diag = &own;
    enum status status = run(&session, diag);
    if (status != STATUS_OK) {
        note_failure(&session, status, diag);
        dump_abandon(session.dump);
        return status; /* the process ends: nothing is handed back that others may be using */
    }
    session_parts_fini(&session);
    request->record->phase = RANK_DONE;
    __atomic_store_n(&request->record->complete, true, __ATOMIC_RELEASE);
    return STATUS_OK;
}
