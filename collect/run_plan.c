#include "run_plan.h"

#include <signal.h>

#include "backend.h"
#include "checkpoint.h"
#include "communicator_mpi.h"
#include "device_memory.h"
#include "executor.h"

/* A backend with collectives of its own has them keep their buffers themselves. */
uint64_t run_plan_communicator_bytes(const struct run_config *config)
{
    const struct backend_row *row = backend_find(config->backend);
    return row != NULL && row->connect != NULL
               ? 0
               : communicator_mpi_buffer_bytes(config->training.schedule.world_size);
}

/* Of a backend that cannot be had only what follows from the strategy is known. */
static enum status workspace_of(const struct run_config *config, uint64_t threads, uint64_t *bytes,
                                struct run_plan *plan, struct diag *diag)
{
    const struct schedule_request *schedule = &config->training.schedule;
    const struct backend_row *row = backend_find(config->backend);
    const struct backend_request request = {
        .shape = schedule->shape, .dtype = schedule->dtype, .threads = (int)threads};
    uint64_t operator_bytes = 0;
    if (row == NULL)
        return diag_set(diag, STATUS_USAGE, "there is no backend \"%s\"", config->backend);
    /* Threads that are started here must leave every signal to the one that waits for it: an
     * interrupt that another thread takes ends the program on the spot. */
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    enum status status = STATUS_OK;
    plan->incomplete = row->unavailable() != NULL;
    if (!plan->incomplete)
        status = row->plan(&request, &operator_bytes, diag);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (status == STATUS_OK && !plan->incomplete)
        *bytes =
            executor_workspace_bytes(schedule, operator_bytes, run_plan_communicator_bytes(config));
    return status;
}

static bool saves_or_restores(const struct run_config *config)
{
    return config->checkpoint != RUN_CHECKPOINT_NONE || config->dump_dir != NULL ||
           config->restore_dir != NULL;
}

/* What checkpoints, restoring and dumps need beside the resident state: files are read into and
 * written from the host's memory, which an arena on a device is not. */
static uint64_t beside_residents(const struct run_config *config, const struct schedule *schedule)
{
    const struct backend_row *row = backend_find(config->backend);
    const bool on_host = row == NULL || row->describe == NULL;
    return saves_or_restores(config) && on_host ? checkpoint_buffer_bytes(schedule) : 0;
}

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + DEVICE_MEMORY_ALIGNMENT - 1) / DEVICE_MEMORY_ALIGNMENT *
           DEVICE_MEMORY_ALIGNMENT;
}

enum status run_plan_arena_bytes(const struct run_config *config, const struct schedule *schedule,
                                 uint64_t *bytes, struct diag *diag)
{
    uint64_t of_step = 0;
    uint64_t other = beside_residents(config, schedule);
    enum status status = executor_arena_bytes(schedule, &of_step, diag);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < schedule->buffer_count && schedule->buffers[i].resident; i++)
        other += aligned(schedule->buffers[i].bytes);
    *bytes = of_step > other ? of_step : other;
    return STATUS_OK;
}

static void predict(const struct run_config *config, struct run_plan *plan)
{
    uint64_t buffers = beside_residents(config, &plan->schedule);
    uint64_t resident = 0;
    for (int i = 0; i < SCHEDULE_CATEGORY_COUNT; i++)
        resident += plan->walk.resident[i];
    plan->checkpoint_bytes = saves_or_restores(config) ? resident + buffers : 0;
    plan->peak_bytes =
        plan->walk.peak > plan->checkpoint_bytes ? plan->walk.peak : plan->checkpoint_bytes;
    plan->count = schedule_count_of(&plan->schedule);
    plan->ledger = schedule_ledger_of(&plan->schedule);
}

enum status run_plan_make(const struct run_config *config, enum strategy strategy, uint64_t threads,
                          struct arena *arena, struct run_plan *plan, struct diag *diag)
{
    struct schedule_request request = config->training.schedule;
    *plan = (struct run_plan){0};
    request.strategy = strategy;
    enum status status = workspace_of(config, threads, &request.workspace_bytes, plan, diag);
    if (status == STATUS_OK)
        status = schedule_build(&request, arena, &plan->schedule, diag);
    if (status == STATUS_OK)
        status = schedule_walk_of(&plan->schedule, &plan->walk, diag);
    if (status == STATUS_OK)
        status = run_plan_arena_bytes(config, &plan->schedule, &plan->arena_bytes, diag);
    if (status == STATUS_OK)
        predict(config, plan);
    return status;
}
