/*
 * How fast the operators with matrix products are, in bf16 at the sizes of cuda/README.md ("How
 * fast it can be"): for each the median time of several runs, and its FLOPs in that time. What
 * cuBLASLt may fuse with a product is timed as it fuses it and by own kernels; attention with
 * smaller tiles, too. Prints lines "NAME: TIME us, RATE TFLOP/s".
 *
 * Usage: operator_rates [SEQUENCES LENGTH WIDTH HEADS VOCAB]
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend_cuda.h"
#include "cuda_attention.h"
#include "cuda_product.h"

enum { RUNS = 9, WARM_UP = 2, TYPED = 2 /* bytes of bf16 */ };
/* As a number 0.0115 in bf16: neither 0, which costs less power, nor special. */
#define FILL_BYTE 0x3C
#define EVERYTHING ((1u << CUDA_PRODUCT_AFTER_COUNT) - 1)

/* One backend, and memory for the widest operator. */
struct bench {
    struct backend_cuda *cuda;
    const struct backend_operations *operations;
    cudaEvent_t begin, end;
    uint64_t rows, width, vocab;
    unsigned char *wide[3]; /* [rows, max(4C, V)] */
    unsigned char *weight;  /* [max(4C, V), C], and a bias behind it */
    unsigned char *bias;
    float *stats;
    void *workspace;
};

static void check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

static void require(enum status status, const struct diag *diag)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "%s\n", diag->text);
    exit(1);
}

static void *take(uint64_t bytes)
{
    void *memory = NULL;
    check(cudaMalloc(&memory, (size_t)bytes), "memory");
    check(cudaMemset(memory, FILL_BYTE, (size_t)bytes), "memory");
    return memory;
}

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

struct operation {
    const char *name;
    void (*call)(const struct bench *bench);
    double flops;
    bool fusible;
};

static void time_operation(const struct bench *bench, const struct operation *operation,
                           const char *how)
{
    struct diag diag = {0};
    float ms[RUNS];
    for (int i = -WARM_UP; i < RUNS; i++) {
        float took = 0;
        check(cudaEventRecord(bench->begin, bench->cuda->compute), "event");
        operation->call(bench);
        check(cudaEventRecord(bench->end, bench->cuda->compute), "event");
        require(bench->operations->synchronise(&bench->cuda->base, &diag), &diag);
        check(cudaEventElapsedTime(&took, bench->begin, bench->end), "event");
        if (i >= 0)
            ms[i] = took;
    }
    qsort(ms, RUNS, sizeof ms[0], by_size);
    const double us = 1e3 * (double)ms[RUNS / 2];
    printf("%s%s: %.1f us, %.1f TFLOP/s\n", operation->name, how, us, operation->flops / us / 1e6);
}

/* --- the operators --- */

static void qkv(const struct bench *bench)
{
    bench->operations->linear_forward(&bench->cuda->base, bench->wide[0], bench->wide[1],
                                      bench->weight, bench->bias, bench->width, 3 * bench->width);
}

static void up(const struct bench *bench)
{
    bench->operations->linear_gelu_forward(&bench->cuda->base, bench->wide[0], bench->wide[1],
                                           bench->wide[2], bench->weight, bench->bias, bench->width,
                                           4 * bench->width);
}

static void down(const struct bench *bench)
{
    bench->operations->linear_residual_forward(&bench->cuda->base, bench->wide[0], bench->wide[1],
                                               bench->wide[2], bench->weight, bench->bias,
                                               4 * bench->width, bench->width);
}

static void down_input(const struct bench *bench)
{
    bench->operations->linear_backward_input(&bench->cuda->base, bench->wide[0], bench->wide[1],
                                             bench->weight, bench->wide[2], 4 * bench->width,
                                             bench->width);
}

static void up_input(const struct bench *bench)
{
    bench->operations->linear_backward_input(&bench->cuda->base, bench->wide[0], bench->wide[1],
                                             bench->weight, NULL, bench->width, 4 * bench->width);
}

static void up_weight(const struct bench *bench)
{
    bench->operations->linear_backward_weight(&bench->cuda->base, bench->weight, bench->bias,
                                              bench->wide[0], bench->wide[1], bench->width,
                                              4 * bench->width, 0);
}

static void logits(const struct bench *bench)
{
    bench->operations->linear_forward(&bench->cuda->base, bench->wide[0], bench->wide[1],
                                      bench->weight, NULL, bench->width, bench->vocab);
}

static void attention(const struct bench *bench)
{
    bench->operations->attention_forward(&bench->cuda->base, bench->wide[0], bench->stats,
                                         bench->wide[1]);
}

