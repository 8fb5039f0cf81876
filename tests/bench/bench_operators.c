/*
 * Whole training steps of one rank, operator by operator, against the rate of OpenBLAS' sgemm
 * measured between the steps: what the CPU backend's speed is judged by (README.md).
 *
 * Usage: bench_operators C L H V T B [threads] [steps] [fp32|bf16] [wall|cpu]
 * cpu: by the processor's time of one thread, which other work on the machine disturbs less.
 */
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "model_data.h"
#include "model_stage.h"
#include "timed_backend.h"

/* Elements of one update: what a bucket of 16 MiB holds. */
enum { BUCKET = 4 << 20, MOST_STEPS = 1000, MOST_CALLS = 1 << 14 };

struct bench {
    struct backend *cpu;
    struct timed_backend timed;
    struct timed_call calls[MOST_CALLS];
    struct model_stage stage;
    unsigned char *arena, *next;
    uint64_t parameters, element;
    float *master, *moment1, *moment2;
    unsigned char *weights, *gradients;
    float *squares; /* three matrices of square_size, for sgemm's rate */
    uint64_t square_size;
    double loss;
};

static void fail(const char *text)
{
    fprintf(stderr, "bench_operators: %s\n", text);
    exit(4);
}

static void *take(struct bench *bench, uint64_t bytes)
{
    void *place = bench->next;
    bench->next += (bytes + 4095) & ~(uint64_t)4095;
    return place;
}

static void *table(uint64_t count)
{
    void *place = calloc(count, sizeof(void *));
    if (place == NULL)
        fail("out of memory");
    return place;
}

/* Weights, gradients and the optimizer's state, each contiguous; the stage gets their tensors. */
static void place_state(struct bench *bench)
{
    struct model_stage *stage = &bench->stage;
    const struct model_shape *shape = &stage->shape;
    const size_t count = model_tensor_count(shape);
    const bool bf16 = stage->dtype == MODEL_BF16;
    bench->master = take(bench, 4 * bench->parameters);
    bench->weights = bf16 ? take(bench, 2 * bench->parameters) : (unsigned char *)bench->master;
    bench->gradients = take(bench, bench->element * bench->parameters);
    bench->moment1 = take(bench, 4 * bench->parameters);
    bench->moment2 = take(bench, 4 * bench->parameters);
    stage->parameters = table(count);
    stage->gradients = table(count);
    uint64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const struct model_tensor tensor = model_tensor(shape, i);
        model_data_initial(shape, 1, i, 0, tensor.elements, bench->master + at);
        stage->parameters[i] = bench->weights + at * bench->element;
        stage->gradients[i] = bench->gradients + at * bench->element;
        at += tensor.elements;
    }
    if (bf16)
        bench->cpu->operations->narrow(bench->cpu, bench->weights, bench->master,
                                       bench->parameters);
}

static void place_activations(struct bench *bench)
{
    struct model_stage *stage = &bench->stage;
    const size_t layers = (size_t)stage->shape.layers;
    stage->streams = table(layers + 1);
    stage->saved = table(layers + 2);
    for (size_t i = 0; i <= layers; i++)
        stage->streams[i] = take(bench, stage->plan.stream_bytes);
    for (size_t i = 1; i <= layers; i++)
        stage->saved[i] = take(bench, stage->plan.block_bytes);
    stage->saved[layers + 1] = take(bench, stage->plan.head_bytes);
    stage->workspace = take(bench, model_stage_workspace_bytes(&stage->shape, stage->dtype));
    bench->squares = take(bench, 12 * bench->square_size * bench->square_size);
    for (uint64_t i = 0; i < 2 * bench->square_size * bench->square_size; i++)
        bench->squares[i] = (float)(i % 17) - 8;
    bench->cpu->operations->set_workspace(bench->cpu, take(bench, bench->cpu->workspace_bytes));
}

