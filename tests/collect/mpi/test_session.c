#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "communicator_mpi.h"
#include "mpi_expect.h"
#include "saved_trial.h"
#include "schedule_count.h"
#include "schedule_walk.h"
#include "session.h"

/*
 * Whole sessions between real ranks: what the record holds after a run that went well, and after
 * failures that all ranks meet together. Those that one rank meets alone need a launcher. Run with
 * 1, 2 and 3 ranks.
 */
#ifdef __SANITIZE_ADDRESS__
#define SANITIZED true /* the sanitizer touches shadow memory of its own */
#else
#define SANITIZED false
#endif

enum { WARMUP = 2, REPEATS = 4, STEPS = WARMUP + REPEATS };

static uint64_t rank, world_size;
static char folder[SAVED_TRIAL_PATH];

static struct run_config config_of(enum strategy strategy)
{
    struct run_config config = {
        .training = trial_training(strategy, MODEL_BF16, world_size, 2, 1),
        .backend = "cpu",
        .rounds = 1,
        .memory_limit_bytes = UINT64_MAX,
        .timeout_s = 60,
        .output_dir = folder,
        .checkpoint_dir = folder,
        .threads = 1,
    };
    config.training.warmup = WARMUP;
    config.training.repeats = REPEATS;
    return config;
}

/* The board is this rank's alone; its record is the only one used. */
static struct rank_record *run(const struct run_config *config, struct rank_board *board,
                               enum status expected)
{
    struct diag diag = {0};
    enum status status = rank_board_create(NULL, world_size, STEPS, board, &diag);
    mpi_expect(status == STATUS_OK, "%s", diag.text);
    struct rank_record *record = rank_board_at(board, rank);
    record->threads = 1;
    const struct session_request request = {
        .config = config,
        .strategy = config->training.schedule.strategy,
        .connect = communicator_mpi_create,
        .record = record,
    };
    status = session_run(&request, &diag);
    mpi_expect(status == expected, "%s: status %d, %s", training_state_row(request.strategy)->name,
               status, diag.text);
    return record;
}

static void expect_steps(const struct rank_record *record, const char *name)
{
    uint64_t faults = 0;
    mpi_expect(record->step_count == STEPS && record->warmup == WARMUP, "%s: steps", name);
    for (int i = 0; i < STEPS; i++) {
        const struct rank_step *step = &record->steps[i];
        mpi_expect(step->forward_ns + step->backward_ns + step->optimizer_ns + step->exposed_ns +
                           step->other_ns ==
                       step->total_ns,
                   "%s: times of step %d", name, i);
        mpi_expect(step->loss_sum > 0 && step->grad_norm > 0, "%s: numbers of step %d", name, i);
        faults += i < WARMUP ? 0 : step->minor_faults;
    }
    /* All memory of ours is touched by then, and Open MPI's was made to grow when the communicator
     * was created. None is seen; a few are allowed to a library that is not ours. */
    mpi_expect(SANITIZED || faults <= (world_size == 1 ? 0 : 8),
               "%s: %u page faults in measured steps", name, (unsigned)faults);
}

/* The record against what the schedule says; what measured steps sent is a multiple of a step's. */
static void expect_schedule(const struct run_config *config, const struct rank_record *record,
                            const char *name)
{
    struct diag diag = {0};
    struct arena arena = {0};
    struct schedule schedule;
    struct schedule_walk walk;
    struct schedule_request request = config->training.schedule;
    request.workspace_bytes = record->resident[SCHEDULE_WORKSPACE];
    mpi_expect(schedule_build(&request, &arena, &schedule, &diag) == STATUS_OK &&
                   schedule_walk_of(&schedule, &walk, &diag) == STATUS_OK,
               "%s", diag.text);
    const struct schedule_count count = schedule_count_of(&schedule);
    for (int c = 0; c < SCHEDULE_COLLECTIVE_COUNT; c++)
        for (int p = 0; p < SCHEDULE_PURPOSE_COUNT; p++)
            mpi_expect(record->usage.calls[c][p] == count.calls[c][p] * REPEATS &&
                           record->usage.payload_bytes[c][p] == count.payload_bytes[c][p] * REPEATS,
                       "%s: communication", name);
    mpi_expect(memcmp(record->resident, walk.resident, sizeof walk.resident) == 0, "%s: residents",
               name);
    for (int p = SCHEDULE_PHASE_FORWARD; p <= SCHEDULE_PHASE_OPTIMIZER; p++)
        mpi_expect(record->phase_peak[p] == walk.phase_peak[p], "%s: peak of %s", name,
                   schedule_phase_name((enum schedule_phase)p));
    mpi_expect(record->arena_bytes >= walk.peak, "%s: arena", name);
    arena_fini(&arena);
}

static void expect_rest(const struct rank_record *record, const char *name)
{
    mpi_expect(record->complete && record->phase == RANK_DONE, "%s: not complete", name);
    mpi_expect(record->failure.kind == RANK_FAILURE_NONE, "%s: %s", name, record->failure.detail);
    mpi_expect(record->bare_steps == (world_size == 1 ? 0 : REPEATS), "%s: bare steps", name);
    for (uint64_t i = 0; i < record->bare_steps; i++)
        mpi_expect(record->bare_ns[i] > 0, "%s: bare time", name);
    mpi_expect(record->matrix_product_flops > 0, "%s: matrix product", name);
    mpi_expect(world_size == 1 ? isnan(record->blocking_ms) : record->blocking_ms > 0,
               "%s: blocking time", name);
#ifndef __SANITIZE_ADDRESS__ /* whose shadow memory counts, too */
    mpi_expect(record->process_peak_bytes < record->arena_bytes + (UINT64_C(120) << 20),
               "%s: process peak %u MB", name, (unsigned)(record->process_peak_bytes >> 20));
#endif
    for (int i = 0; i < RANK_RECORD_CHECKPOINTS; i++) {
        const struct rank_checkpoint *checkpoint = &record->checkpoints[i];
        mpi_expect(checkpoint->done && checkpoint->verified && checkpoint->sharded == (i == 1),
                   "%s: checkpoint %d", name, i);
    }
}

