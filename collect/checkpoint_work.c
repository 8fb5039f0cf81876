#include "checkpoint_work.h"

#include <stdlib.h>

#include "agreement.h"
#include "stopwatch.h"

/* Enough for long reads and writes; more would only take memory. */
#define STAGING_LIMIT (UINT64_C(8) << 20)
#define WIDEST UINT64_C(4) /* bytes of an element of any state */
#define LEAST UINT64_C(16) /* elements at once, of the smallest model */

const enum executor_state checkpoint_work_states[CHECKPOINT_STATE_COUNT] = {
    EXECUTOR_PARAMETERS, EXECUTOR_MASTER, EXECUTOR_MOMENT1, EXECUTOR_MOMENT2};

const char *checkpoint_work_suffix(enum executor_state state)
{
    static const char *const suffixes[EXECUTOR_STATE_COUNT] = {
        [EXECUTOR_PARAMETERS] = "",
        [EXECUTOR_MASTER] = ".master",
        [EXECUTOR_MOMENT1] = ".moment1",
        [EXECUTOR_MOMENT2] = ".moment2",
    };
    return suffixes[state];
}

uint64_t checkpoint_buffer_bytes(const struct schedule *schedule)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < schedule->tensor_count; i++) {
        uint64_t elements = model_tensor(&schedule->request.shape, i).elements;
        if (elements > largest)
            largest = elements;
    }
    uint64_t bytes = largest * WIDEST;
    if (bytes > STAGING_LIMIT)
        bytes = STAGING_LIMIT;
    /* Rank 0 of a gather holds what every rank sends, and may widen bf16 to fp32 on the way. */
    uint64_t least = (schedule->request.world_size + 1) * LEAST * WIDEST;
    if (bytes < least)
        bytes = least;
    return (bytes + DEVICE_MEMORY_ALIGNMENT - 1) / DEVICE_MEMORY_ALIGNMENT *
           DEVICE_MEMORY_ALIGNMENT;
}

static enum status take_staging(struct checkpoint_work *work, struct diag *diag)
{
    struct device_memory *memory = work->context->memory;
    if (!work->context->backend->operations->host_memory) {
        work->staging = aligned_alloc(DEVICE_MEMORY_ALIGNMENT, work->staging_bytes);
        return work->staging != NULL ? STATUS_OK : diag_no_memory(diag);
    }
    enum status status = device_memory_take(memory, SCHEDULE_WORKSPACE, work->staging_bytes,
                                            &work->staging_offset, diag);
    if (status != STATUS_OK)
        return status;
    work->in_arena = true;
    work->staging = device_memory_at(memory, work->staging_offset);
    return STATUS_OK;
}

static void release_staging(struct checkpoint_work *work)
{
    if (work->in_arena)
        (void)device_memory_release(work->context->memory, work->staging_offset);
    else
        free(work->staging);
    work->in_arena = false;
    work->staging = NULL;
}

enum status checkpoint_work_begin(struct checkpoint_work *work, enum schedule_phase phase,
                                  struct diag *diag)
{
    struct device_memory *memory = work->context->memory;
    work->begin_ns = stopwatch_ns();
    work->phase_before = memory->phase;
    work->staging_bytes = checkpoint_buffer_bytes(work->context->schedule);
    enum status status = shard_map_init(&work->map, work->context->schedule, diag);
    device_memory_set_phase(memory, phase);
    if (status == STATUS_OK)
        status = take_staging(work, diag);
    return agreement_status(work->context->communicator, status, diag);
}

void checkpoint_work_end(struct checkpoint_work *work)
{
    release_staging(work);
    device_memory_set_phase(work->context->memory, work->phase_before);
    shard_map_fini(&work->map);
}

void checkpoint_work_advance(const struct checkpoint_work *work)
{
    if (work->place != NULL && work->place->progress != NULL)
        work->place->progress(work->place->progress_context);
}

double checkpoint_work_ms(const struct checkpoint_work *work)
{
    return (double)(stopwatch_ns() - work->begin_ns) / 1e6;
}

enum status checkpoint_work_fetch(const struct checkpoint_work *work,
                                  const struct checkpoint_stretch *stretch, void *host,
                                  struct diag *diag)
{
    struct backend *backend = work->context->backend;
    uint64_t bytes = executor_state_bytes(work->executor, stretch->state);
    const unsigned char *shard = executor_shard(work->executor, stretch->state, stretch->unit);
    backend->operations->to_host(backend, host, shard + stretch->first * bytes,
                                 stretch->count * bytes);
    return backend->operations->synchronise(backend, diag);
}

/* One stretch of every rank's part to rank 0, and there to the receiver, rank by rank. */
static enum status gather_stretch(const struct checkpoint_work *work,
                                  const struct checkpoint_stretch *stretch,
                                  const struct checkpoint_receiver *receiver, struct diag *diag)
{
    struct communicator *communicator = work->context->communicator;
    uint64_t bytes = stretch->count * executor_state_bytes(work->executor, stretch->state);
    unsigned char *all = communicator->rank == 0 ? work->staging : NULL; /* its own part first */
    enum status status = checkpoint_work_fetch(work, stretch, work->staging, diag);
    if (status == STATUS_OK)
        status = communicator_gather(communicator, work->staging, bytes, all, 0, diag);
    if (status != STATUS_OK)
        return status;
    uint64_t part = shard_part_elements(work->context->schedule, stretch->unit);
    uint64_t ranks = communicator->rank == 0 ? communicator->world_size : 0;
    for (uint64_t rank = 0; rank < ranks && status == STATUS_OK; rank++) {
        struct checkpoint_stretch whole = *stretch;
        whole.first += rank * part;
        status = receiver->receive(receiver->context, &whole, all + rank * bytes, diag);
    }
    checkpoint_work_advance(work);
    return agreement_root(communicator, 0, status, diag);
}

enum status checkpoint_work_gather(const struct checkpoint_work *work, enum executor_state state,
                                   const struct checkpoint_receiver *receiver, struct diag *diag)
{
    const struct schedule *schedule = work->context->schedule;
    uint64_t per_element =
        schedule->request.world_size * executor_state_bytes(work->executor, state) +
        receiver->extra_bytes;
    uint64_t capacity = work->staging_bytes / per_element;
    for (size_t unit = 0; unit < schedule->unit_count; unit++) {
        uint64_t part = shard_part_elements(schedule, unit);
        for (uint64_t first = 0; first < part; first += capacity) {
            const struct checkpoint_stretch stretch = {
                state, unit, first, part - first < capacity ? part - first : capacity};
            enum status status = gather_stretch(work, &stretch, receiver, diag);
            if (status != STATUS_OK)
                return status;
        }
    }
    return STATUS_OK;
}
