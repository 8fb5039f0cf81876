#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_cuda.h"
#include "communicator_mpi.h"
#include "cuda_emulation.h"
#include "mpi_expect.h"
#include "trial.h"

/*
 * The streams of a step are kept in order by its waits, and by nothing more than is needed: all of
 * a step's operations are ordered, and without any one wait some are not. Waits that follow each
 * other with nothing computed in between are taken together: the last implies the others, but only
 * the schedule knows that it will come. Run with 2 ranks.
 *
 * Two kinds of waits order nothing in a log that ends with the step:
 *  - those for the last gathers of parameters, behind which the host waits, too: they tell how long
 *    the compute stream stood there;
 *  - a gather's for what was computed until then, where the memory that it writes was last used
 *    before an earlier wait. A communicator cannot know that.
 */
static uint64_t rank, world_size;

static struct trial *start(enum strategy strategy, unsigned variant)
{
    struct diag diag = {0};
    struct trial *trial = NULL;
    struct trial_request request = {
        .training = trial_training(strategy, MODEL_BF16, world_size, 2, 1),
        .backend = "cuda",
        .device = (int)rank,
        .connect = communicator_mpi_create,
    };
    trial_vary(&request.training.schedule, variant);
    enum status status = trial_create(&request, &trial, &diag);
    mpi_expect(status == STATUS_OK, "%s", diag.text);
    struct backend_cuda *cuda = backend_cuda_of(trial->backend);
    cuda_emulation_name_stream(cuda->compute, "compute");
    cuda_emulation_name_stream(cuda->communication, "communication");
    return trial;
}

static void step(struct trial *trial)
{
    struct diag diag = {0};
    struct executor_step result;
    mpi_expect(trial_step(trial, &result, &diag) == STATUS_OK, "%s", diag.text);
}

/* What would allocate, or wait where the step's end does not: none of it in a step but the first.
 */
static uint64_t forbidden_calls(void)
{
    static const char *const calls[] = {
        "cudaMalloc",
        "cudaFree",
        "cudaHostAlloc",
        "cudaEventCreate",
        "cudaMemcpy",
        "cudaEventCreateWithFlags",
        "cudaDeviceSynchronize",
        "cudaEventSynchronize",
        "cudaStreamSynchronize",
        "cudaMemset",
    };
    uint64_t count = 0;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        count += cuda_emulation_calls(calls[i]);
    return count;
}

static bool ends_with_gathers(enum strategy strategy)
{
    return strategy == STRATEGY_ZERO1 || strategy == STRATEGY_ZERO2 || strategy == STRATEGY_ZERO3;
}

/* A run of waits that orders nothing: whether it is one of the two kinds. */
static bool may_be_idle(enum strategy strategy, uint64_t first, uint64_t count)
{
    char text[300], next[200];
    cuda_emulation_log_wait_text(first, text, sizeof text);
    if (strstr(text, ": stream compute waits") != NULL)
        return ends_with_gathers(strategy) && first + count == cuda_emulation_log_waits();
    cuda_emulation_log_wait_next(first, next, sizeof next);
    return strcmp(next, "ncclAllGather") == 0;
}

static void check(enum strategy strategy, unsigned variant)
{
    const char *name = training_state_row(strategy)->name;
    char text[600];
    unsigned idle = 0, needed = 0;
    struct trial *trial = start(strategy, variant);
    step(trial);
    const uint64_t before = forbidden_calls();
    cuda_emulation_log_start();
    step(trial);
    cuda_emulation_log_stop();
    mpi_expect(before > 0 && forbidden_calls() == before,
               "%s, variant %u: nothing allocated, and nobody waited for, inside a step", name,
               variant);
    mpi_expect(cuda_emulation_log_ordered(CUDA_EMULATION_ALL_WAITS, text, sizeof text),
               "%s, variant %u: streams in order: %s", name, variant, text);
    for (uint64_t first = 0; first < cuda_emulation_log_waits();) {
        const uint64_t count = cuda_emulation_log_wait_run(first);
        const bool orders = !cuda_emulation_log_ordered_without(first, count, text, sizeof text);
        cuda_emulation_log_wait_text(first, text, sizeof text);
        mpi_expect(orders || may_be_idle(strategy, first, count),
                   "%s, variant %u: something out of order without %s", name, variant, text);
        needed += orders;
        idle += !orders;
        first += count;
    }
    mpi_expect(needed > 3 * idle,
               "%s, variant %u: more than %u waits that order, and not %u that do not", name,
               variant, needed, idle);
    if (rank == 0)
        printf("%s, variant %u: %u runs of waits order the streams, %u do not\n", name, variant,
               needed, idle);
    trial_destroy(trial);
}

int main(void)
{
    mpi_expect_start(&rank, &world_size);
    setenv("CUDA_EMULATION_DEVICES", "3", 1);
    for (enum strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        for (unsigned variant = 0; variant < 4;
             variant += 2) /* 1 waits at once, for the time's sake */
            check(strategy, variant);
    communicator_mpi_finish();
    return EXIT_SUCCESS;
}
