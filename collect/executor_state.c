#include "executor_parts.h"

#include <string.h>

#include "model_data.h"

static const enum schedule_role roles[EXECUTOR_STATE_COUNT] = {
    [EXECUTOR_PARAMETERS] = SCHEDULE_ROLE_PARAMETERS,
    [EXECUTOR_GRADIENTS] = SCHEDULE_ROLE_GRADIENTS,
    [EXECUTOR_MASTER] = SCHEDULE_ROLE_MASTER,
    [EXECUTOR_MOMENT1] = SCHEDULE_ROLE_MOMENT1,
    [EXECUTOR_MOMENT2] = SCHEDULE_ROLE_MOMENT2,
};

uint64_t executor_state_bytes(const struct executor *executor, enum executor_state state)
{
    if (executor->roles[roles[state]] == NULL)
        return 0;
    if (state == EXECUTOR_PARAMETERS)
        return executor->request.schedule->parameter_bytes;
    if (state == EXECUTOR_GRADIENTS)
        return executor->request.schedule->gradient_bytes;
    return sizeof(float);
}

bool executor_parts_replicated(const struct executor *executor, enum executor_state state)
{
    enum strategy strategy = executor->request.schedule->request.strategy;
    if (state == EXECUTOR_PARAMETERS)
        return schedule_whole_parameters(strategy);
    if (state == EXECUTOR_GRADIENTS)
        return schedule_whole_gradients(strategy);
    return !training_state_row(strategy)->shards_optimizer;
}

void executor_parts_shard_range(const struct executor *executor, size_t unit, uint64_t *first,
                                uint64_t *count)
{
    const struct schedule *schedule = executor->request.schedule;
    *count = schedule->units[unit].padded / schedule->request.world_size;
    *first = executor->rank * *count;
}

unsigned char *executor_parts_state(const struct executor *executor, enum executor_state state,
                                    size_t unit, uint64_t first)
{
    const struct schedule_unit *at = &executor->request.schedule->units[unit];
    const uint64_t bytes = executor_state_bytes(executor, state);
    if (bytes == 0)
        return NULL;
    uint64_t position = at->full_offset + first;
    if (!executor_parts_replicated(executor, state)) {
        uint64_t shard_first, shard_count;
        executor_parts_shard_range(executor, unit, &shard_first, &shard_count);
        position = at->shard_offset + (first - shard_first);
    }
    return executor->roles[roles[state]] + position * bytes;
}

void *executor_shard(struct executor *executor, enum executor_state state, size_t unit)
{
    uint64_t first, count;
    executor_parts_shard_range(executor, unit, &first, &count);
    return executor_parts_state(executor, state, unit, first);
}

/* --- from shards to every rank --- */

/* Gathers one unit of `state` into `whole`. Wider elements than those that travel are sent as
 * several: an all-gather only moves bytes. */
static enum status gather_unit(struct executor *executor, enum executor_state state, size_t unit,
                               void *whole, struct diag *diag)
{
    const struct schedule *schedule = executor->request.schedule;
    uint64_t first, count;
    executor_parts_shard_range(executor, unit, &first, &count);
    uint64_t per_element = executor_state_bytes(executor, state) / schedule->wire_bytes;
    const struct communicator_segment segment = {whole, executor_shard(executor, state, unit),
                                                 count * per_element};
    const struct communicator_call call = {
        .collective = SCHEDULE_ALL_GATHER,
        .purpose = SCHEDULE_PARAMETER_SYNC,
        .segments = &segment,
        .segment_count = 1,
        .payload_bytes =
            segment.part_elements * schedule->request.world_size * schedule->wire_bytes,
        .ticket = 0,
    };
    enum status status = communicator_post(executor->request.communicator, &call, diag);
    if (status != STATUS_OK)
        return status;
    return communicator_wait(executor->request.communicator, 0, diag);
}

