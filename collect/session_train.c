#include "session_parts.h"

#include <inttypes.h>
#include <string.h>

#include "model_data.h"
#include "stopwatch.h"

/* This rank's sequences of the step that comes. */
static void make_tokens(struct session *session)
{
    const struct training *training = &session->training;
    const struct model_shape *shape = &training->schedule.shape;
    int32_t *tokens = session->tokens;
    for (uint64_t g = 0; g < training->schedule.gradient_accumulation; g++)
        for (uint64_t b = 0; b < shape->micro_batch; b++, tokens += shape->seq_len + 1)
            model_data_tokens(shape, training->seed, executor_steps(session->executor),
                              training_sample(training, session->communicator->rank, g, b), tokens);
}

enum status session_parts_step(struct session *session, struct executor_step *step,
                               struct diag *diag)
{
    make_tokens(session);
    return executor_run(session->executor, session->tokens, step, diag);
}

static void note_step(struct session *session, const struct executor_step *step)
{
    struct rank_record *record = session->record;
    const struct executor_times *times = &step->times;
    if (record->step_count >= record->step_capacity)
        return;
    struct rank_step *sample = &record->steps[record->step_count];
    *sample = (struct rank_step){
        .total_ns = times->total_ns,
        .forward_ns = times->forward_ns,
        .backward_ns = times->backward_ns,
        .optimizer_ns = times->optimizer_ns,
        .exposed_ns = times->exposed_ns,
        .other_ns = times->other_ns,
        .in_flight_ns = times->in_flight_ns,
        .minor_faults = step->minor_faults,
        .loss_sum = step->loss_sum,
        .grad_norm = step->grad_norm,
    };
    memcpy(sample->exposed_phase_ns, times->exposed_phase_ns, sizeof sample->exposed_phase_ns);
    /* The sample is whole before it counts. */
    __atomic_store_n(&record->step_count, record->step_count + 1, __ATOMIC_RELEASE);
}

/* Communication over the measured steps alone. */
static void note_usage(struct session *session, uint64_t done)
{
    if (done == session->training.warmup)
        communicator_clear_usage(session->communicator);
    else if (done > session->training.warmup)
        session->record->usage = session->communicator->usage;
}

static enum status train_step(struct session *session, uint64_t index, struct diag *diag)
{
    struct rank_record *record = session->record;
    struct executor_step step;
    record->step = (int64_t)index;
    enum status status = session_parts_step(session, &step, diag);
    if (status == STATUS_NEGATIVE)
        note_step(session, &step);
    if (status != STATUS_OK)
        return status;
    note_step(session, &step);
    note_usage(session, index + 1);
    memcpy(record->resident, session->memory.live_by_category, sizeof record->resident);
    session_parts_note_memory(session);
    session_parts_advance(session);
    return index == 0 ? session_parts_dump(session, DUMP_GRADIENTS, diag) : STATUS_OK;
}

enum status session_parts_train(struct session *session, struct diag *diag)
{
    const uint64_t count = session->training.warmup + session->training.repeats;
    enum status status = STATUS_OK;
    session->doing = RANK_FAILURE_COMMUNICATION;
    session->record->first_step_ns = stopwatch_ns();
    communicator_clear_usage(session->communicator);
    for (uint64_t i = 0; i < count && status == STATUS_OK; i++) {
        status = train_step(session, i, diag);
        /* Libraries take their memory in the first step; if others do later, the last one tells. */
        if (status == STATUS_OK && (i == 0 || i + 1 == count))
            session_parts_note_device(session);
    }
    return status;
}
