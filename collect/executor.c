#include "executor_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "stopwatch.h"

#define ALIGNMENT UINT64_C(64)

static uint64_t align(uint64_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* The workspace's parts, one after another. */
struct parts {
    uint64_t sums, tokens, stages, operators, all; /* bytes; all: without the communicator's */
};

static struct parts parts_of(const struct schedule_request *request, uint64_t operator_bytes)
{
    const struct model_shape *shape = &request->shape;
    struct parts parts = {
        .sums = align(sizeof(struct executor_sums)),
        .tokens = align(request->gradient_accumulation * shape->micro_batch * (shape->seq_len + 1) *
                        sizeof(int32_t)),
        .stages = align(model_stage_workspace_bytes(shape, request->dtype)),
        .operators = align(operator_bytes),
    };
    parts.all = parts.sums + parts.tokens + parts.stages + parts.operators;
    return parts;
}

uint64_t executor_workspace_bytes(const struct schedule_request *request, uint64_t operator_bytes,
                                  uint64_t communicator_bytes)
{
    return parts_of(request, operator_bytes).all + communicator_bytes;
}

/* --- the arena's size: the allocator run dry --- */

static enum status run_dry(const struct schedule *schedule, struct device_memory *memory,
                           uint64_t *offsets, struct diag *diag)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < schedule->buffer_count && schedule->buffers[i].resident; i++) {
        const struct schedule_buffer *buffer = &schedule->buffers[i];
        status = device_memory_take(memory, buffer->category, buffer->bytes, &offsets[i], diag);
        if (status != STATUS_OK)
            return status;
    }
    for (size_t i = 0; i < schedule->action_count && status == STATUS_OK; i++) {
        const struct schedule_action *action = &schedule->actions[i];
        if (action->kind == SCHEDULE_TAKE) {
            const struct schedule_buffer *buffer = &schedule->buffers[action->buffer];
            status = device_memory_take(memory, buffer->category, buffer->bytes,
                                        &offsets[action->buffer], diag);
        } else if (action->kind == SCHEDULE_RELEASE &&
                   !device_memory_release(memory, offsets[action->buffer])) {
            status =
                diag_set(diag, STATUS_BUG, "the schedule releases buffer %zu, which is not live",
                         action->buffer);
        }
    }
    return status;
}

enum status executor_arena_bytes(const struct schedule *schedule, uint64_t *bytes,
                                 struct diag *diag)
{
    uint64_t *offsets = calloc(schedule->buffer_count, sizeof *offsets);
    if (offsets == NULL)
        return diag_no_memory(diag);
    struct device_memory memory;
    device_memory_init(&memory, NULL, 0, UINT64_MAX);
    enum status status = run_dry(schedule, &memory, offsets, diag);
    if (status == STATUS_OK)
        *bytes = memory.extent;
    device_memory_fini(&memory);
    free(offsets);
    return status;
}

/* --- creation --- */

/* Between operators: lets what is in flight make progress. */
static enum status poll(void *context, struct diag *diag)
{
    struct executor *executor = context;
    struct communicator *communicator = executor->request.communicator;
    return communicator->posted_now == 0 ? STATUS_OK : communicator_poll(communicator, diag);
}

/* The tensors of each unit, in the order of tensors. */
static void sort_tensors(struct executor *executor)
{
    const struct schedule *schedule = executor->request.schedule;
    size_t *begin = executor->unit_begin;
    for (size_t i = 0; i < schedule->tensor_count; i++)
        begin[schedule->places[i].unit + 1]++;
    for (size_t u = 0; u < schedule->unit_count; u++)
        begin[u + 1] += begin[u];
    for (size_t i = schedule->tensor_count; i-- > 0;)
        executor->unit_tensors[--begin[schedule->places[i].unit + 1]] = i;
    /* Each begin[u + 1] has run down to unit u's first tensor: shift them into place. */
    memmove(begin, begin + 1, schedule->unit_count * sizeof *begin);
    begin[schedule->unit_count] = schedule->tensor_count;
}

/* The begin and the end of a step, each change of phase, and around each unit of a gather that
 * copies stand in for. */
static size_t count_moments(const struct schedule *schedule)
{
    size_t count = 2;
    enum schedule_phase phase = SCHEDULE_PHASE_INIT;
    for (size_t i = 0; i < schedule->action_count; i++) {
        const struct schedule_action *action = &schedule->actions[i];
        count += action->phase != phase;
        phase = action->phase;
        if (action->kind == SCHEDULE_GATHER && action->group != SCHEDULE_NONE)
            count += 2 * schedule->groups[action->group].unit_count;
    }
    return count;
}