/* Every strategy ends with the losses of the first. */
static void expect_same(const struct rank_record *record, const char *name)
{
    static double norms[STEPS];
    for (int i = 0; i < STEPS; i++) {
        double norm = record->steps[i].grad_norm;
        if (norms[i] == 0)
            norms[i] = norm;
        mpi_expect(fabs(norm - norms[i]) <= 2e-2 * norms[i], "%s: norm %g of step %d, not %g", name,
                   norm, i, norms[i]); /* bf16: see same_mathematics_limits */
    }
}

static void remove_checkpoints(const char *strategy)
{
    char path[SAVED_TRIAL_PATH + 64];
    for (int sharded = 0; rank == 0 && sharded < 2; sharded++) {
        snprintf(path, sizeof path, "%s/%s-%s", folder, strategy, sharded ? "sharded" : "full");
        saved_trial_remove(path);
    }
}

static void succeed(enum strategy strategy)
{
    struct run_config config = config_of(strategy);
    struct rank_board board = {0};
    const char *name = training_state_row(strategy)->name;
    config.checkpoint = RUN_CHECKPOINT_BOTH;
    struct rank_record *record = run(&config, &board, STATUS_OK);
    expect_steps(record, name);
    expect_schedule(&config, record, name);
    expect_rest(record, name);
    expect_same(record, name);
    rank_board_fini(&board);
    remove_checkpoints(name);
}

/* --- failures that all ranks meet --- */

static void not_finite(enum strategy strategy)
{
    struct run_config config = config_of(strategy);
    struct rank_board board = {0};
    config.injection =
        (struct run_injection){.fault = RUN_FAULT_NAN, .rank = world_size - 1, .step = 3};
    const struct rank_record *record = run(&config, &board, STATUS_NEGATIVE);
    const struct rank_failure *failure = &record->failure;
    mpi_expect(failure->kind == RANK_FAILURE_NON_FINITE && failure->step == 3 &&
                   failure->phase == RANK_OPTIMIZER && failure->rank == -1,
               "kind %s, step %d, %s", rank_failure_kind_name(failure->kind), (int)failure->step,
               rank_phase_name(failure->phase));
    mpi_expect(record->injected == (rank == world_size - 1), "injected on rank %u", (unsigned)rank);
    mpi_expect(record->step_count == 4 && isfinite(record->steps[2].grad_norm) &&
                   !isfinite(record->steps[3].grad_norm),
               "steps before the failure are kept");
    mpi_expect(!record->complete, "complete in spite of a failure");
    rank_board_fini(&board);
}

static void disk_full(void)
{
    struct run_config config = config_of(STRATEGY_ZERO3);
    struct rank_board board = {0};
    config.checkpoint = RUN_CHECKPOINT_SHARDED;
    config.injection = (struct run_injection){
        .fault = RUN_FAULT_DISK_FULL, .rank = world_size - 1, .at_checkpoint = true};
    const struct rank_record *record = run(&config, &board, STATUS_ENVIRONMENT);
    mpi_expect(record->failure.kind == RANK_FAILURE_CHECKPOINT &&
                   record->failure.phase == RANK_CHECKPOINT_SAVE &&
                   record->failure.rank == (int64_t)world_size - 1,
               "kind %s, %s", rank_failure_kind_name(record->failure.kind),
               rank_phase_name(record->failure.phase));
    mpi_expect(strstr(record->failure.detail, "No space left on device") != NULL, "detail: %s",
               record->failure.detail);
    mpi_expect(record->step_count == STEPS, "the measured steps are kept");
    rank_board_fini(&board);
}

/* Of one rank alone, because the others would wait for it. */
static void out_of_memory(void)
{
    struct run_config config = config_of(STRATEGY_ZERO2);
    struct rank_board board = {0};
    config.injection = (struct run_injection){.fault = RUN_FAULT_OOM, .step = 2};
    const struct rank_record *record = run(&config, &board, STATUS_ENVIRONMENT);
    const struct rank_failure *failure = &record->failure;
    mpi_expect(failure->kind == RANK_FAILURE_OUT_OF_MEMORY && failure->step == 2 &&
                   failure->phase == RANK_FORWARD && failure->rank == 0,
               "kind %s, %s", rank_failure_kind_name(failure->kind),
               rank_phase_name(failure->phase));
    mpi_expect(failure->asked_bytes > 0 && failure->in_use_bytes == failure->limit_bytes &&
                   failure->category == SCHEDULE_ACTIVATIONS,
               "asked %u, in use %u, limit %u", (unsigned)failure->asked_bytes,
               (unsigned)failure->in_use_bytes, (unsigned)failure->limit_bytes);
    rank_board_fini(&board);
}

int main(void)
{
    mpi_expect_start(&rank, &world_size);
    saved_trial_make_folder(folder, rank);
    for (enum strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        succeed(strategy);
    for (enum strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        not_finite(strategy);
    disk_full();
    if (world_size == 1)
        out_of_memory();
    communicator_mpi_finish();
    if (rank == 0)
        rmdir(folder);
    /* A session that failed gives nothing back (see session.h), so a leak checker would complain at
     * an ordinary exit. */
    fflush(stdout);
    _exit(EXIT_SUCCESS);
}