static enum status publish_state(struct executor *executor, enum executor_state state,
                                 struct diag *diag)
{
    const struct schedule *schedule = executor->request.schedule;
    if (executor_state_bytes(executor, state) == 0)
        return STATUS_OK;
    for (size_t unit = 0; unit < schedule->unit_count; unit++) {
        unsigned char *whole = NULL;
        if (state == EXECUTOR_PARAMETERS)
            whole = executor_parts_whole(executor, unit);
        else if (executor_parts_replicated(executor, state))
            whole = executor_parts_state(executor, state, unit, 0);
        if (whole == NULL)
            continue;
        enum status status = gather_unit(executor, state, unit, whole, diag);
        if (status != STATUS_OK)
            return status;
        if (state == EXECUTOR_PARAMETERS)
            executor_parts_bind_parameters(executor, unit, whole);
    }
    return STATUS_OK;
}

static enum status publish(struct executor *executor, const enum executor_state *states,
                           size_t count, struct diag *diag)
{
    struct communicator *communicator = executor->request.communicator;
    struct communicator_usage usage = communicator->usage;
    enum status status = STATUS_OK;
    timeline_restart(communicator->timeline);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = publish_state(executor, states[i], diag);
    if (status == STATUS_OK)
        status = communicator_drain(communicator, diag);
    if (status == STATUS_OK)
        communicator_settle(communicator);
    communicator->usage = usage;
    return status;
}

enum status executor_publish(struct executor *executor, struct diag *diag)
{
    static const enum executor_state all[] = {EXECUTOR_PARAMETERS, EXECUTOR_MASTER,
                                              EXECUTOR_MOMENT1, EXECUTOR_MOMENT2};
    return publish(executor, all, sizeof all / sizeof all[0], diag);
}

/* --- initial values --- */

#define CHUNK 65536 /* elements made at once, 256 KiB: the device is waited for after each */

/* Elements [first, first + count) of tensor `index`'s unit, all of this tensor. */
static enum status fill_run(struct executor *executor, size_t index, uint64_t first, uint64_t count,
                            struct diag *diag)
{
    const struct schedule *schedule = executor->request.schedule;
    const struct backend_operations *operations = executor->operations;
    struct backend *backend = executor->request.backend;
    const size_t unit = schedule->places[index].unit;
    enum status status = STATUS_OK;
    float values[CHUNK];
    for (uint64_t done = 0; done < count && status == STATUS_OK; done += CHUNK) {
        uint64_t now = count - done < CHUNK ? count - done : CHUNK;
        uint64_t position = first + done;
        model_data_initial(&schedule->request.shape, executor->request.training->seed, index,
                           position - schedule->places[index].offset, now, values);
        unsigned char *parameters =
            executor_parts_state(executor, EXECUTOR_PARAMETERS, unit, position);
        unsigned char *master = executor_parts_state(executor, EXECUTOR_MASTER, unit, position);
        operations->from_host(backend, master != NULL ? master : parameters, values,
                              now * sizeof(float));
        if (master != NULL)
            operations->narrow(backend, parameters, (const float *)(const void *)master, now);
        status = operations->synchronise(backend, diag);
    }
    return status;
}

/* Each rank makes its shards alone, whatever the strategy: the generator costs more than a gather
 * does, and every strategy starts from the same path. */
enum status executor_parts_initialise(struct executor *executor, struct diag *diag)
{
    static const enum executor_state filled[] = {EXECUTOR_PARAMETERS, EXECUTOR_MASTER};
    const struct schedule *schedule = executor->request.schedule;
    enum status status = STATUS_OK;
    for (size_t index = 0; index < schedule->tensor_count && status == STATUS_OK; index++) {
        size_t unit = schedule->places[index].unit;
        uint64_t first = schedule->places[index].offset, shard_first, shard_count;
        uint64_t end = first + model_tensor(&schedule->request.shape, index).elements;
        executor_parts_shard_range(executor, unit, &shard_first, &shard_count);
        if (first < shard_first)
            first = shard_first;
        if (end > shard_first + shard_count)
            end = shard_first + shard_count;
        if (first < end)
            status = fill_run(executor, index, first, end - first, diag);
    }
    if (status != STATUS_OK)
        return status;
    return publish(executor, filled, sizeof filled / sizeof filled[0], diag);
}
