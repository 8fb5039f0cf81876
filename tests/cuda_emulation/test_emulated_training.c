#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "communicator_mpi.h"
#include "cuda_emulation.h"
#include "mpi_expect.h"
#include "same_bytes.h"
#include "same_mathematics.h"

/*
 * Training on emulated devices: every strategy, both dtypes, one and two micro-batches. The
 * mathematics is held against the reference model in double, by the limits of the CPU backend;
 * bytes, calls and memory against the schedule, and against the CPU backend with the same schedule.
 * Run with 1, 2 and 3 ranks.
 */
enum { STEPS = 3 };

static uint64_t rank, world_size;
static struct same_mathematics_outcome reference; /* all see the same global batch; on rank 0 */
static struct same_mathematics_distance worst[MODEL_DTYPE_COUNT];

static struct trial *start(const struct training *training, const char *backend)
{
    struct diag diag = {0};
    struct trial *trial = NULL;
    const struct trial_request request = {
        .training = *training,
        .backend = backend,
        .device = (int)rank,
        .connect = communicator_mpi_create,
    };
    enum status status = trial_create(&request, &trial, &diag);
    mpi_expect(status == STATUS_OK, "%s: %s", backend, diag.text);
    communicator_clear_usage(trial->communicator);
    return trial;
}

static void run(struct trial *trial, const char *what, struct same_mathematics_outcome *outcome)
{
    struct diag diag = {0};
    char text[600];
    enum status status = same_mathematics_run(trial, STEPS, outcome, &diag);
    mpi_expect(status == STATUS_OK, "%s: %s", what, diag.text);
    const char *fault = same_bytes_fault(trial, STEPS, text, sizeof text);
    mpi_expect(fault == NULL, "%s: %s", what, text);
}

/* --- what must be the same on every backend --- */

static void expect_same_usage(const char *what, const struct communicator_usage *cuda,
                              const struct communicator_usage *cpu)
{
    mpi_expect(memcmp(cuda->calls, cpu->calls, sizeof cuda->calls) == 0, "%s: the CPU's calls",
               what);
    mpi_expect(memcmp(cuda->payload_bytes, cpu->payload_bytes, sizeof cuda->payload_bytes) == 0,
               "%s: the CPU's bytes", what);
}

/* The workspace is each backend's own. */
static void expect_same_memory(const char *what, const struct trial *cuda, const struct trial *cpu)
{
    for (int c = 0; c < SCHEDULE_CATEGORY_COUNT; c++) {
        const char *category = schedule_category_name((enum schedule_category)c);
        if (c == SCHEDULE_WORKSPACE)
            continue;
        mpi_expect(cuda->memory.live_by_category[c] == cpu->memory.live_by_category[c] &&
                       cuda->memory.category_peak[c] == cpu->memory.category_peak[c],
                   "%s: the CPU's %s (%" PRIu64 " resident, %" PRIu64 " at most), not %" PRIu64
                   " and %" PRIu64,
                   what, category, cpu->memory.live_by_category[c], cpu->memory.category_peak[c],
                   cuda->memory.live_by_category[c], cuda->memory.category_peak[c]);
    }
}

static void expect_same_mathematics(const char *what, const struct training *training,
                                    const struct same_mathematics_outcome *outcome)
{
    const enum model_dtype dtype = training->schedule.dtype;
    char name[MODEL_TENSOR_NAME_SIZE];
    if (reference.gradients == NULL)
        same_mathematics_reference(training, STEPS, &reference);
    struct same_mathematics_distance apart = same_mathematics_compare(outcome, &reference);
    model_tensor_name(&outcome->shape, apart.worst, name);
    mpi_expect(same_mathematics_within(&apart, &same_mathematics_limits[dtype]),
               "%s: gradients %.2g (%s), key biases %.2g, norms %.2g, losses %.2g from the "
               "reference",
               what, apart.gradient, name, apart.key_bias, apart.norm, apart.loss);
    same_mathematics_widen(&worst[dtype], &apart);
}

static void expect_same_bits(const char *what, const struct training *training,
                             const struct same_mathematics_outcome *outcome)
{
    struct same_mathematics_outcome again;
    struct trial *trial = start(training, "cuda");
    run(trial, what, &again);
    trial_destroy(trial);
    const size_t bytes = model_parameters(&again.shape) * sizeof *again.gradients;
    mpi_expect(memcmp(again.losses, outcome->losses, sizeof again.losses) == 0 &&
                   memcmp(again.norms, outcome->norms, sizeof again.norms) == 0 &&
                   (rank != 0 || memcmp(again.gradients, outcome->gradients, bytes) == 0),
               "%s: the same bits on a second run", what);
    same_mathematics_fini(&again);
}

/* --- */

static void check(const struct training *training)
{
    struct same_mathematics_outcome outcome, outcome_cpu;
    const struct schedule_request *request = &training->schedule;
    char what[100], text[600];
    snprintf(what, sizeof what, "%s %s, %u ranks, G %u",
             training_state_row(request->strategy)->name, model_dtype_name(request->dtype),
             (unsigned)request->world_size, (unsigned)request->gradient_accumulation);
    struct trial *cpu = start(training, "cpu");
    run(cpu, what, &outcome_cpu);
    cuda_emulation_log_start();
    struct trial *cuda = start(training, "cuda");
    run(cuda, what, &outcome);
    mpi_expect(cuda_emulation_log_ordered(CUDA_EMULATION_ALL_WAITS, text, sizeof text),
               "%s: streams in order: %s", what, text);
    cuda_emulation_log_stop();
    expect_same_usage(what, &cuda->communicator->usage, &cpu->communicator->usage);
    expect_same_memory(what, cuda, cpu);
    if (rank == 0)
        expect_same_mathematics(what, training, &outcome);
    trial_destroy(cuda);
    trial_destroy(cpu);
    mpi_expect(cuda_emulation_alive(text, sizeof text) == 0, "%s: all given back, not %s", what,
               text);
    if (request->strategy == STRATEGY_FSDP && request->gradient_accumulation == 2)
        expect_same_bits(what, training, &outcome);
    same_mathematics_fini(&outcome);
    same_mathematics_fini(&outcome_cpu);
}

/* Two micro-batches go through the variants of a schedule in turn. */
static void check_one(enum strategy strategy, enum model_dtype dtype, uint64_t accumulation)
{
    struct training training =
        trial_training(strategy, dtype, world_size, accumulation, 2 / accumulation);
    if (accumulation == 2)
        trial_vary(&training.schedule, ((unsigned)strategy + 2 * (unsigned)dtype) % TRIAL_VARIANTS);
    check(&training);
}

int main(void)
{
    mpi_expect_start(&rank, &world_size);
    setenv("CUDA_EMULATION_DEVICES", "3", 1);
    for (enum strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        for (enum model_dtype dtype = 0; dtype < MODEL_DTYPE_COUNT; dtype++)
            for (uint64_t accumulation = 1; accumulation <= 2; accumulation++)
                check_one(strategy, dtype, accumulation);
    for (enum model_dtype dtype = 0; rank == 0 && dtype < MODEL_DTYPE_COUNT; dtype++)
        printf("%s, %u ranks, from the reference: gradients %.1e, key biases %.1e, norms %.1e, "
               "losses %.1e\n",
               model_dtype_name(dtype), (unsigned)world_size, worst[dtype].gradient,
               worst[dtype].key_bias, worst[dtype].norm, worst[dtype].loss);
    same_mathematics_fini(&reference);
    communicator_mpi_finish();
    return EXIT_SUCCESS;
}
