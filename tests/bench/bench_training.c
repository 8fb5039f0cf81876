/*
 * Speed of whole training steps, beside what the same cores do in a bare matrix product at the same
 * time: strategies take turns step by step, so that a slow moment of the machine meets all alike.
 *
 * Usage: [mpirun -n N] bench_training WIDTH LAYERS SEQ_LEN MICRO_BATCH VOCAB [STEPS [DTYPE [G
 * [S...]]]] (STEPS 10, DTYPE fp32, gradient accumulation G 1, strategies S: ddp and zero1)
 *
 * Prints, of each strategy: milliseconds of a step (least and median, of the slowest rank), FLOP/s
 * of a rank (the model's FLOPs, model.h, over the median), that over the product's rate, and the
 * first strategy's median over its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "communicator_mpi.h"
#include "trial.h"

#define MOST_STEPS 200
#define PRODUCTS 5 /* of each turn */

struct contestant {
    enum strategy strategy;
    struct trial *trial;
    double ms[MOST_STEPS];
    double exposed_ms[MOST_STEPS];
    double phase_ms[3]; /* forward, backward, optimizer; of the last step */
    uint64_t faults;    /* of all measured steps */
};

struct bench {
    struct training training;
    size_t count;
    struct contestant contestants[STRATEGY_COUNT];
    uint64_t steps;
    double rates[MOST_STEPS];
    int rank;
};

