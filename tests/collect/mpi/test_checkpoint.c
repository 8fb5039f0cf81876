#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "communicator_mpi.h"
#include "mpi_expect.h"
#include "saved_trial.h"

/*
 * Checkpoints of every strategy and dtype, over 1, 2 and 3 ranks: what is restored is what was
 * saved, bit by bit, also into any other strategy and into one process; and the run goes on as if
 * it had not been interrupted.
 */
static uint64_t rank, world_size;
static char folder[SAVED_TRIAL_PATH];

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED true /* looks for other mistakes, and takes its time */
#else
#define SANITIZED false
#endif

#define STEPS_BEFORE 2
#define STEPS_AFTER 2

/* Global batch 6 whatever the number of ranks, in two micro-batches where one process trains on it:
 * 1 rank: 2 of 3; 2 ranks: 3 of 1; 3 ranks: 1 of 2. */
static struct training training_of(enum strategy strategy, enum model_dtype dtype, uint64_t ranks)
{
    static const uint64_t accumulation[] = {0, 2, 3, 1};
    return trial_training(strategy, dtype, ranks, accumulation[ranks],
                          6 / (ranks * accumulation[ranks]));
}

static void path_of(const char *name, char path[SAVED_TRIAL_PATH])
{
    snprintf(path, SAVED_TRIAL_PATH, "%.*s/%s", SAVED_TRIAL_PATH - 64, folder, name);
}

static const char *name_of(enum strategy strategy)
{
    return training_state_row(strategy)->name;
}

/* Until everyone is here. */
static void meet(void)
{
    struct diag diag = {0};
    struct communicator *communicator = NULL;
    enum status status = communicator_mpi_create(MODEL_FP32, 1, &communicator, &diag);
    if (status == STATUS_OK)
        status = communicator_barrier(communicator, &diag);
    mpi_expect(status == STATUS_OK, "%s", diag.text);
    communicator_destroy(communicator);
}

static void remove_saved(const char *path)
{
    meet();
    if (rank == 0)
        saved_trial_remove(path);
}

/* --- files and memory --- */

static uint64_t file_bytes(const char *path, const char *name)
{
    char whole[2 * SAVED_TRIAL_PATH + 64];
    struct stat about;
    snprintf(whole, sizeof whole, "%s/%s", path, name);
    return stat(whole, &about) == 0 ? (uint64_t)about.st_size : 0;
}

static void expect_counted(const struct checkpoint_result *result, const char *path, bool sharded)
{
    uint64_t bytes =
        sharded ? file_bytes(path, "index.json") : file_bytes(path, "checkpoint.safetensors");
    for (uint64_t r = 0; sharded && r < world_size; r++) {
        char name[64];
        snprintf(name, sizeof name, "rank-%u-of-%u.safetensors", (unsigned)r, (unsigned)world_size);
        bytes += file_bytes(path, name);
    }
    mpi_expect(result->bytes == bytes, "%s: %llu bytes counted, %llu there", path,
               (unsigned long long)result->bytes, (unsigned long long)bytes);
    mpi_expect(result->files == (sharded ? world_size + 1 : 1), "%s: %u files", path,
               (unsigned)result->files);
    mpi_expect(result->save_ms > 0 && result->restore_ms > 0, "times");
}

static void expect_peak(const struct trial *trial, enum schedule_phase phase)
{
    const struct device_memory *memory = &trial->memory;
    const uint64_t buffer = checkpoint_buffer_bytes(&trial->schedule);
    mpi_expect(memory->phase_peak[phase] == memory->live + buffer,
               "%s: a peak of %llu bytes over %llu live ones, expected %llu more",
               schedule_phase_name(phase), (unsigned long long)memory->phase_peak[phase],
               (unsigned long long)memory->live, (unsigned long long)buffer);
}

/* --- one run goes on --- */

static void expect_continues(struct trial *trial, const struct saved_trial_outcome *expected,
                             const char *what)
{
    const struct saved_trial_outcome found = saved_trial_run(trial, STEPS_AFTER);
    mpi_expect(found.loss_sum == expected->loss_sum && found.grad_norm == expected->grad_norm,
               "%s: loss %.17g and norm %.17g, without a break %.17g and %.17g", what,
               found.loss_sum, found.grad_norm, expected->loss_sum, expected->grad_norm);
}

