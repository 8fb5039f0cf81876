#include <stdio.h>
#include <stdlib.h>

#include "communicator_mpi.h"
#include "mpi_expect.h"
#include "same_mathematics.h"

/*
 * Every strategy trains the same model: over 1, 2, 3 and 4 ranks, one and three micro-batches, both
 * dtypes, with and without overlap, prefetch, persistence and activation checkpointing. Each run is
 * held against the reference model in double and against one process that trains with ddp on the
 * whole global batch, both of which see the same global batch from every number of ranks.
 */
#ifdef __SANITIZE_ADDRESS__
#define SANITIZED true /* looks for other mistakes, and takes its time */
#else
#define SANITIZED false
#endif

static uint64_t rank, world_size;

/* The runs to compare with, made once for each global batch; on rank 0. */
#define LARGEST_GLOBAL_BATCH 12
static struct same_mathematics_outcome references[LARGEST_GLOBAL_BATCH + 1];
static struct same_mathematics_outcome alone[MODEL_DTYPE_COUNT][LARGEST_GLOBAL_BATCH + 1];
static struct same_mathematics_distance from_reference[MODEL_DTYPE_COUNT],
    from_alone[MODEL_DTYPE_COUNT];

static struct trial *start(const struct trial_request *request)
{
    struct diag diag = {0};
    struct trial *trial = NULL;
    enum status status = trial_create(request, &trial, &diag);
    mpi_expect(status == STATUS_OK, "%s", diag.text);
    return trial;
}

static void make_expectations(const struct training *training)
{
    const uint64_t batch = training_global_batch(training);
    const enum model_dtype dtype = training->schedule.dtype;
    mpi_expect(batch <= LARGEST_GLOBAL_BATCH, "global batch %u", (unsigned)batch);
    if (references[batch].gradients == NULL)
        same_mathematics_reference(training, SAME_MATHEMATICS_STEPS, &references[batch]);
    if (alone[dtype][batch].gradients != NULL)
        return;
    struct diag diag = {0};
    const struct trial_request request = {
        .training = trial_training(STRATEGY_DDP, dtype, 1, 1, batch),
        .connect = communicator_mpi_create_self,
    };
    struct trial *trial = start(&request);
    enum status status =
        same_mathematics_run(trial, SAME_MATHEMATICS_STEPS, &alone[dtype][batch], &diag);
    mpi_expect(status == STATUS_OK, "alone: %s", diag.text);
    trial_destroy(trial);
}

static void describe(const struct training *training, char *text, size_t size)
{
    const struct schedule_request *request = &training->schedule;
    snprintf(text, size, "%s %s, %u ranks, G %u, B %u, %s, prefetch %u%s%s",
             training_state_row(request->strategy)->name, model_dtype_name(request->dtype),
             (unsigned)request->world_size, (unsigned)request->gradient_accumulation,
             (unsigned)request->shape.micro_batch, request->overlap ? "overlap" : "no overlap",
             (unsigned)request->prefetch, request->activation_checkpointing ? ", recomputing" : "",
             request->persistence_threshold > 0 ? ", persistence" : "");
}

static void expect_same(const struct training *training,
                        const struct same_mathematics_outcome *outcome)
{
    const enum model_dtype dtype = training->schedule.dtype;
    const uint64_t batch = training_global_batch(training);
    const struct same_mathematics_outcome *expected[] = {&references[batch], &alone[dtype][batch]};
    struct same_mathematics_distance *kept[] = {&from_reference[dtype], &from_alone[dtype]};
    char text[200], name[MODEL_TENSOR_NAME_SIZE];
    describe(training, text, sizeof text);
    for (int i = 0; i < 2; i++) {
        struct same_mathematics_distance apart = same_mathematics_compare(outcome, expected[i]);
        model_tensor_name(&outcome->shape, apart.worst, name);
        mpi_expect(same_mathematics_within(&apart, &same_mathematics_limits[dtype]),
                   "%s, from %s: gradients %.2g (%s), key biases %.2g, norms %.2g, losses %.2g",
                   text, i == 0 ? "the reference" : "one process", apart.gradient, name,
                   apart.key_bias, apart.norm, apart.loss);
        same_mathematics_widen(kept[i], &apart);
    }
}

static void check(const struct training *training)
{
    struct diag diag = {0};
    struct same_mathematics_outcome outcome;
    char text[200];
    if (rank == 0)
        make_expectations(training);
    const struct trial_request request = {
        .training = *training,
        .connect = communicator_mpi_create,
        .threads = world_size == 1 ? 2 : 1,
    };
    struct trial *trial = start(&request);
    describe(training, text, sizeof text);
    enum status status = same_mathematics_run(trial, SAME_MATHEMATICS_STEPS, &outcome, &diag);
    mpi_expect(status == STATUS_OK, "%s: %s", text, diag.text);
    if (rank == 0)
        expect_same(training, &outcome);
    same_mathematics_fini(&outcome);
    trial_destroy(trial);
}

/* --- what is varied --- */

/* Micro-batches for G = 1 and G = 3 by world size: global batch 12, but 9 for three ranks. */
static uint64_t micro_batch_of(uint64_t accumulation)
{
    if (world_size == 3)
        return accumulation == 1 ? 4 : 1;
    return 12 / (world_size * accumulation);
}

static void check_strategies(enum model_dtype dtype)
{
    for (enum strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        struct training training =
            trial_training(strategy, dtype, world_size, 1, micro_batch_of(1));
        check(&training);
        training = trial_training(strategy, dtype, world_size, 3, micro_batch_of(3));
        for (unsigned variant = 0; variant < TRIAL_VARIANTS; variant++) {
            /* In bf16 the variants take the same ways as in fp32, so two are enough. */
            if ((dtype == MODEL_BF16 || SANITIZED) && variant % 2 == 1)
                continue;
            trial_vary(&training.schedule, variant);
            check(&training);
        }
    }
}

static void print_worst(void)
{
    for (enum model_dtype dtype = 0; dtype < MODEL_DTYPE_COUNT; dtype++) {
        const struct same_mathematics_distance *worst[] = {&from_reference[dtype],
                                                           &from_alone[dtype]};
        for (int i = 0; i < 2; i++)
            printf("%s, %u ranks, from %s: gradients %.1e, key biases %.1e, norms %.1e, losses "
                   "%.1e\n",
                   model_dtype_name(dtype), (unsigned)world_size,
                   i == 0 ? "the reference in double" : "one process", worst[i]->gradient,
                   worst[i]->key_bias, worst[i]->norm, worst[i]->loss);
    }
}

int main(void)
{
    mpi_expect_start(&rank, &world_size);
    check_strategies(MODEL_FP32);
    check_strategies(MODEL_BF16);
    if (rank == 0)
        print_worst();
    for (int i = 0; i <= LARGEST_GLOBAL_BATCH; i++) {
        same_mathematics_fini(&references[i]);
        same_mathematics_fini(&alone[MODEL_FP32][i]);
        same_mathematics_fini(&alone[MODEL_BF16][i]);
    }
    communicator_mpi_finish();
    return EXIT_SUCCESS;
}