static void set_up(struct bench *bench, const struct backend_request *request)
{
    struct diag diag = {0};
    if (backend_find("cpu")->create(request, &bench->cpu, &diag) != STATUS_OK)
        fail(diag.text);
    timed_backend_init(&bench->timed, bench->cpu, bench->calls, MOST_CALLS);
    const struct model_shape *shape = &request->shape;
    const uint64_t rows = shape->micro_batch * shape->seq_len;
    bench->parameters = model_parameters(shape);
    bench->square_size = request->threads <= 2 ? 768 : 2048; /* where sgemm is at its best */
    bench->element = model_dtype_bytes(request->dtype);
    bench->stage = (struct model_stage){.backend = &bench->timed.backend,
                                        .shape = *shape,
                                        .dtype = request->dtype,
                                        .plan = activation_plan_of(shape, request->dtype),
                                        .loss_scale = 1.0f / (float)rows};
    const struct activation_plan *plan = &bench->stage.plan;
    const uint64_t bytes =
        18 * bench->parameters + shape->layers * plan->block_bytes + plan->head_bytes +
        (shape->layers + 1) * plan->stream_bytes +
        model_stage_workspace_bytes(shape, request->dtype) + bench->cpu->workspace_bytes +
        12 * bench->square_size * bench->square_size + 4096 * (2 * shape->layers + 16);
    void *arena;
    if (bench->cpu->operations->reserve(bench->cpu, bytes, &arena, &diag) != STATUS_OK)
        fail(diag.text);
    bench->arena = bench->next = arena;
    place_state(bench);
    place_activations(bench);
}

static void run_backward(struct bench *bench, size_t index, const enum model_module *modules,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (model_stage_backward(&bench->stage, index, modules[i], 0, NULL, NULL) != STATUS_OK)
            fail("backward failed");
}

static void update(struct bench *bench, int step)
{
    struct backend *backend = &bench->timed.backend;
    double squares = 0;
    for (uint64_t at = 0; at < bench->parameters; at += BUCKET) {
        const uint64_t rest = bench->parameters - at;
        backend->operations->square_sum(backend, &squares, bench->gradients + at * bench->element,
                                        rest < BUCKET ? rest : BUCKET, 1);
    }
    const float scale = (float)fmin(1, 1 / (sqrt(squares) + 1e-6));
    const struct backend_adamw how = {
        3e-4f, 0.9f, 0.95f, 1e-8f, 0.1f, 1 - powf(0.9f, (float)step), 1 - powf(0.95f, (float)step)};
    for (uint64_t at = 0; at < bench->parameters; at += BUCKET) {
        const uint64_t rest = bench->parameters - at;
        void *copy = bench->element == 2 ? bench->weights + at * 2 : NULL;
        const struct backend_update run = {
            .weight = bench->master + at,
            .moment1 = bench->moment1 + at,
            .moment2 = bench->moment2 + at,
            .typed_copy = copy,
            .gradient = bench->gradients + at * bench->element,
            .typed = 1,
            .count = rest < BUCKET ? rest : BUCKET,
            .scale = &scale,
        };
        backend->operations->adamw(backend, &run, &how);
    }
}

static void run_step(struct bench *bench, int step)
{
    static const enum model_module head[] = {MODEL_WTE, MODEL_LN_F};
    static const enum model_module block[] = {MODEL_DOWN,       MODEL_UP,  MODEL_LN2,
                                              MODEL_PROJECTION, MODEL_QKV, MODEL_LN1};
    static const enum model_module embedding[] = {MODEL_WPE};
    const size_t layers = (size_t)bench->stage.shape.layers;
    for (size_t i = 0; i <= layers + 1; i++)
        if (model_stage_forward(&bench->stage, i, NULL, NULL) != STATUS_OK)
            fail("forward failed");
    run_backward(bench, layers + 1, head, 2);
    for (size_t i = layers; i > 0; i--)
        run_backward(bench, i, block, 6);
    run_backward(bench, 0, embedding, 1);
    double losses = 0;
    model_stage_add_losses(&bench->stage, &losses);
    bench->loss = losses * (double)bench->stage.loss_scale;
    update(bench, step);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, int count)
{
    double sorted[MOST_STEPS];
    memcpy(sorted, values, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof *sorted, ascending);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

/* The shortest times of every call, added up by operator. */
static double print_operators(const struct timed_backend *timed, double rate)
{
    double seconds[TIMED_COUNT] = {0}, flops[TIMED_COUNT] = {0}, total = 0, products = 0;
    unsigned calls[TIMED_COUNT] = {0};
    for (unsigned i = 0; i < timed->count; i++) {
        const struct timed_call *call = &timed->calls[i];
        seconds[call->which] += call->seconds;
        flops[call->which] += call->flops;
        calls[call->which]++;
        total += call->seconds;
        products += call->flops;
    }
    printf("%-20s %5s %9s %7s %9s %9s\n", "operator", "calls", "ms", "share", "GFLOP/s",
           "of sgemm");
    for (int i = 0; i < TIMED_COUNT; i++) {
        printf("%-20s %5u %9.3f %6.2f%%", timed_operator_name((enum timed_operator)i), calls[i],
               1e3 * seconds[i], 100 * seconds[i] / total);
        if (flops[i] > 0)
            printf(" %9.1f %8.1f%%", 1e-9 * flops[i] / seconds[i],
                   100 * flops[i] / seconds[i] / rate);
        printf("\n");
    }
    printf("%-20s %5s %9.3f         %9.1f %8.1f%%\n", "together", "", 1e3 * total,
           1e-9 * products / total, 100 * products / total / rate);
    return total;
}

/* FLOP/s of square products by the same clock as the steps: the best of several, because under
 * other work that is nearest to what sgemm can do. */
static double product_rate(struct bench *bench)
{
    enum { REPEATS = 9 };
    const int n = (int)bench->square_size;
    float *a = bench->squares, *b = a + n * n, *c = b + n * n;
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        const double start = timed_backend_now(&bench->timed);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
        best = fmin(best, timed_backend_now(&bench->timed) - start);
    }
    return 2.0 * n * n * n / best;
}

