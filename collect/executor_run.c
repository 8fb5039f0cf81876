#include "executor_parts.h"

#include <math.h>
#include <string.h>

#include "stopwatch.h"

/* --- stages --- */

static void use_micro_batch(struct executor *executor, size_t micro_batch)
{
    const struct model_shape *shape = &executor->request.schedule->request.shape;
    executor->stage.tokens =
        executor->tokens + micro_batch * shape->micro_batch * (shape->seq_len + 1);
}

static enum status need(const struct executor *executor, const void *address, size_t tensor,
                        const char *what, struct diag *diag)
{
    if (address != NULL)
        return STATUS_OK;
    char name[MODEL_TENSOR_NAME_SIZE];
    model_tensor_name(&executor->request.schedule->request.shape, tensor, name);
    return diag_set(diag, STATUS_BUG, "the schedule runs a stage without the %s of %s", what, name);
}

static enum status need_parameters(const struct executor *executor, size_t first, size_t count,
                                   struct diag *diag)
{
    enum status status = STATUS_OK;
    for (size_t i = first; i < first + count && status == STATUS_OK; i++)
        status = need(executor, executor->stage.parameters[i], i, "parameters", diag);
    return status;
}

static enum status need_gradients(const struct executor *executor, size_t first, size_t count,
                                  struct diag *diag)
{
    enum status status = STATUS_OK;
    for (size_t i = first; i < first + count && status == STATUS_OK; i++)
        status = need(executor, executor->stage.gradients[i], i, "gradients", diag);
    return status;
}

static enum status forward(struct executor *executor, const struct schedule_action *action,
                           struct diag *diag)
{
    const struct model_shape *shape = &executor->request.schedule->request.shape;
    const size_t head = (size_t)shape->layers + 1;
    enum status status;
    if (action->stage == 0) {
        status = need_parameters(executor, 0, 2, diag);
    } else if (action->stage < head) {
        size_t first = model_tensor_index(shape, MODEL_LN1, action->stage - 1, false);
        status = need_parameters(executor, first, MODEL_TENSORS_PER_BLOCK, diag);
    } else {
        status = need_parameters(executor, 0, 1, diag);
        if (status == STATUS_OK)
            status =
                need_parameters(executor, model_tensor_index(shape, MODEL_LN_F, 0, false), 2, diag);
    }
    if (status != STATUS_OK)
        return status;
    use_micro_batch(executor, action->micro_batch);
    status = model_stage_forward(&executor->stage, action->stage, &executor->between, diag);
    if (status == STATUS_OK && action->stage == head && !action->recompute)
        model_stage_add_losses(&executor->stage, &executor->sums->losses);
    return status;
}

/* A backward writes the gradients of its module and reads its weight; the embedding, which reads no
 * weight, writes those of wte and wpe. */
static enum status backward(struct executor *executor, const struct schedule_action *action,
                            struct diag *diag)
{
    const struct model_shape *shape = &executor->request.schedule->request.shape;
    enum status status = STATUS_OK;
    if (action->stage == 0) {
        status = need_gradients(executor, 0, 2, diag);
    } else {
        uint64_t block = action->stage <= shape->layers ? action->stage - 1 : 0;
        size_t weight = model_tensor_index(shape, action->module, block, false);
        status = need_parameters(executor, weight, 1, diag);
        if (status == STATUS_OK)
            status = need_gradients(executor, weight, action->module == MODEL_WTE ? 1 : 2, diag);
    }
    if (status != STATUS_OK)
        return status;
    use_micro_batch(executor, action->micro_batch);
    return model_stage_backward(&executor->stage, action->stage, action->module, action->accumulate,
                                &executor->between, diag);
}

