#include "trial.h"

#include <stdlib.h>
#include <string.h>

#include "checkpoint.h"
#include "communicator_count.h"
#include "model_data.h"

struct training trial_training(enum strategy strategy, enum model_dtype dtype, uint64_t world_size,
                               uint64_t gradient_accumulation, uint64_t micro_batch)
{
    return (struct training){
        .schedule =
            {
                .strategy = strategy,
                .shape = {.width = 36,
                          .layers = 2,
                          .heads = 3,
                          .vocab = 101,
                          .seq_len = 17,
                          .micro_batch = micro_batch},
                .dtype = dtype,
                .world_size = world_size,
                .gradient_accumulation = gradient_accumulation,
                .bucket_bytes = 16384,
                .prefetch = 1,
                .overlap = true,
            },
        .repeats = 10,
        .seed = 7,
        .learning_rate = 1e-3,
        .max_grad_norm = 1,
    };
}

void trial_vary(struct schedule_request *request, unsigned variant)
{
    request->overlap = variant != 1;
    request->prefetch = variant == 1 ? 0 : variant == 2 ? 2 : 1;
    request->activation_checkpointing = variant == 2;
    request->persistence_threshold = variant == 3 ? 1296 : 0; /* the projections persist, too */
    if (variant == 3)
        request->bucket_bytes = SCHEDULE_DEFAULT_BUCKET_BYTES;
}

static const struct backend_row *row_of(const struct trial_request *request)
{
    return backend_find(request->backend != NULL ? request->backend : "cpu");
}

static enum status prepare(struct trial *trial, const struct trial_request *request,
                           struct diag *diag)
{
    const struct backend_request made_for = {
        .shape = trial->training.schedule.shape,
        .dtype = trial->training.schedule.dtype,
        .threads = request->threads == 0 ? 1 : request->threads,
        .device = request->device,
    };
    const struct backend_row *row = row_of(request);
    if (row == NULL)
        return diag_set(diag, STATUS_BUG, "there is no such backend");
    enum status status = row->create(&made_for, &trial->backend, diag);
    if (status != STATUS_OK)
        return status;
    trial->training.schedule.workspace_bytes = executor_workspace_bytes(
        &trial->training.schedule, trial->backend->workspace_bytes, request->communicator_bytes);
    status = schedule_build(&trial->training.schedule, &trial->arena, &trial->schedule, diag);
    if (status == STATUS_OK)
        status = executor_arena_bytes(&trial->schedule, &trial->arena_bytes, diag);
    if (status == STATUS_OK && request->checkpoints)
        trial->arena_bytes += checkpoint_buffer_bytes(&trial->schedule);
    if (status == STATUS_OK)
        status = trial->backend->operations->reserve(trial->backend, trial->arena_bytes,
                                                     &trial->base, diag);
    if (status == STATUS_OK && request->change != NULL)
        request->change(&trial->schedule);
    return status;
}

/* A gather without other ranks: what lies in the arena otherwise is no parameter, and numbers would
 * run away. */
static enum status post_alone(struct communicator *communicator,
                              const struct communicator_call *call, bool *complete,
                              struct diag *diag)
{
    (void)diag;
    for (size_t i = 0; i < call->segment_count; i++) {
        const struct communicator_segment *segment = &call->segments[i];
        const uint64_t bytes = segment->part_elements * model_dtype_bytes(communicator->wire);
        for (uint64_t r = 0; segment->shard != NULL && r < communicator->world_size; r++)
            memmove((unsigned char *)segment->whole + r * bytes, segment->shard, bytes);
    }
    *complete = true;
    return STATUS_OK;
}

static enum status connect_alone(struct trial *trial, uint64_t rank, size_t tickets,
                                 struct diag *diag)
{
    const struct schedule_request *schedule = &trial->training.schedule;
    enum status status = communicator_count_create(rank, schedule->world_size, schedule->dtype,
                                                   tickets, &trial->communicator, diag);
    if (status != STATUS_OK)
        return status;
    trial->counting = *trial->communicator->operations;
    trial->counting.post = post_alone;
    trial->communicator->operations = &trial->counting;
    return STATUS_OK;
}

static enum status connect_ranks(struct trial *trial, const struct trial_request *request,
                                 size_t tickets, struct diag *diag)
{
    struct communicator *host = NULL;
    enum status status = request->connect(trial->training.schedule.dtype, tickets, &host, diag);
    if (status != STATUS_OK)
        return status;
    return backend_connect(row_of(request), trial->backend, host, tickets, &trial->communicator,
                           diag);
}

