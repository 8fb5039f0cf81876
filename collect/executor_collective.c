#include "executor_parts.h"

#include <inttypes.h>

static uint64_t part_of(const struct executor *executor, size_t unit)
{
    const struct schedule *schedule = executor->request.schedule;
    return schedule->units[unit].padded / schedule->request.world_size;
}

/*
 * The pass without collectives has no values of the other ranks' parts; copies of this rank's part
 * stand in, because what lies in the memory otherwise (activations) would let the numbers run away.
 */
static void stand_in(struct executor *executor, const struct communicator_segment *segment)
{
    const struct schedule *schedule = executor->request.schedule;
    uint64_t bytes = segment->part_elements * schedule->wire_bytes;
    executor_parts_enter(executor, EXECUTOR_PARTS_STAND_IN);
    for (uint64_t r = 0; r < schedule->request.world_size; r++) {
        unsigned char *to = (unsigned char *)segment->whole + r * bytes;
        if (to != segment->shard)
            executor->operations->copy(executor->request.backend, to, segment->shard, bytes);
    }
    executor_parts_enter(executor, executor->request.communicator->phase);
}

/* What is counted is what is moved: the schedule's bytes must be those of the arrays. */
static enum status check_payload(const struct executor *executor,
                                 const struct schedule_action *action, size_t count,
                                 struct diag *diag)
{
    const struct schedule *schedule = executor->request.schedule;
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += executor->segments[i].part_elements * schedule->request.world_size *
                 schedule->wire_bytes;
    if (bytes == action->payload_bytes)
        return STATUS_OK;
    return diag_set(diag, STATUS_BUG,
                    "the schedule counts %" PRIu64 " bytes for a collective of %" PRIu64,
                    action->payload_bytes, bytes);
}

static enum status post(struct executor *executor, const struct schedule_action *action,
                        size_t count, struct diag *diag)
{
    enum status status = check_payload(executor, action, count, diag);
    if (status != STATUS_OK)
        return status;
    const struct communicator_call call = {
        .collective = action->collective,
        .purpose = action->purpose,
        .segments = executor->segments,
        .segment_count = count,
        .payload_bytes = action->payload_bytes,
        .ticket = action->ticket,
    };
    executor->posted[action->ticket] = action;
    return communicator_post(executor->request.communicator, &call, diag);
}

/* From the shards of a group's units into its gathered buffer. Shards stored wider than what
 * travels (fsdp's fp32) are narrowed into their place first. */
static enum status gather_group(struct executor *executor, const struct schedule_action *action,
                                struct diag *diag)
{
    const struct schedule *schedule = executor->request.schedule;
    const struct schedule_group *group = &schedule->groups[action->group];
    unsigned char *buffer = executor_parts_buffer(executor, action->buffer);
    if (buffer == NULL)
        return diag_set(diag, STATUS_BUG, "the schedule gathers into a buffer that is not live");
    size_t count = 0;
    for (size_t unit = group->first_unit; unit < group->first_unit + group->unit_count; unit++) {
        const struct schedule_unit *at = &schedule->units[unit];
        if (at->persistent)
            continue;
        uint64_t part = part_of(executor, unit);
        unsigned char *whole = buffer + at->gathered_offset * schedule->wire_bytes;
        unsigned char *shard = executor->roles[SCHEDULE_ROLE_PARAMETERS] +
                               at->shard_offset * schedule->parameter_bytes;
        if (schedule->parameter_bytes != schedule->wire_bytes) {
            unsigned char *own = whole + executor->rank * part * schedule->wire_bytes;
            executor->operations->narrow(executor->request.backend, own,
                                         (const float *)(const void *)shard, part);
            shard = own;
        }
        executor->segments[count] = (struct communicator_segment){whole, shard, part};
        if (executor->request.communicator->off)
            stand_in(executor, &executor->segments[count]);
        count++;
    }
    return post(executor, action, count, diag);
}