void executor_poison(struct executor *executor)
{
    static const float not_a_number[1] = {__builtin_nanf("")};
    const size_t head = (size_t)executor->stage.shape.layers + 1;
    unsigned char *logits = executor->stage.saved[head];
    if (logits == NULL)
        return;
    logits += executor->stage.plan.offset[ACTIVATION_LOGITS];
    /* The upper half of an fp32 NaN is a bf16 NaN; on a little-endian machine it comes second. */
    const unsigned char *bytes = (const unsigned char *)not_a_number;
    uint64_t width = executor->request.schedule->wire_bytes;
    executor->operations->from_host(executor->request.backend, logits, bytes + 4 - width, width);
}

/* --- the list --- */

static enum status run_action(struct executor *executor, const struct schedule_action *action,
                              struct diag *diag)
{
    switch (action->kind) {
    case SCHEDULE_TAKE:
        return executor_parts_take(executor, action, diag);
    case SCHEDULE_RELEASE:
        return executor_parts_release(executor, action, diag);
    case SCHEDULE_GATHER:
        return executor_parts_gather(executor, action, diag);
    case SCHEDULE_REDUCE:
        return executor_parts_reduce(executor, action, diag);
    case SCHEDULE_WAIT:
        return executor_parts_wait(executor, action, diag);
    case SCHEDULE_FORWARD:
        return forward(executor, action, diag);
    case SCHEDULE_BACKWARD:
        return backward(executor, action, diag);
    case SCHEDULE_ACCUMULATE:
        return executor_parts_accumulate(executor, action, diag);
    case SCHEDULE_NORM:
        return executor_parts_norm(executor, action, diag);
    case SCHEDULE_UPDATE:
        return executor_parts_update(executor, action, diag);
    }
    return diag_set(diag, STATUS_BUG, "the schedule has an action of no kind");
}

void executor_parts_enter(struct executor *executor, enum schedule_phase phase)
{
    if (executor->moment_count == executor->moment_capacity)
        return; /* executor.c has counted them */
    executor->moments[executor->moment_count++] = (struct executor_moment){
        phase, timeline_mark(&executor->request.backend->timeline, TIMELINE_COMPUTE)};
}

static void enter_phase(struct executor *executor, enum schedule_phase phase)
{
    executor_parts_enter(executor, phase);
    executor->request.communicator->phase = phase;
    device_memory_set_phase(executor->request.memory, phase);
}

static enum status run_list(struct executor *executor, struct diag *diag)
{
    const struct schedule *schedule = executor->request.schedule;
    const struct executor_observer *observer = &executor->request.observer;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < schedule->action_count && status == STATUS_OK; i++) {
        const struct schedule_action *action = &schedule->actions[i];
        if (action->phase != executor->request.communicator->phase)
            enter_phase(executor, action->phase);
        if (observer->before != NULL)
            status = observer->before(observer->context, action, diag);
        if (status == STATUS_OK)
            status = run_action(executor, action, diag);
        if (status == STATUS_OK)
            status = executor->between.call(executor, diag);
    }
    enter_phase(executor, SCHEDULE_PHASE_INIT);
    return status;
}

/* --- a step --- */

/* Nanoseconds of each phase, and of what stands in for collectives. */
static void add_phases(const struct executor *executor, uint64_t of_phase[SCHEDULE_PHASE_COUNT + 1])
{
    const struct timeline *timeline = &executor->request.backend->timeline;
    const struct executor_moment *moments = executor->moments;
    memset(of_phase, 0, (SCHEDULE_PHASE_COUNT + 1) * sizeof of_phase[0]);
    uint64_t since = timeline_ns(timeline, moments[0].mark);
    for (size_t i = 0; i + 1 < executor->moment_count; i++) {
        const uint64_t now = timeline_ns(timeline, moments[i + 1].mark);
        of_phase[moments[i].phase] += now - since;
        since = now;
    }
}

