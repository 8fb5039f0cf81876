#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "communicator_mpi.h"
#include "dump.h"
#include "mpi_expect.h"
#include "saved_trial.h"

/*
 * Runs whose files and losses another program compares (saved_files.py), under mpirun:
 *
 *     saved_run save DIR STRATEGY DTYPE       trains, saves DIR/full and DIR/sharded, trains on
 *     saved_run continue DIR STRATEGY DTYPE   restores DIR and trains on
 *     saved_run dump DIR STRATEGY DTYPE       trains with a dump to DIR/dump, saves DIR/full
 *
 * Rank 0 prints the loss and the gradient norm of every step after the checkpoint. The global batch
 * is 6 for one, two and three ranks.
 */
#define STEPS 3

static struct training training_of(const char *strategy_name, const char *dtype_name,
                                   uint64_t world_size)
{
    static const uint64_t accumulation[] = {0, 2, 3, 1};
    enum strategy strategy = STRATEGY_DDP;
    mpi_expect(training_state_find(strategy_name, strlen(strategy_name), &strategy),
               "a strategy, not %s", strategy_name);
    mpi_expect(world_size <= 3, "at most three ranks");
    return trial_training(strategy, strcmp(dtype_name, "bf16") == 0 ? MODEL_BF16 : MODEL_FP32,
                          world_size, accumulation[world_size],
                          6 / (world_size * accumulation[world_size]));
}

static void print_steps(struct trial *trial)
{
    for (int i = 0; i < STEPS; i++) {
        struct diag diag = {0};
        struct saved_trial_outcome outcome = saved_trial_run(trial, 1);
        enum status status = communicator_sum(trial->communicator, &outcome.loss_sum, &diag);
        mpi_expect(status == STATUS_OK, "%s", diag.text);
        if (trial->communicator->rank == 0)
            printf("step %" PRIu64 " %.17g %.17g\n", executor_steps(trial->executor),
                   outcome.loss_sum, outcome.grad_norm);
    }
}

static void save(struct trial *trial, const char *folder)
{
    static const char *const names[] = {"full", "sharded"};
    for (int sharded = 0; sharded < 2; sharded++) {
        char path[SAVED_TRIAL_PATH];
        snprintf(path, sizeof path, "%s/%s", folder, names[sharded]);
        (void)saved_trial_save(trial, &(struct saved_trial_place){path, sharded != 0});
    }
}

/* The reduced gradients as they are, for comparison with the dump's. */
static void print_gradients(struct trial *trial)
{
    struct diag diag = {0};
    const uint64_t count = model_parameters(&trial->training.schedule.shape);
    float *values = calloc(count, sizeof *values);
    mpi_expect(values != NULL, "memory");
    enum status status = trial_collect(trial, EXECUTOR_GRADIENTS, values, &diag);
    mpi_expect(status == STATUS_OK, "%s", diag.text);
    for (uint64_t i = 0; trial->communicator->rank == 0 && i < count; i++)
        printf("gradient %a\n", (double)values[i]);
    free(values);
}

static void dump_run(struct trial *trial, const char *folder)
{
    struct diag diag = {0};
    char path[SAVED_TRIAL_PATH];
    struct dump *dump = NULL;
    snprintf(path, sizeof path, "%s/dump", folder);
    const struct dump_request request = {path, false};
    const uint64_t live = trial->memory.live;
    enum status status =
        dump_begin(trial->executor, saved_trial_context(trial), &request, &dump, &diag);
    if (status == STATUS_OK)
        status = dump_write(dump, DUMP_INITIAL, &diag);
    mpi_expect(status == STATUS_OK, "%s", diag.text);
    saved_trial_run(trial, 1);
    status = dump_write(dump, DUMP_GRADIENTS, &diag);
    print_gradients(trial);
    saved_trial_run(trial, STEPS - 1);
    if (status == STATUS_OK)
        status = dump_write(dump, DUMP_FINAL, &diag);
    if (status == STATUS_OK)
        status = dump_finish(dump, &diag);
    mpi_expect(status == STATUS_OK, "%s", diag.text);
    mpi_expect(trial->memory.live == live, "memory as before");
    status = dump_begin(trial->executor, saved_trial_context(trial), &request, &dump, &diag);
    mpi_expect(status == STATUS_USAGE && strstr(diag.text, "exists already") != NULL,
               "a dump to be refused where one is: %s", diag.text);
}

int main(int argc, char **argv)
{
    struct diag diag = {0};
    int rank, size;
    enum status status = communicator_mpi_start(&rank, &size, &diag);
    mpi_expect(status == STATUS_OK, "%s", diag.text);
    mpi_expect(argc == 5, "four arguments");
    const struct training training = training_of(argv[3], argv[4], (uint64_t)size);
    struct trial *trial = saved_trial_create(&training, false);
    if (strcmp(argv[1], "save") == 0) {
        saved_trial_run(trial, STEPS);
        save(trial, argv[2]);
        print_steps(trial);
    } else if (strcmp(argv[1], "continue") == 0) {
        saved_trial_restore(trial, argv[2]);
        print_steps(trial);
    } else {
        dump_run(trial, argv[2]);
        save(trial, argv[2]);
    }
    trial_destroy(trial);
    communicator_mpi_finish();
    return EXIT_SUCCESS;
}