static void attention_back(const struct bench *bench)
{
    unsigned char *out = bench->wide[2], *dout = out + TYPED * bench->rows * bench->width;
    bench->operations->attention_backward(&bench->cuda->base, bench->wide[0], dout, out,
                                          bench->stats, bench->wide[1]);
}

static void time_layers(const struct bench *bench)
{
    const double r = (double)bench->rows, c = (double)bench->width, v = (double)bench->vocab;
    const uint32_t allowed = cuda_products_allowed(bench->cuda->products);
    const struct operation operations[] = {
        {"qkv", qkv, 6 * r * c * c, true},
        {"up + GELU", up, 8 * r * c * c, true},
        {"down + residual", down, 8 * r * c * c, true},
        {"down: gradient of input", down_input, 8 * r * c * c, true},
        {"up: gradient of input", up_input, 8 * r * c * c, false},
        {"up: gradient of weight", up_weight, 8 * r * c * c, true},
        {"logits", logits, 2 * r * c * v, false},
    };
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        cuda_products_restrict(bench->cuda->products, EVERYTHING);
        time_operation(bench, &operations[i], operations[i].fusible ? ", fused" : "");
        if (!operations[i].fusible)
            continue;
        cuda_products_restrict(bench->cuda->products, 0);
        time_operation(bench, &operations[i], ", own kernels");
    }
    cuda_products_restrict(bench->cuda->products, allowed);
}

/* FLOPs as if nothing were spared: the model's. */
static void time_attention(const struct bench *bench, uint64_t length)
{
    static const struct {
        const char *how;
        uint64_t bytes;
    } tiles[] = {{"", 0}, {", tiles of 8 MiB", 8 << 20}, {", tiles of 4 MiB", 4 << 20}};
    const double flops = 4 * (double)bench->rows * (double)length * (double)bench->width;
    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
        bench->cuda->attention_tile_bytes = tiles[i].bytes;
        time_operation(bench, &(struct operation){"attention", attention, flops, false},
                       tiles[i].how);
        time_operation(
            bench, &(struct operation){"attention, backward", attention_back, 2.5 * flops, false},
            tiles[i].how);
    }
}

static struct bench make_bench(const struct model_shape *shape)
{
    struct diag diag = {0};
    struct backend *backend = NULL;
    const struct backend_request request = {.shape = *shape, .dtype = MODEL_BF16, .threads = 1};
    require(backend_cuda_create(&request, &backend, &diag), &diag);
    struct bench bench = {.cuda = backend_cuda_of(backend),
                          .operations = backend->operations,
                          .rows = shape->micro_batch * shape->seq_len,
                          .width = shape->width,
                          .vocab = shape->vocab};
    const uint64_t widest = shape->vocab > 4 * shape->width ? shape->vocab : 4 * shape->width;
    const uint64_t bytes = (TYPED * bench.rows * widest + 255) / 256 * 256;
    for (size_t i = 0; i < sizeof bench.wide / sizeof bench.wide[0]; i++)
        bench.wide[i] = take(bytes);
    bench.weight = take(TYPED * widest * shape->width);
    bench.bias = take(TYPED * widest);
    bench.stats = take(sizeof(float) * bench.rows * shape->heads);
    bench.workspace = take(backend->workspace_bytes);
    bench.operations->set_workspace(backend, bench.workspace);
    check(cudaDeviceSynchronize(), "memory");
    check(cudaEventCreate(&bench.begin), "event");
    check(cudaEventCreate(&bench.end), "event");
    return bench;
}

static void end_bench(struct bench *bench)
{
    void *const taken[] = {bench->wide[0], bench->wide[1], bench->wide[2],  bench->weight,
                           bench->bias,    bench->stats,   bench->workspace};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        check(cudaFree(taken[i]), "memory");
    check(cudaEventDestroy(bench->begin), "event");
    check(cudaEventDestroy(bench->end), "event");
    bench->operations->destroy(&bench->cuda->base);
}

int main(int argc, char **argv)
{
    struct model_shape shape = {
        .micro_batch = 8, .seq_len = 1024, .width = 2048, .heads = 16, .vocab = 50304, .layers = 1};
    uint64_t *const to[] = {&shape.micro_batch, &shape.seq_len, &shape.width, &shape.heads,
                            &shape.vocab};
    if (argc != 1 && argc != 6) {
        fprintf(stderr, "usage: %s [SEQUENCES LENGTH WIDTH HEADS VOCAB]\n", argv[0]);
        return 2;
    }
    for (int i = 1; i < argc; i++)
        *to[i - 1] = strtoull(argv[i], NULL, 10);
    struct bench bench = make_bench(&shape);
    time_layers(&bench);
    time_attention(&bench, shape.seq_len);
    end_bench(&bench);
    return 0;
}
