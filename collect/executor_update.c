#include "executor_parts.h"

#include <math.h>

/* Elements of a unit that this rank updates and whose gradients it sums, padding excluded. */
static void owned_range(const struct executor *executor, size_t unit, uint64_t *first,
                        uint64_t *count)
{
    const struct schedule *schedule = executor->request.schedule;
    if (executor_parts_replicated(executor, EXECUTOR_MOMENT1)) {
        *first = 0;
        *count = schedule->units[unit].elements;
        return;
    }
    executor_parts_shard_range(executor, unit, first, count);
    *count = schedule_valid_elements(schedule, unit, executor->rank);
}

static int gradients_typed(const struct schedule *schedule)
{
    return schedule->gradient_bytes == schedule->wire_bytes;
}

enum status executor_parts_accumulate(struct executor *executor,
                                      const struct schedule_action *action, struct diag *diag)
{
    const struct schedule *schedule = executor->request.schedule;
    const struct schedule_group *group = &schedule->groups[action->group];
    unsigned char *buffer = executor_parts_buffer(executor, action->buffer);
    if (buffer == NULL)
        return diag_set(diag, STATUS_BUG, "the schedule accumulates a buffer that is not live");
    for (size_t i = 0; i < group->unit_count; i++) {
        size_t unit = group->first_unit + i;
        uint64_t first, count;
        executor_parts_shard_range(executor, unit, &first, &count);
        const unsigned char *from =
            buffer + (schedule->units[unit].reduced_offset + first) * schedule->wire_bytes;
        executor->operations->accumulate(executor->request.backend,
                                         executor_shard(executor, EXECUTOR_GRADIENTS, unit), from,
                                         count, gradients_typed(schedule), action->accumulate);
    }
    return STATUS_OK;
}

static void add_owned_squares(struct executor *executor)
{
    const struct schedule *schedule = executor->request.schedule;
    for (size_t unit = 0; unit < schedule->unit_count; unit++) {
        uint64_t first, count;
        owned_range(executor, unit, &first, &count);
        if (count == 0)
            continue;
        executor->operations->square_sum(
            executor->request.backend, &executor->sums->squares,
            executor_parts_state(executor, EXECUTOR_GRADIENTS, unit, first), count,
            gradients_typed(schedule));
    }
}

enum status executor_parts_norm(struct executor *executor, const struct schedule_action *action,
                                struct diag *diag)
{
    struct executor_sums *sums = executor->sums;
    enum status status = STATUS_OK;
    add_owned_squares(executor);
    if (action->communicates)
        status = communicator_sum(executor->request.communicator, &sums->squares, diag);
    if (status == STATUS_OK)
        executor->operations->clip(executor->request.backend, &sums->scale, &sums->squares,
                                   executor->request.training->max_grad_norm);
    return status;
}

static struct backend_adamw adamw_of(const struct executor *executor)
{
    double t = (double)(executor->steps + 1);
    return (struct backend_adamw){
        .learning_rate = (float)executor->request.training->learning_rate,
        .beta1 = TRAINING_BETA1,
        .beta2 = TRAINING_BETA2,
        .epsilon = TRAINING_EPSILON,
        .correction1 = (float)(1 - pow(TRAINING_BETA1, t)),
        .correction2 = (float)(1 - pow(TRAINING_BETA2, t)),
    };
}

/* Elements [first, first + count) of a unit, all of one tensor. */
static void update_run(struct executor *executor, size_t unit, uint64_t first, uint64_t count,
                       const struct backend_adamw *how)
{
    unsigned char *parameters = executor_parts_state(executor, EXECUTOR_PARAMETERS, unit, first);
    unsigned char *master = executor_parts_state(executor, EXECUTOR_MASTER, unit, first);
    const struct backend_update update = {
        .weight = (float *)(void *)(master != NULL ? master : parameters),
        .moment1 = (float *)(void *)executor_parts_state(executor, EXECUTOR_MOMENT1, unit, first),
        .moment2 = (float *)(void *)executor_parts_state(executor, EXECUTOR_MOMENT2, unit, first),
        .typed_copy = master != NULL ? parameters : NULL,
        .gradient = executor_parts_state(executor, EXECUTOR_GRADIENTS, unit, first),
        .typed = gradients_typed(executor->request.schedule),
        .count = count,
        .scale = &executor->sums->scale,
    };
    executor->operations->adamw(executor->request.backend, &update, how);
}

/* Weight decay differs by tensor, so the owned part is updated tensor by tensor. */
static enum status update_unit(struct executor *executor, size_t unit, struct backend_adamw *how,
                               struct diag *diag)
{
    const struct schedule *schedule = executor->request.schedule;
    uint64_t owned_first, owned_count;
    owned_range(executor, unit, &owned_first, &owned_count);
    for (size_t i = executor->unit_begin[unit]; i < executor->unit_begin[unit + 1]; i++) {
        size_t index = executor->unit_tensors[i];
        struct model_tensor tensor = model_tensor(&schedule->request.shape, index);
        uint64_t first = schedule->places[index].offset, end = first + tensor.elements;
        if (first < owned_first)
            first = owned_first;
        if (end > owned_first + owned_count)
            end = owned_first + owned_count;
        if (first >= end)
            continue;
        how->weight_decay = tensor.columns > 0 ? TRAINING_WEIGHT_DECAY : 0;
        update_run(executor, unit, first, end - first, how);
        enum status status = executor->between.call(executor, diag);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

enum status executor_parts_update(struct executor *executor, const struct schedule_action *action,
                                  struct diag *diag)
{
    const struct schedule_group *group = &executor->request.schedule->groups[action->group];
    struct backend_adamw how = adamw_of(executor);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < group->unit_count && status == STATUS_OK; i++) {
        size_t unit = group->first_unit + i;
        /* Only this rank's part of whole values is new: they may not be used until the others'
         * parts have come. */
        if (!executor_parts_replicated(executor, EXECUTOR_MOMENT1) &&
            executor_parts_whole(executor, unit) != NULL)
            executor_parts_bind_parameters(executor, unit, NULL);
        status = update_unit(executor, unit, &how, diag);
    }
    return status;
}