static enum status start(struct trial *trial, const struct trial_request *request,
                         struct diag *diag)
{
    enum status status = prepare(trial, request, diag);
    if (status != STATUS_OK)
        return status;
    const struct schedule_request *schedule = &trial->training.schedule;
    device_memory_init(&trial->memory, trial->base, trial->arena_bytes,
                       request->limit == 0 ? UINT64_MAX : request->limit);
    const size_t tickets = trial->schedule.ticket_count + 1;
    if (request->connect != NULL)
        status = connect_ranks(trial, request, tickets, diag);
    else
        status = connect_alone(trial, request->rank, tickets, diag);
    if (status != STATUS_OK)
        return status;
    trial->tokens = calloc(schedule->gradient_accumulation * schedule->shape.micro_batch *
                               (schedule->shape.seq_len + 1),
                           sizeof *trial->tokens);
    if (trial->tokens == NULL)
        return diag_no_memory(diag);
    const struct executor_request made_for = {
        .schedule = &trial->schedule,
        .training = &trial->training,
        .backend = trial->backend,
        .communicator = trial->communicator,
        .memory = &trial->memory,
        .observer = request->observer,
    };
    return executor_create(&made_for, &trial->executor, diag);
}

enum status trial_create(const struct trial_request *request, struct trial **trial,
                         struct diag *diag)
{
    struct trial *made = calloc(1, sizeof *made);
    if (made == NULL)
        return diag_no_memory(diag);
    made->training = request->training;
    enum status status = start(made, request, diag);
    if (status == STATUS_OK)
        *trial = made;
    else
        trial_destroy(made);
    return status;
}

void trial_destroy(struct trial *trial)
{
    if (trial == NULL)
        return;
    executor_destroy(trial->executor);
    communicator_destroy(trial->communicator);
    device_memory_fini(&trial->memory);
    if (trial->base != NULL)
        trial->backend->operations->unreserve(trial->backend, trial->base, trial->arena_bytes);
    if (trial->backend != NULL)
        trial->backend->operations->destroy(trial->backend);
    arena_fini(&trial->arena);
    free(trial->tokens);
    free(trial);
}

enum status trial_step(struct trial *trial, struct executor_step *step, struct diag *diag)
{
    const struct training *training = &trial->training;
    const struct model_shape *shape = &training->schedule.shape;
    int32_t *tokens = trial->tokens;
    for (uint64_t g = 0; g < training->schedule.gradient_accumulation; g++)
        for (uint64_t b = 0; b < shape->micro_batch; b++, tokens += shape->seq_len + 1)
            model_data_tokens(shape, training->seed, executor_steps(trial->executor),
                              training_sample(training, trial->communicator->rank, g, b), tokens);
    return executor_run(trial->executor, trial->tokens, step, diag);
}

/* --- a state of all ranks --- */

static float widen(const unsigned char *bytes, uint64_t width)
{
    float value = 0;
    if (width == sizeof value)
        memcpy(&value, bytes, sizeof value);
    else
        memcpy((unsigned char *)&value + 2, bytes, 2); /* bf16: the upper half, little-endian */
    return value;
}

/* Unit `unit`, gathered in `whole`, to where its tensors stand in `values`. */
static void place_unit(const struct trial *trial, size_t unit, const unsigned char *whole,
                       uint64_t width, float *values)
{
    const struct schedule *schedule = &trial->schedule;
    float *at = values;
    for (size_t i = 0; i < schedule->tensor_count; i++) {
        const uint64_t elements = model_tensor(&schedule->request.shape, i).elements;
        const struct schedule_place *place = &schedule->places[i];
        for (uint64_t e = 0; place->unit == unit && e < elements; e++)
            at[e] = widen(whole + (place->offset + e) * width, width);
        at += elements;
    }
}

enum status trial_collect(struct trial *trial, enum executor_state state, float *values,
                          struct diag *diag)
{
    const struct schedule *schedule = &trial->schedule;
    struct communicator *communicator = trial->communicator;
    const uint64_t width = executor_state_bytes(trial->executor, state);
    enum status status = STATUS_OK;
    for (size_t unit = 0; unit < schedule->unit_count && status == STATUS_OK; unit++) {
        const uint64_t bytes = schedule->units[unit].padded * width;
        const uint64_t part = bytes / schedule->request.world_size;
        unsigned char *own = malloc(part), *whole = malloc(bytes);
        if (own == NULL || whole == NULL) {
            status = diag_no_memory(diag);
        } else {
            trial->backend->operations->to_host(trial->backend, own,
                                                executor_shard(trial->executor, state, unit), part);
            status = trial->backend->operations->synchronise(trial->backend, diag);
        }
        if (status == STATUS_OK)
            status = communicator_gather(communicator, own, part, whole, 0, diag);
        if (status == STATUS_OK && communicator->rank == 0)
            place_unit(trial, unit, whole, width, values);
        free(own);
        free(whole);
    }
    return status;
}