static void expect_restores(const struct training *training, const char *path,
                            const struct saved_trial_state *saved,
                            const struct saved_trial_outcome *expected)
{
    struct trial *trial = saved_trial_create(training, false);
    struct saved_trial_state state;
    saved_trial_restore(trial, path);
    expect_peak(trial, SCHEDULE_PHASE_CHECKPOINT_RESTORE);
    saved_trial_collect(trial, &state);
    mpi_expect(rank != 0 || saved_trial_same(saved, &state, true), "%s: the state as saved", path);
    expect_continues(trial, expected, path);
    saved_trial_fini(&state);
    trial_destroy(trial);
}

static void check_round_trip(const struct training *training)
{
    struct trial *trial = saved_trial_create(training, false);
    struct saved_trial_state saved;
    char paths[2][SAVED_TRIAL_PATH];
    saved_trial_run(trial, STEPS_BEFORE);
    for (int sharded = 0; sharded < 2; sharded++) {
        const struct saved_trial_place place = {paths[sharded], sharded != 0};
        path_of(sharded ? "sharded" : "full", paths[sharded]);
        const struct checkpoint_result result = saved_trial_save(trial, &place);
        expect_counted(&result, paths[sharded], sharded != 0);
    }
    expect_peak(trial, SCHEDULE_PHASE_CHECKPOINT_SAVE);
    expect_peak(trial, SCHEDULE_PHASE_CHECKPOINT_RESTORE);
    saved_trial_collect(trial, &saved);
    const struct saved_trial_outcome expected = saved_trial_run(trial, STEPS_AFTER);
    for (int sharded = 0; sharded < 2; sharded++) {
        expect_restores(training, paths[sharded], &saved, &expected);
        remove_saved(paths[sharded]);
    }
    saved_trial_fini(&saved);
    trial_destroy(trial);
}

/* --- into other strategies --- */

/* The loss of the second step after a restore, which the moments bear on, too. Five times what
 * occurs at most over 1 to 3 ranks (every run prints it): the strategies round their sums in other
 * places. */
static const double loss_tolerance[MODEL_DTYPE_COUNT] = {4e-8, 2e-4};
static double loss_apart[MODEL_DTYPE_COUNT];

/* The loss over all ranks' tokens. */
static double total_loss(struct trial *trial, double loss_sum)
{
    struct diag diag = {0};
    enum status status = communicator_sum(trial->communicator, &loss_sum, &diag);
    mpi_expect(status == STATUS_OK, "%s", diag.text);
    return loss_sum;
}

struct saved_run {
    enum strategy strategy;
    enum model_dtype dtype;
    char path[SAVED_TRIAL_PATH];
    struct saved_trial_state state;
    double loss; /* of the steps after it, all ranks */
};

static void expect_fits(const struct saved_run *saved, enum strategy strategy, bool alone)
{
    const struct training training = training_of(strategy, saved->dtype, alone ? 1 : world_size);
    struct trial *trial = saved_trial_create(&training, alone);
    struct saved_trial_state state;
    const bool one_dtype = saved->dtype == MODEL_FP32 ||
                           (saved->strategy == STRATEGY_FSDP) == (strategy == STRATEGY_FSDP);
    saved_trial_restore(trial, saved->path);
    saved_trial_collect(trial, &state);
    mpi_expect(rank != 0 || saved_trial_same(&saved->state, &state, one_dtype),
               "%s: %s restored as %s%s: the state as saved", saved->path, name_of(saved->strategy),
               name_of(strategy), alone ? " on one rank" : "");
    mpi_expect(rank != 0 ||
                   saved_trial_rounded(
                       &state, executor_state_bytes(trial->executor, EXECUTOR_PARAMETERS) == 2),
               "%s restored as %s: parameters that are the rounded master",
               name_of(saved->strategy), name_of(strategy));
    const double loss = total_loss(trial, saved_trial_run(trial, STEPS_AFTER).loss_sum);
    const double apart = fabs(loss / saved->loss - 1);
    mpi_expect(apart <= loss_tolerance[saved->dtype], "%s restored as %s%s: a loss %.2g apart",
               name_of(saved->strategy), name_of(strategy), alone ? " on one rank" : "", apart);
    if (apart > loss_apart[saved->dtype])
        loss_apart[saved->dtype] = apart;
    saved_trial_fini(&state);
    trial_destroy(trial);
}