/* The step's parts from the phases and from what the communicator has booked since `before`. */
static void take_times(const struct executor *executor, const struct communicator_usage *before,
                       struct executor_times *times)
{
    const struct communicator_usage *after = &executor->request.communicator->usage;
    uint64_t of_phase[SCHEDULE_PHASE_COUNT + 1];
    const uint64_t *exposed = times->exposed_phase_ns;
    add_phases(executor, of_phase);
    times->total_ns = 0;
    times->exposed_ns = 0;
    for (int p = 0; p < SCHEDULE_PHASE_COUNT; p++) {
        times->total_ns += of_phase[p];
        times->exposed_phase_ns[p] = after->exposed_phase_ns[p] - before->exposed_phase_ns[p];
        times->exposed_ns += times->exposed_phase_ns[p];
    }
    times->forward_ns = of_phase[SCHEDULE_PHASE_FORWARD] - exposed[SCHEDULE_PHASE_FORWARD];
    times->backward_ns = of_phase[SCHEDULE_PHASE_BACKWARD] - exposed[SCHEDULE_PHASE_BACKWARD];
    times->optimizer_ns = of_phase[SCHEDULE_PHASE_OPTIMIZER] - exposed[SCHEDULE_PHASE_OPTIMIZER];
    times->in_flight_ns = after->any_in_flight_ns - before->any_in_flight_ns;
    times->other_ns = times->total_ns - times->forward_ns - times->backward_ns -
                      times->optimizer_ns - times->exposed_ns;
}

/* Gradients that are kept whole begin a step as something to write to. */
static void begin_step(struct executor *executor, const int32_t *tokens)
{
    const struct schedule *schedule = executor->request.schedule;
    const struct model_shape *shape = &schedule->request.shape;
    struct backend *backend = executor->request.backend;
    timeline_restart(&backend->timeline);
    executor->moment_count = 0;
    executor_parts_enter(executor, SCHEDULE_PHASE_INIT);
    executor->operations->from_host(backend, executor->tokens, tokens,
                                    schedule->request.gradient_accumulation * shape->micro_batch *
                                        (shape->seq_len + 1) * sizeof *tokens);
    executor->operations->fill_zero(backend, executor->sums, sizeof *executor->sums);
    if (!schedule_whole_gradients(schedule->request.strategy))
        return;
    for (size_t unit = 0; unit < schedule->unit_count; unit++)
        executor_parts_bind_gradients(executor, unit,
                                      executor->roles[SCHEDULE_ROLE_GRADIENTS] +
                                          schedule->units[unit].full_offset *
                                              schedule->gradient_bytes);
}

/* The one time in a step that the host waits. */
static enum status finish_step(struct executor *executor, struct executor_sums *sums,
                               struct diag *diag)
{
    struct backend *backend = executor->request.backend;
    executor->operations->to_host(backend, sums, executor->sums, sizeof *sums);
    enum status status = communicator_drain(executor->request.communicator, diag);
    if (status == STATUS_OK)
        status = executor->operations->synchronise(backend, diag);
    if (status == STATUS_OK)
        communicator_settle(executor->request.communicator);
    return status;
}

static enum status judge(const struct executor_step *result, struct diag *diag)
{
    if (isfinite(result->grad_norm))
        return STATUS_OK;
    return diag_set(diag, STATUS_NEGATIVE,
                    "the gradient norm is %s; the parameters were left as they were",
                    isnan(result->grad_norm) ? "not a number" : "infinite");
}

enum status executor_run(struct executor *executor, const int32_t *tokens,
                         struct executor_step *result, struct diag *diag)
{
    const struct communicator_usage before = executor->request.communicator->usage;
    const uint64_t faults = stopwatch_minor_faults();
    struct executor_sums sums;
    begin_step(executor, tokens);
    enum status status = run_list(executor, diag);
    if (status == STATUS_OK)
        status = finish_step(executor, &sums, diag);
    if (status != STATUS_OK)
        return status;
    take_times(executor, &before, &result->times);
    result->minor_faults = stopwatch_minor_faults() - faults;
    result->loss_sum = sums.losses;
    result->grad_norm = sqrt(sums.squares);
    status = judge(result, diag);
    if (status == STATUS_OK)
        executor->steps++;
    return status;
}