/* Whole parameters from their updated parts: one unit of a group, or all persistent ones. */
static enum status synchronise(struct executor *executor, const struct schedule_action *action,
                               struct diag *diag)
{
    const struct schedule *schedule = executor->request.schedule;
    size_t first = 0, end = schedule->unit_count, count = 0;
    if (action->group != SCHEDULE_NONE) {
        first = schedule->groups[action->group].first_unit;
        end = first + schedule->groups[action->group].unit_count;
    }
    for (size_t unit = first; unit < end; unit++) {
        unsigned char *whole = executor_parts_whole(executor, unit);
        if (whole == NULL)
            continue;
        executor->segments[count++] = (struct communicator_segment){
            whole, executor_shard(executor, EXECUTOR_PARAMETERS, unit), part_of(executor, unit)};
    }
    return post(executor, action, count, diag);
}

enum status executor_parts_gather(struct executor *executor, const struct schedule_action *action,
                                  struct diag *diag)
{
    if (action->purpose == SCHEDULE_PARAMETER_SYNC)
        return synchronise(executor, action, diag);
    return gather_group(executor, action, diag);
}

enum status executor_parts_reduce(struct executor *executor, const struct schedule_action *action,
                                  struct diag *diag)
{
    const struct schedule *schedule = executor->request.schedule;
    const struct schedule_group *group = &schedule->groups[action->group];
    const uint64_t bytes = schedule->wire_bytes;
    unsigned char *buffer = executor_parts_buffer(executor, action->buffer);
    if (buffer == NULL && action->buffer != SCHEDULE_NONE)
        return diag_set(diag, STATUS_BUG, "the schedule reduces in a buffer that is not live");
    for (size_t i = 0; i < group->unit_count; i++) {
        size_t unit = group->first_unit + i;
        const struct schedule_unit *at = &schedule->units[unit];
        unsigned char *whole =
            buffer != NULL ? buffer + at->reduced_offset * bytes
                           : executor->roles[SCHEDULE_ROLE_GRADIENTS] + at->full_offset * bytes;
        /* A buffer holds what was there before it, and a reduce-scatter leaves anything in the
         * other ranks' parts; padding has to travel as zeros all the same. */
        executor->operations->fill_zero(executor->request.backend, whole + at->elements * bytes,
                                        (at->padded - at->elements) * bytes);
        executor_parts_bind_gradients(executor, unit, NULL);
        executor->segments[i] = (struct communicator_segment){whole, NULL, part_of(executor, unit)};
    }
    return post(executor, action, group->unit_count, diag);
}

/* What a finished gather brought can be used from now on. */
static enum status arrived(struct executor *executor, const struct schedule_action *action,
                           struct diag *diag)
{
    const struct schedule *schedule = executor->request.schedule;
    bool synchronised = action->purpose == SCHEDULE_PARAMETER_SYNC;
    unsigned char *buffer = executor_parts_buffer(executor, action->buffer);
    if (!synchronised && buffer == NULL)
        return diag_set(diag, STATUS_BUG, "a gather ends in a buffer that was released");
    size_t first = 0, end = schedule->unit_count;
    if (action->group != SCHEDULE_NONE) {
        first = schedule->groups[action->group].first_unit;
        end = first + schedule->groups[action->group].unit_count;
    }
    for (size_t unit = first; unit < end; unit++) {
        unsigned char *whole = executor_parts_whole(executor, unit);
        if (!synchronised && whole == NULL)
            whole = buffer + schedule->units[unit].gathered_offset * schedule->wire_bytes;
        if (whole != NULL)
            executor_parts_bind_parameters(executor, unit, whole);
    }
    return STATUS_OK;
}

enum status executor_parts_wait(struct executor *executor, const struct schedule_action *action,
                                struct diag *diag)
{
    const struct schedule_action *posted = executor->posted[action->ticket];
    if (posted == NULL)
        return diag_set(diag, STATUS_BUG, "the schedule waits for ticket %zu, which is not posted",
                        action->ticket);
    enum status status = communicator_wait(executor->request.communicator, action->ticket, diag);
    if (status != STATUS_OK)
        return status;
    executor->posted[action->ticket] = NULL;
    return posted->kind == SCHEDULE_GATHER ? arrived(executor, posted, diag) : STATUS_OK;
}
