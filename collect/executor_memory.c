#include "executor_parts.h"

unsigned char *executor_parts_buffer(const struct executor *executor, size_t buffer)
{
    if (buffer == SCHEDULE_NONE || executor->offsets[buffer] == EXECUTOR_PARTS_NOT_LIVE)
        return NULL;
    return device_memory_at(executor->request.memory, executor->offsets[buffer]);
}

static enum status take(struct executor *executor, size_t index, struct diag *diag)
{
    const struct schedule_buffer *buffer = &executor->request.schedule->buffers[index];
    if (executor->offsets[index] != EXECUTOR_PARTS_NOT_LIVE)
        return diag_set(diag, STATUS_BUG, "the schedule takes buffer %zu, which is live", index);
    return device_memory_take(executor->request.memory, buffer->category, buffer->bytes,
                              &executor->offsets[index], diag);
}

enum status executor_parts_take_residents(struct executor *executor, struct diag *diag)
{
    const struct schedule *schedule = executor->request.schedule;
    for (size_t i = 0; i < schedule->buffer_count && schedule->buffers[i].resident; i++) {
        enum status status = take(executor, i, diag);
        if (status != STATUS_OK)
            return status;
        unsigned char *address = executor_parts_buffer(executor, i);
        executor->operations->fill_zero(executor->request.backend, address,
                                        schedule->buffers[i].bytes);
        executor->roles[schedule->buffers[i].role] = address;
    }
    return STATUS_OK;
}

void executor_parts_bind_parameters(struct executor *executor, size_t unit, unsigned char *base)
{
    const struct schedule *schedule = executor->request.schedule;
    for (size_t i = executor->unit_begin[unit]; i < executor->unit_begin[unit + 1]; i++) {
        size_t tensor = executor->unit_tensors[i];
        uint64_t offset = schedule->places[tensor].offset * schedule->wire_bytes;
        executor->stage.parameters[tensor] = base == NULL ? NULL : base + offset;
    }
}

void executor_parts_bind_gradients(struct executor *executor, size_t unit, unsigned char *base)
{
    const struct schedule *schedule = executor->request.schedule;
    for (size_t i = executor->unit_begin[unit]; i < executor->unit_begin[unit + 1]; i++) {
        size_t tensor = executor->unit_tensors[i];
        uint64_t offset = schedule->places[tensor].offset * schedule->wire_bytes;
        executor->stage.gradients[tensor] = base == NULL ? NULL : base + offset;
    }
}

unsigned char *executor_parts_whole(const struct executor *executor, size_t unit)
{
    const struct schedule *schedule = executor->request.schedule;
    const struct schedule_unit *at = &schedule->units[unit];
    if (schedule_whole_parameters(schedule->request.strategy))
        return executor->roles[SCHEDULE_ROLE_PARAMETERS] +
               at->full_offset * schedule->parameter_bytes;
    if (at->persistent)
        return executor->roles[SCHEDULE_ROLE_PERSISTENT] +
               at->persistent_offset * schedule->wire_bytes;
    return NULL;
}

enum status executor_parts_take(struct executor *executor, const struct schedule_action *action,
                                struct diag *diag)
{
    const struct schedule *schedule = executor->request.schedule;
    const struct schedule_buffer *buffer = &schedule->buffers[action->buffer];
    enum status status = take(executor, action->buffer, diag);
    if (status != STATUS_OK)
        return status;
    unsigned char *address = executor_parts_buffer(executor, action->buffer);
    if (buffer->role == SCHEDULE_ROLE_STREAM)
        executor->stage.streams[buffer->stage] = address;
    if (buffer->role == SCHEDULE_ROLE_SAVED)
        executor->stage.saved[buffer->stage] = address;
    if (buffer->role != SCHEDULE_ROLE_REDUCED)
        return STATUS_OK;
    const struct schedule_group *group = &schedule->groups[buffer->group];
    for (size_t i = 0; i < group->unit_count; i++) {
        size_t unit = group->first_unit + i;
        executor_parts_bind_gradients(
            executor, unit, address + schedule->units[unit].reduced_offset * schedule->wire_bytes);
    }
    return STATUS_OK;
}

/* A table's pointers into a released buffer go; those into another buffer of the same group, taken
 * in the meantime, stay. */
static void unbind(struct executor *executor, const struct schedule_buffer *buffer,
                   const unsigned char *address)
{
    const struct schedule_group *group = &executor->request.schedule->groups[buffer->group];
    for (size_t i = 0; i < group->unit_count; i++) {
        size_t unit = group->first_unit + i;
        size_t tensor = executor->unit_tensors[executor->unit_begin[unit]];
        bool gathered = buffer->role == SCHEDULE_ROLE_GATHERED;
        const unsigned char *at =
            gathered ? executor->stage.parameters[tensor] : executor->stage.gradients[tensor];
        if (at == NULL || at < address || at >= address + buffer->bytes)
            continue;
        if (gathered)
            executor_parts_bind_parameters(executor, unit, NULL);
        else
            executor_parts_bind_gradients(executor, unit, NULL);
    }
}

enum status executor_parts_release(struct executor *executor, const struct schedule_action *action,
                                   struct diag *diag)
{
    const struct schedule_buffer *buffer = &executor->request.schedule->buffers[action->buffer];
    unsigned char *address = executor_parts_buffer(executor, action->buffer);
    if (address == NULL)
        return diag_set(diag, STATUS_BUG, "the schedule releases buffer %zu, which is not live",
                        action->buffer);
    if (buffer->role == SCHEDULE_ROLE_STREAM)
        executor->stage.streams[buffer->stage] = NULL;
    if (buffer->role == SCHEDULE_ROLE_SAVED)
        executor->stage.saved[buffer->stage] = NULL;
    if (buffer->role == SCHEDULE_ROLE_GATHERED || buffer->role == SCHEDULE_ROLE_REDUCED)
        unbind(executor, buffer, address);
    device_memory_release(executor->request.memory, executor->offsets[action->buffer]);
    executor->offsets[action->buffer] = EXECUTOR_PARTS_NOT_LIVE;
    return STATUS_OK;
}