/* Every checkpoint into every strategy. Of several ranks it is one half of the pairs over two and
 * the other half over three; one pair in five is also restored on one rank. Even strategies are
 * saved sharded, odd ones full. In fp32 the strategies hold the same tensors, so two pairs of each
 * are enough. */
static void check_crossing(enum strategy from, enum model_dtype dtype)
{
    struct saved_run saved = {.strategy = from, .dtype = dtype};
    const struct training training = training_of(from, dtype, world_size);
    struct trial *trial = saved_trial_create(&training, false);
    const struct saved_trial_place place = {saved.path, from % 2 == 0};
    path_of("crossing", saved.path);
    saved_trial_run(trial, STEPS_BEFORE);
    (void)saved_trial_save(trial, &place);
    saved_trial_collect(trial, &saved.state);
    saved.loss = total_loss(trial, saved_trial_run(trial, STEPS_AFTER).loss_sum);
    trial_destroy(trial);
    const unsigned pairs = dtype == MODEL_FP32 || SANITIZED ? 2 : STRATEGY_COUNT;
    for (unsigned i = 1; i <= pairs; i++) {
        const enum strategy to = (from + i) % STRATEGY_COUNT;
        if (world_size == 1 || (from + to + world_size) % 2 == 0)
            expect_fits(&saved, to, false);
        if (rank == 0 && world_size > 1 && (from + to + world_size) % STRATEGY_COUNT == 0)
            expect_fits(&saved, to, true);
    }
    saved_trial_fini(&saved.state);
    remove_saved(saved.path);
}

/* --- from one rank to all --- */

static void check_from_one(enum strategy from, enum strategy to, enum model_dtype dtype)
{
    char path[SAVED_TRIAL_PATH];
    struct saved_trial_state saved = {0}, state;
    path_of("from_one", path);
    if (rank == 0) {
        const struct training training = training_of(from, dtype, 1);
        struct trial *trial = saved_trial_create(&training, true);
        const struct saved_trial_place place = {path, to % 2 == 0};
        saved_trial_run(trial, STEPS_BEFORE);
        (void)saved_trial_save(trial, &place);
        saved_trial_collect(trial, &saved);
        trial_destroy(trial);
    }
    meet();
    const struct training training = training_of(to, dtype, world_size);
    struct trial *trial = saved_trial_create(&training, false);
    saved_trial_restore(trial, path);
    saved_trial_collect(trial, &state);
    mpi_expect(rank != 0 || saved_trial_same(&saved, &state, false),
               "%s of one rank restored as %s of %u: the state as saved", name_of(from),
               name_of(to), (unsigned)world_size);
    saved_trial_fini(&saved);
    saved_trial_fini(&state);
    trial_destroy(trial);
    remove_saved(path);
}

int main(void)
{
    mpi_expect_start(&rank, &world_size);
    mpi_expect(world_size <= 3, "at most 3 ranks");
    saved_trial_make_folder(folder, rank);
    for (enum model_dtype dtype = 0; dtype < MODEL_DTYPE_COUNT; dtype++)
        for (enum strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
            const struct training training = training_of(strategy, dtype, world_size);
            check_round_trip(&training);
            check_crossing(strategy, dtype);
            if (world_size > 1 && dtype == MODEL_BF16)
                check_from_one((strategy + 2) % STRATEGY_COUNT, strategy, dtype);
        }
    if (rank == 0) {
        mpi_expect(rmdir(folder) == 0, "nothing left in %s", folder);
        printf("losses after a change of strategy: %.1e (fp32), %.1e (bf16) apart\n",
               loss_apart[MODEL_FP32], loss_apart[MODEL_BF16]);
    }
    communicator_mpi_finish();
    return EXIT_SUCCESS;
}
