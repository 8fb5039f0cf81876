#include <inttypes.h>
#include <string.h>

#include "agreement.h"
#include "checkpoint_source.h"
#include "stopwatch.h"

/* One checkpoint being read by one rank. */
struct loading {
    struct checkpoint_work work;
    struct checkpoint_facts own;
    struct checkpoint_source source;
};

/* Opens the checkpoint on every rank; all see it, or none goes on. */
static enum status open_source(struct loading *loading, struct diag *diag)
{
    struct checkpoint_work *work = &loading->work;
    enum status status = checkpoint_work_begin(work, SCHEDULE_PHASE_CHECKPOINT_RESTORE, diag);
    if (status != STATUS_OK)
        return status;
    checkpoint_facts_of(&loading->own, work->executor, work->context);
    status = checkpoint_source_open(&loading->source, work->place->directory, &loading->own,
                                    &work->context->schedule->request.shape, diag);
    return agreement_status(work->context->communicator, status, diag);
}

static void close_source(struct loading *loading)
{
    checkpoint_source_close(&loading->source);
    checkpoint_work_end(&loading->work);
}

/* The runs of a stretch of this rank's part. */
static struct shard_cursor runs_of(const struct loading *loading,
                                   const struct checkpoint_stretch *stretch)
{
    const struct checkpoint_work *work = &loading->work;
    const uint64_t part = shard_part_elements(work->context->schedule, stretch->unit);
    const uint64_t begin = work->context->communicator->rank * part + stretch->first;
    return shard_cursor(&work->map, stretch->unit, begin, begin + stretch->count);
}

/* Which stored state this run's `state` is loaded from. A master and fsdp's parameters are the same
 * fp32 values. */
static enum executor_state stored_state(const struct loading *loading, enum executor_state state)
{
    const bool is_narrow = loading->source.meaning.narrow_parameters;
    const uint64_t bytes = executor_state_bytes(loading->work.executor, state);
    if (state == EXECUTOR_MASTER || (state == EXECUTOR_PARAMETERS && bytes == 4))
        return is_narrow ? EXECUTOR_MASTER : EXECUTOR_PARAMETERS;
    return state;
}

/* Reads the runs of a stretch into `data`; what is padding is left alone. */
static enum status read_stretch(const struct loading *loading,
                                const struct checkpoint_stretch *stretch, unsigned char *data,
                                struct diag *diag)
{
    const enum executor_state stored = stored_state(loading, stretch->state);
    const uint64_t bytes = checkpoint_source_bytes(&loading->source, stored);
    struct shard_cursor cursor = runs_of(loading, stretch);
    struct shard_run run;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && shard_next(&cursor, &run))
        status =
            checkpoint_source_read(&loading->source, stored, &run, data + run.offset * bytes, diag);
    return status;
}

/* Does something with every stretch of this rank's part of every unit, as many elements at once as
 * fit the staging buffer with `bytes_each` for each. */
static enum status
each_stretch(struct loading *loading, enum executor_state state, uint64_t bytes_each,
             enum status (*visit)(struct loading *loading, const struct checkpoint_stretch *stretch,
                                  struct diag *diag),
             struct diag *diag)
{
    const struct schedule *schedule = loading->work.context->schedule;
    const uint64_t capacity = loading->work.staging_bytes / bytes_each;
    for (size_t unit = 0; unit < schedule->unit_count; unit++) {
        const uint64_t part = shard_part_elements(schedule, unit);
        for (uint64_t first = 0; first < part; first += capacity) {
            const struct checkpoint_stretch stretch = {
                state, unit, first, part - first < capacity ? part - first : capacity};
            enum status status = visit(loading, &stretch, diag);
            if (status != STATUS_OK)
                return status;
            checkpoint_work_advance(&loading->work);
        }
    }
    return STATUS_OK;
}

/* --- verifying --- */

static enum status refuse_difference(const struct loading *loading, enum executor_state state,
                                     const struct shard_run *run, struct diag *diag)
{
    char name[MODEL_TENSOR_NAME_SIZE];
    model_tensor_name(&loading->source.shape, run->tensor, name);
    return diag_set(diag, STATUS_ENVIRONMENT,
                    "%s: tensor %s%s differs from the state that was saved, in elements %" PRIu64
                    " to %" PRIu64,
                    loading->work.place->directory, name, checkpoint_work_suffix(state), run->first,
                    run->first + run->count - 1);
}

static enum status compare_stretch(struct loading *loading,
                                   const struct checkpoint_stretch *stretch, struct diag *diag)
{
    const struct checkpoint_work *work = &loading->work;
    const uint64_t bytes = executor_state_bytes(work->executor, stretch->state);
    unsigned char *stored = work->staging, *live = stored + stretch->count * bytes;
    enum status status = read_stretch(loading, stretch, stored, diag);
    if (status == STATUS_OK)
        status = checkpoint_work_fetch(work, stretch, live, diag);
    if (status != STATUS_OK)
        return status;
    struct shard_cursor cursor = runs_of(loading, stretch);
    struct shard_run run;
    while (shard_next(&cursor, &run))
        if (memcmp(stored + run.offset * bytes, live + run.offset * bytes, run.count * bytes) != 0)
            return refuse_difference(loading, stretch->state, &run, diag);
    return STATUS_OK;
}