static enum status take_tables(struct executor *executor, struct diag *diag)
{
    const struct schedule *schedule = executor->request.schedule;
    const size_t stages = (size_t)schedule->request.shape.layers + 2;
    struct arena *tables = &executor->tables;
    struct model_stage *stage = &executor->stage;
    executor->offsets = arena_take_array(tables, schedule->buffer_count, sizeof(uint64_t));
    executor->unit_tensors = arena_take_array(tables, schedule->tensor_count, sizeof(size_t));
    executor->unit_begin = arena_take_array(tables, schedule->unit_count + 1, sizeof(size_t));
    executor->posted =
        arena_take_array(tables, schedule->ticket_count + 1, sizeof *executor->posted);
    executor->segments = arena_take_array(tables, schedule->unit_count, sizeof *executor->segments);
    executor->moment_capacity = count_moments(schedule);
    executor->moments =
        arena_take_array(tables, executor->moment_capacity, sizeof *executor->moments);
    stage->parameters = arena_take_array(tables, schedule->tensor_count, sizeof(void *));
    stage->gradients = arena_take_array(tables, schedule->tensor_count, sizeof(void *));
    stage->streams = arena_take_array(tables, stages, sizeof(void *));
    stage->saved = arena_take_array(tables, stages, sizeof(void *));
    if (executor->offsets == NULL || executor->unit_tensors == NULL ||
        executor->unit_begin == NULL || executor->posted == NULL || executor->segments == NULL ||
        executor->moments == NULL || stage->parameters == NULL || stage->gradients == NULL ||
        stage->streams == NULL || stage->saved == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < schedule->buffer_count; i++)
        executor->offsets[i] = EXECUTOR_PARTS_NOT_LIVE;
    sort_tensors(executor);
    return STATUS_OK;
}

static void set_stage(struct executor *executor)
{
    const struct schedule *schedule = executor->request.schedule;
    const struct schedule_request *request = &schedule->request;
    struct model_stage *stage = &executor->stage;
    stage->backend = executor->request.backend;
    stage->shape = request->shape;
    stage->dtype = request->dtype;
    stage->plan = schedule->activations;
    stage->loss_scale =
        (float)(1.0 / ((double)request->shape.micro_batch * (double)request->shape.seq_len *
                       (double)request->gradient_accumulation * (double)request->world_size));
    executor->between = (struct model_stage_between){poll, executor};
}

static void set_workspace(struct executor *executor)
{
    struct backend *backend = executor->request.backend;
    struct communicator *communicator = executor->request.communicator;
    const struct schedule_request *request = &executor->request.schedule->request;
    const struct parts parts = parts_of(request, backend->workspace_bytes);
    unsigned char *workspace = executor->roles[SCHEDULE_ROLE_WORKSPACE];
    executor->sums = (struct executor_sums *)(void *)workspace;
    executor->tokens = (int32_t *)(void *)(workspace + parts.sums);
    executor->stage.workspace = workspace + parts.sums + parts.tokens;
    executor->operations->set_workspace(backend, executor->stage.workspace + parts.stages);
    if (communicator->buffer_bytes > 0 && communicator->buffer == NULL &&
        request->workspace_bytes >= parts.all + communicator->buffer_bytes)
        communicator->buffer = workspace + parts.all;
}

static enum status start(struct executor *executor, struct diag *diag)
{
    const struct schedule *schedule = executor->request.schedule;
    device_memory_set_phase(executor->request.memory, SCHEDULE_PHASE_INIT);
    executor->request.communicator->phase = SCHEDULE_PHASE_INIT;
    executor->request.communicator->timeline = &executor->request.backend->timeline;
    enum status status = take_tables(executor, diag);
    if (status == STATUS_OK)
        status = device_memory_prepare(executor->request.memory, schedule->buffer_count + 8, diag);
    if (status == STATUS_OK)
        status = executor_parts_take_residents(executor, diag);
    if (status != STATUS_OK)
        return status;
    if (schedule->request.workspace_bytes <
        parts_of(&schedule->request, executor->request.backend->workspace_bytes).all)
        return diag_set(diag, STATUS_BUG, "the schedule has %" PRIu64 " bytes of workspace",
                        schedule->request.workspace_bytes);
    set_stage(executor);
    set_workspace(executor);
    return executor_parts_initialise(executor, diag);
}

enum status executor_create(const struct executor_request *request, struct executor **executor,
                            struct diag *diag)
{
    struct executor *made = calloc(1, sizeof *made);
    if (made == NULL)
        return diag_no_memory(diag);
    made->request = *request;
    made->operations = request->backend->operations;
    made->rank = request->communicator->rank;
    enum status status = start(made, diag);
    if (status == STATUS_OK)
        *executor = made;
    else
        executor_destroy(made);
    return status;
}

void executor_destroy(struct executor *executor)
{
    if (executor == NULL)
        return;
    arena_fini(&executor->tables);
    free(executor);
}

uint64_t executor_steps(const struct executor *executor)
{
    return executor->steps;
}

void executor_set_steps(struct executor *executor, uint64_t steps)
{
    executor->steps = steps;
}
