#include "session_parts.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

/* Long against a step of a small model and short against any timeout. */
static const struct timespec slowness = {.tv_nsec = 200000000};

static bool is_here(const struct session *session, bool at_checkpoint)
{
    const struct run_injection *injection = &session->config->injection;
    return injection->fault != RUN_FAULT_NONE && injection->rank == session->record->rank &&
           injection->at_checkpoint == at_checkpoint;
}

static void hang(void)
{
    for (;;)
        pause();
}

/* Refuses what is asked for next. */
static void exhaust(struct session *session)
{
    session->memory.limit = session->memory.live;
}

/* Each fault waits for an action that lets it happen where it matters: in the middle of a step,
 * with collectives in flight. */
static bool fits(const struct session *session, const struct schedule_action *action)
{
    switch (session->config->injection.fault) {
    case RUN_FAULT_KILL:
    case RUN_FAULT_HANG:
        return action->phase == SCHEDULE_PHASE_BACKWARD;
    case RUN_FAULT_OOM:
        return action->kind == SCHEDULE_TAKE;
    case RUN_FAULT_NAN:
        return action->kind == SCHEDULE_BACKWARD &&
               action->stage == session->training.schedule.shape.layers + 1;
    case RUN_FAULT_SLOW:
        return action == session->schedule.actions;
    case RUN_FAULT_NONE:
    case RUN_FAULT_DISK_FULL:
        break;
    }
    return false;
}

static void inject(struct session *session)
{
    const enum run_fault fault = session->config->injection.fault;
    session->record->injected = true;
    session->injected = fault != RUN_FAULT_SLOW;
    if (fault == RUN_FAULT_KILL)
        raise(SIGKILL);
    else if (fault == RUN_FAULT_HANG)
        hang();
    else if (fault == RUN_FAULT_OOM)
        exhaust(session);
    else if (fault == RUN_FAULT_NAN)
        executor_poison(session->executor);
    else if (fault == RUN_FAULT_SLOW)
        nanosleep(&slowness, NULL);
}

static enum rank_phase phase_of(enum schedule_phase phase)
{
    if (phase == SCHEDULE_PHASE_FORWARD)
        return RANK_FORWARD;
    return phase == SCHEDULE_PHASE_BACKWARD ? RANK_BACKWARD : RANK_OPTIMIZER;
}

enum status session_parts_before(void *context, const struct schedule_action *action,
                                 struct diag *diag)
{
    (void)diag;
    struct session *session = context;
    struct rank_record *record = session->record;
    record->actions++;
    if (session->communicator->off)
        return STATUS_OK;
    enum rank_phase phase = phase_of(action->phase);
    if (!session->communicator->blocking && record->phase != phase)
        record->phase = phase;
    if (session->injected || !is_here(session, false))
        return STATUS_OK;
    const uint64_t from = session->config->injection.step;
    const uint64_t now = (uint64_t)record->step;
    bool due = session->config->injection.fault == RUN_FAULT_SLOW ? now >= from : now == from;
    if (due && fits(session, action))
        inject(session);
    return STATUS_OK;
}

void session_parts_before_checkpoint(struct session *session)
{
    const enum run_fault fault = session->config->injection.fault;
    if (is_here(session, true) && fault != RUN_FAULT_NAN && fault != RUN_FAULT_DISK_FULL)
        inject(session);
    else if (session_parts_disk_full(session))
        session->record->injected = true;
}

bool session_parts_disk_full(const struct session *session)
{
    return is_here(session, true) && session->config->injection.fault == RUN_FAULT_DISK_FULL;
}