/* Lets go of the cached pages of the files that this rank wrote, before anyone reads them. The time
 * that takes is no restore's. */
static enum status forget_cached(struct loading *loading, struct diag *diag)
{
    const uint64_t begin_ns = stopwatch_ns();
    const uint64_t rank = loading->work.context->communicator->rank;
    for (size_t i = 0; i < loading->source.file_count; i++)
        if (i == rank)
            safetensors_forget_cached(&loading->source.files[i]);
    enum status status = communicator_barrier(loading->work.context->communicator, diag);
    loading->work.begin_ns += stopwatch_ns() - begin_ns;
    return status;
}

static enum status verify(struct loading *loading, struct diag *diag)
{
    struct communicator *communicator = loading->work.context->communicator;
    enum status status = open_source(loading, diag);
    if (status == STATUS_OK)
        status = forget_cached(loading, diag);
    if (status != STATUS_OK)
        return status;
    for (size_t s = 0; s < CHECKPOINT_STATE_COUNT && status == STATUS_OK; s++) {
        const enum executor_state state = checkpoint_work_states[s];
        const uint64_t bytes = executor_state_bytes(loading->work.executor, state);
        if (bytes != 0)
            status = each_stretch(loading, state, 2 * bytes, compare_stretch, diag);
    }
    return agreement_status(communicator, status, diag);
}

enum status checkpoint_verify(struct executor *executor, const struct executor_request *context,
                              const struct checkpoint_place *place,
                              struct checkpoint_result *result, struct diag *diag)
{
    struct loading loading = {.work = {.executor = executor, .context = context, .place = place}};
    struct diag own = {0};
    if (diag == NULL)
        diag = &own;
    result->verified = false;
    enum status status = verify(&loading, diag);
    close_source(&loading);
    if (status != STATUS_OK)
        return status;
    result->restore_ms = checkpoint_work_ms(&loading.work);
    result->verified = true;
    return agreement_largest(context->communicator, &result->restore_ms, diag);
}

/* --- restoring --- */

static enum status load_stretch(struct loading *loading, const struct checkpoint_stretch *stretch,
                                struct diag *diag)
{
    const struct checkpoint_work *work = &loading->work;
    struct backend *backend = work->context->backend;
    const uint64_t bytes = executor_state_bytes(work->executor, stretch->state);
    memset(work->staging, 0, stretch->count * bytes); /* the padding */
    enum status status = read_stretch(loading, stretch, work->staging, diag);
    if (status != STATUS_OK)
        return status;
    unsigned char *shard = executor_shard(work->executor, stretch->state, stretch->unit);
    backend->operations->from_host(backend, shard + stretch->first * bytes, work->staging,
                                   stretch->count * bytes);
    return backend->operations->synchronise(backend, diag);
}

/* bf16 parameters that the checkpoint does not have: the rounded master, as the optimizer makes
 * them. */
static enum status narrow_master(struct loading *loading, struct diag *diag)
{
    const struct checkpoint_work *work = &loading->work;
    const struct schedule *schedule = work->context->schedule;
    struct backend *backend = work->context->backend;
    for (size_t unit = 0; unit < schedule->unit_count; unit++)
        backend->operations->narrow(backend,
                                    executor_shard(work->executor, EXECUTOR_PARAMETERS, unit),
                                    executor_shard(work->executor, EXECUTOR_MASTER, unit),
                                    shard_part_elements(schedule, unit));
    return backend->operations->synchronise(backend, diag);
}

static enum status load(struct loading *loading, struct diag *diag)
{
    struct executor *executor = loading->work.executor;
    enum status status = open_source(loading, diag);
    if (status != STATUS_OK)
        return status;
    const bool rounds = executor_state_bytes(executor, EXECUTOR_PARAMETERS) == 2 &&
                        !loading->source.meaning.narrow_parameters;
    for (size_t s = 0; s < CHECKPOINT_STATE_COUNT && status == STATUS_OK; s++) {
        const enum executor_state state = checkpoint_work_states[s];
        const uint64_t bytes = executor_state_bytes(executor, state);
        if (bytes != 0 && !(state == EXECUTOR_PARAMETERS && rounds))
            status = each_stretch(loading, state, bytes, load_stretch, diag);
    }
    if (status == STATUS_OK && rounds)
        status = narrow_master(loading, diag);
    return agreement_status(loading->work.context->communicator, status, diag);
}

enum status checkpoint_restore(struct executor *executor, const struct executor_request *context,
                               const struct checkpoint_place *place,
                               struct checkpoint_result *result, struct diag *diag)
{
    struct loading loading = {.work = {.executor = executor, .context = context, .place = place}};
    struct diag own = {0};
    if (diag == NULL)
        diag = &own;
    enum status status = load(&loading, diag);
    const uint64_t step = loading.source.meaning.step;
    close_source(&loading);
    if (status == STATUS_OK)
        status = executor_publish(executor, diag);
    if (status != STATUS_OK)
        return status;
    executor_set_steps(executor, step);
    result->restore_ms = checkpoint_work_ms(&loading.work);
    return agreement_largest(context->communicator, &result->restore_ms, diag);
}
