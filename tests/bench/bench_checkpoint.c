/*
 * Speed of checkpoints, beside a bare loop that writes the same bytes to the same disk in the same
 * number of files at once (with their room reserved), fsyncs them, drops them from the cache and
 * reads them again.
 *
 * Usage: mpirun -n N bench_checkpoint FOLDER WIDTH LAYERS VOCAB STRATEGY DTYPE [TURNS]
 *
 * Prints, for full and sharded: bytes, and milliseconds of saving and verifying, of the bare loop's
 * writing and reading, least and median of the turns (3).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agreement.h"
#include "communicator_mpi.h"
#include "saved_trial.h"
#include "stopwatch.h"

#define MOST_TURNS 20
#define BLOCK ((size_t)8 << 20) /* of the bare loop */

enum { SAVE, VERIFY, BARE_WRITE, BARE_READ, MEASURED };

struct bench {
    char path[512], bare[600];
    struct trial *trial;
    int turns;
    double ms[MEASURED][MOST_TURNS];
};

static void insist(enum status status, const struct diag *diag)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "bench_checkpoint: %s\n", diag->text);
    communicator_mpi_abort(4);
}

/* Milliseconds since `begin`, of the slowest rank. */
static double since(const struct bench *bench, uint64_t begin)
{
    struct diag diag = {0};
    double ms = (double)(stopwatch_ns() - begin) / 1e6;
    insist(agreement_largest(bench->trial->communicator, &ms, &diag), &diag);
    return ms;
}

static void meet(const struct bench *bench)
{
    struct diag diag = {0};
    insist(communicator_barrier(bench->trial->communicator, &diag), &diag);
}

static void bare_failed(const char *path)
{
    perror(path);
    communicator_mpi_abort(4);
}

/* `bytes` of one file: written and fsynced, then read again. */
static void run_bare(struct bench *bench, uint64_t bytes, int turn)
{
    static unsigned char block[BLOCK];
    memset(block, turn + 1, sizeof block);
    meet(bench);
    uint64_t begin = stopwatch_ns();
    int descriptor = -1;
    if (bytes > 0)
        descriptor = open(bench->bare, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (bytes > 0) /* as safetensors_create does; without it the loop is several times slower */
        (void)!fallocate(descriptor, 0, 0, (off_t)bytes);
    for (uint64_t at = 0; at < bytes; at += BLOCK) {
        size_t now = bytes - at < BLOCK ? (size_t)(bytes - at) : BLOCK;
        if (pwrite(descriptor, block, now, (off_t)at) != (ssize_t)now)
            bare_failed(bench->bare);
        (void)sync_file_range(descriptor, (off_t)at, (off_t)now, SYNC_FILE_RANGE_WRITE);
    }
    if (bytes > 0 && fsync(descriptor) != 0)
        bare_failed(bench->bare);
    bench->ms[BARE_WRITE][turn] = since(bench, begin);
    if (bytes > 0)
        (void)posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
    meet(bench);
    begin = stopwatch_ns();
    for (uint64_t at = 0; at < bytes; at += BLOCK)
        if (pread(descriptor, block, BLOCK, (off_t)at) < 0)
            bare_failed(bench->bare);
    bench->ms[BARE_READ][turn] = since(bench, begin);
    if (bytes > 0) {
        close(descriptor);
        unlink(bench->bare);
    }
}

static uint64_t run_checkpoint(struct bench *bench, bool sharded, int turn)
{
    struct diag diag = {0};
    struct checkpoint_result result;
    const struct checkpoint_place place = {.directory = bench->path, .sharded = sharded};
    struct executor *executor = bench->trial->executor;
    const struct executor_request *context = saved_trial_context(bench->trial);
    insist(checkpoint_save(executor, context, &place, &result, &diag), &diag);
    insist(checkpoint_verify(executor, context, &place, &result, &diag), &diag);
    bench->ms[SAVE][turn] = result.save_ms;
    bench->ms[VERIFY][turn] = result.restore_ms;
    meet(bench);
    if (bench->trial->communicator->rank == 0)
        saved_trial_remove(bench->path);
    return result.bytes;
}

/* Both, in turns first: on a virtual machine memory that was just freed is cheaper than other. */
static uint64_t run_turn(struct bench *bench, bool sharded, int turn, uint64_t expected)
{
    const struct communicator *communicator = bench->trial->communicator;
    const uint64_t before = turn % 2 == 1 ? 0 : run_checkpoint(bench, sharded, turn);
    const uint64_t bytes = turn % 2 == 1 ? expected : before;
    const uint64_t own = sharded ? bytes / communicator->world_size : bytes;
    run_bare(bench, sharded || communicator->rank == 0 ? own : 0, turn);
    return turn % 2 == 1 ? run_checkpoint(bench, sharded, turn) : before;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void run_kind(struct bench *bench, bool sharded)
{
    static const char *const names[MEASURED] = {"save", "verify", "bare write", "bare read"};
    uint64_t bytes = 0;
    for (int turn = 0; turn < bench->turns; turn++)
        bytes = run_turn(bench, sharded, turn, bytes);
    if (bench->trial->communicator->rank != 0)
        return;
    printf("%s, %.1f MB:", sharded ? "sharded" : "full", (double)bytes / 1e6);
    for (int i = 0; i < MEASURED; i++) {
        qsort(bench->ms[i], (size_t)bench->turns, sizeof *bench->ms[i], ascending);
        printf("  %s %.0f / %.0f ms (%.2f GB/s)", names[i], bench->ms[i][0],
               bench->ms[i][bench->turns / 2],
               (double)bytes / 1e6 / bench->ms[i][bench->turns / 2]);
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    struct diag diag = {0};
    int rank, size;
    struct bench bench = {.turns = argc > 7 ? atoi(argv[7]) : 3};
    insist(communicator_mpi_start(&rank, &size, &diag), &diag);
    enum strategy strategy = STRATEGY_DDP;
    if (argc < 7 || !training_state_find(argv[5], strlen(argv[5]), &strategy) ||
        bench.turns > MOST_TURNS)
        insist(diag_set(&diag, STATUS_USAGE, "see the head of bench_checkpoint.c"), &diag);
    struct training training = trial_training(
        strategy, strcmp(argv[6], "bf16") == 0 ? MODEL_BF16 : MODEL_FP32, (uint64_t)size, 1, 1);
    training.schedule.shape.width = strtoull(argv[2], NULL, 10);
    training.schedule.shape.heads = 1;
    training.schedule.shape.layers = strtoull(argv[3], NULL, 10);
    training.schedule.shape.vocab = strtoull(argv[4], NULL, 10);
    training.schedule.bucket_bytes = SCHEDULE_DEFAULT_BUCKET_BYTES;
    snprintf(bench.path, sizeof bench.path, "%s/bench_checkpoint", argv[1]);
    snprintf(bench.bare, sizeof bench.bare, "%s/bench_checkpoint.bare-%d", argv[1], rank);
    bench.trial = saved_trial_create(&training, false);
    saved_trial_run(bench.trial, 1); /* moments of 0 would be cheaper on some disks */
    run_kind(&bench, false);
    run_kind(&bench, true);
    trial_destroy(bench.trial);
    communicator_mpi_finish();
    return 0;
}