static void insist(enum status status, const struct diag *diag)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "bench_training: %s\n", diag->text);
    communicator_mpi_abort(4);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, uint64_t count)
{
    qsort(values, count, sizeof *values, ascending);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* The largest over the ranks, to rank 0. */
static double slowest(struct communicator *communicator, double value, struct diag *diag)
{
    double all[64] = {value};
    if (communicator->world_size > 1 && communicator->world_size <= 64)
        insist(communicator_gather(communicator, &value, sizeof value, all, 0, diag), diag);
    for (uint64_t r = 1; r < communicator->world_size && r < 64; r++)
        all[0] = all[r] > all[0] ? all[r] : all[0];
    return all[0];
}

static void step(struct contestant *contestant, uint64_t index, struct diag *diag)
{
    struct executor_step result;
    struct communicator *communicator = contestant->trial->communicator;
    insist(communicator_barrier(communicator, diag), diag);
    insist(trial_step(contestant->trial, &result, diag), diag);
    contestant->ms[index] = slowest(communicator, (double)result.times.total_ns / 1e6, diag);
    contestant->exposed_ms[index] = (double)result.times.exposed_ns / 1e6;
    contestant->phase_ms[0] = (double)result.times.forward_ns / 1e6;
    contestant->phase_ms[1] = (double)result.times.backward_ns / 1e6;
    contestant->phase_ms[2] = (double)result.times.optimizer_ns / 1e6;
    contestant->faults += result.minor_faults;
}

static void run(struct bench *bench, struct diag *diag)
{
    struct executor_step result;
    for (size_t i = 0; i < bench->count; i++)
        for (int warmup = 0; warmup < 2; warmup++)
            insist(trial_step(bench->contestants[i].trial, &result, diag), diag);
    for (uint64_t s = 0; s < bench->steps; s++) {
        struct backend *backend = bench->contestants[0].trial->backend;
        insist(communicator_barrier(bench->contestants[0].trial->communicator, diag), diag);
        bench->rates[s] = backend->operations->matrix_product_rate(backend, PRODUCTS);
        for (size_t i = 0; i < bench->count; i++)
            step(&bench->contestants[(s + i) % bench->count], s, diag);
    }
}

static void report(struct bench *bench)
{
    const struct schedule_request *request = &bench->training.schedule;
    const double tokens = (double)(request->shape.micro_batch * request->shape.seq_len *
                                   request->gradient_accumulation);
    const double flops = tokens * model_flops_per_token(&request->shape);
    const double rate = median(bench->rates, bench->steps);
    double first = 0;
    printf("%zu parameters, %zu ranks, %s, matrix product %.1f GFLOP/s (largest %.1f)\n",
           (size_t)model_parameters(&request->shape), (size_t)request->world_size,
           model_dtype_name(request->dtype), rate / 1e9, bench->rates[bench->steps - 1] / 1e9);
    for (size_t i = 0; i < bench->count; i++) {
        struct contestant *contestant = &bench->contestants[i];
        const double ms = median(contestant->ms, bench->steps);
        first = i == 0 ? ms : first;
        printf("%-15s least %8.2f ms, median %8.2f ms: %6.1f GFLOP/s, %.3f (%.3f) of the product, "
               "%.3f (%.3f) of the first\n",
               training_state_row(contestant->strategy)->name, contestant->ms[0], ms,
               flops / ms / 1e6, flops / ms * 1e3 / rate,
               flops / contestant->ms[0] * 1e3 / bench->rates[bench->steps - 1], first / ms,
               bench->contestants[0].ms[0] / contestant->ms[0]);
        printf("%-15s exposed %.2f ms; last step: forward %.1f, backward %.1f, optimizer %.1f; "
               "%zu faults\n",
               "", median(contestant->exposed_ms, bench->steps), contestant->phase_ms[0],
               contestant->phase_ms[1], contestant->phase_ms[2], (size_t)contestant->faults);
    }
}

static uint64_t number(int argc, char **argv, int index, uint64_t otherwise)
{
    return index < argc ? strtoull(argv[index], NULL, 10) : otherwise;
}

static void parse(int argc, char **argv, int world_size, struct bench *bench)
{
    struct schedule_request *request = &bench->training.schedule;
    request->shape.width = number(argc, argv, 1, 512);
    request->shape.layers = number(argc, argv, 2, 8);
    request->shape.heads = (request->shape.width + 63) / 64;
    request->shape.seq_len = number(argc, argv, 3, 256);
    request->shape.micro_batch = number(argc, argv, 4, 2);
    request->shape.vocab = number(argc, argv, 5, 4096);
    bench->steps = number(argc, argv, 6, 10);
    if (bench->steps < 1 || bench->steps > MOST_STEPS)
        bench->steps = MOST_STEPS;
    request->dtype = argc > 7 && strcmp(argv[7], "bf16") == 0 ? MODEL_BF16 : MODEL_FP32;
    request->gradient_accumulation = number(argc, argv, 8, 1);
    request->world_size = (uint64_t)world_size;
    request->bucket_bytes = SCHEDULE_DEFAULT_BUCKET_BYTES;
    request->prefetch = 1;
    request->overlap = true;
    for (int i = 9; i < argc && bench->count < STRATEGY_COUNT; i++)
        if (training_state_find(argv[i], strlen(argv[i]),
                                &bench->contestants[bench->count].strategy))
            bench->count++;
    if (bench->count == 0) {
        bench->contestants[0].strategy = STRATEGY_DDP;
        bench->contestants[1].strategy = STRATEGY_ZERO1;
        bench->count = 2;
    }
}

int main(int argc, char **argv)
{
    static struct bench bench;
    struct diag diag = {0};
    int world_size;
    insist(communicator_mpi_start(&bench.rank, &world_size, &diag), &diag);
    bench.training = (struct training){.seed = 1, .learning_rate = 3e-4, .max_grad_norm = 1};
    parse(argc, argv, world_size, &bench);
    for (size_t i = 0; i < bench.count; i++) {
        struct trial_request request = {
            .training = bench.training,
            .connect = communicator_mpi_create,
            .communicator_bytes = communicator_mpi_buffer_bytes((uint64_t)world_size),
        };
        request.training.schedule.strategy = bench.contestants[i].strategy;
        insist(trial_create(&request, &bench.contestants[i].trial, &diag), &diag);
    }
    run(&bench, &diag);
    if (bench.rank == 0)
        report(&bench);
    for (size_t i = 0; i < bench.count; i++)
        trial_destroy(bench.contestants[i].trial);
    communicator_mpi_finish();
    return 0;
}