static long minor_faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/* Steps between measurements of sgemm; each step's rate is the better one of its neighbours. */
static void measure(struct bench *bench, int steps)
{
    double times[MOST_STEPS], ratios[MOST_STEPS], fastest = INFINITY, rate = 0;
    const struct model_shape *shape = &bench->stage.shape;
    const double flops =
        model_flops_per_token(shape) * (double)shape->micro_batch * (double)shape->seq_len;
    double before = product_rate(bench);
    long faults = 0;
    for (int i = 0; i < steps; i++) {
        timed_backend_begin_step(&bench->timed);
        const double start = timed_backend_now(&bench->timed);
        const long faults_before = minor_faults();
        run_step(bench, i + 1);
        times[i] = timed_backend_now(&bench->timed) - start;
        faults = i == 0 ? 0 : faults + minor_faults() - faults_before;
        const double after = product_rate(bench);
        ratios[i] = flops / times[i] / fmax(before, after);
        rate = fmax(rate, fmax(before, after));
        fastest = fmin(fastest, times[i]);
        before = after;
    }
    const double floor = print_operators(&bench->timed, rate);
    printf("minor page faults after the first step: %ld\n", faults);
    printf("loss %.4f, %.2f GFLOP a step; sgemm %.1f GFLOP/s at best\n", bench->loss, 1e-9 * flops,
           1e-9 * rate);
    printf("step: best %.2f ms, median %.2f ms, shortest calls together %.2f ms\n", 1e3 * fastest,
           1e3 * median(times, steps), 1e3 * floor);
    printf("of sgemm: best %.1f%%, median of pairs %.1f%%, shortest calls %.1f%%\n",
           100 * flops / fastest / rate, 100 * median(ratios, steps), 100 * flops / floor / rate);
}

int main(int argc, char **argv)
{
    if (argc < 7) {
        fprintf(stderr,
                "usage: bench_operators C L H V T B [threads] [steps] [fp32|bf16] [wall|cpu]\n");
        return 2;
    }
    uint64_t sizes[6];
    for (int i = 0; i < 6; i++)
        sizes[i] = strtoull(argv[i + 1], NULL, 10);
    const struct backend_request request = {
        .shape = {sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5]},
        .dtype = argc > 9 && strcmp(argv[9], "bf16") == 0 ? MODEL_BF16 : MODEL_FP32,
        .threads = argc > 7 ? atoi(argv[7]) : 1};
    const int steps = argc > 8 ? atoi(argv[8]) : 10;
    char text[256];
    if (model_shape_fault(&request.shape, text, sizeof text) != NULL)
        fail(text);
    if (request.threads < 1 || steps < 1 || steps > MOST_STEPS)
        fail("threads and steps are at least 1, steps at most 1000");
    static struct bench bench;
    set_up(&bench, &request);
    int32_t *tokens = calloc((size_t)(sizes[5] * (sizes[4] + 1)), sizeof *tokens);
    if (tokens == NULL)
        fail("out of memory");
    for (uint64_t i = 0; i < sizes[5]; i++)
        model_data_tokens(&request.shape, 1, 0, i, tokens + i * (sizes[4] + 1));
    if (argc > 10 && strcmp(argv[10], "cpu") == 0)
        bench.timed.clock = CLOCK_THREAD_CPUTIME_ID;
    bench.stage.tokens = tokens;
    measure(&bench, steps);
    return 0;
}
