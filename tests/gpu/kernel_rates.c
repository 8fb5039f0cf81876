/*
 * How fast the backend's own kernels work through memory, one after another, in bf16: for each the
 * median time of several runs and the bytes that it must read and write (cuda/README.md, "How fast
 * it can be") in that time. Before every run the cache is filled with other memory. Prints lines
 * "NAME: TIME us, RATE GB/s".
 *
 * Usage: kernel_rates [ROWS LENGTH WIDTH VOCAB PARAMETERS]
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_embedding.h"
#include "cuda_loss.h"
#include "cuda_norm.h"
#include "cuda_optimizer.h"

/* The sizes of cuda/README.md, and as many parameters as no cache holds. */
struct sizes {
    uint64_t rows, length, width, vocab, parameters;
};
static const struct sizes usual = {8192, 1024, 2048, 50304, (uint64_t)1 << 28};

enum { RUNS = 11, WARM_UP = 2, TYPED = 2 /* bytes of bf16 */ };
#define FLUSH_BYTES ((size_t)256 << 20) /* several times the largest cache */
/* As a number 0.0115 in bf16 and in fp32: neither 0, which costs less power, nor special. */
#define FILL_BYTE 0x3C

struct device {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    void *flush;
    size_t flush_bytes;
    struct sizes sizes;
};

static void check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

static void *take(const struct device *device, uint64_t bytes)
{
    void *memory = NULL;
    check(cudaMalloc(&memory, (size_t)bytes), "memory");
    check(cudaMemsetAsync(memory, FILL_BYTE, (size_t)bytes, device->stream), "memory");
    return memory;
}

static void give(void *memory)
{
    check(cudaFree(memory), "memory");
}

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

struct kernel {
    const char *name;
    cudaError_t (*launch)(const void *arguments, cudaStream_t stream);
    const void *arguments;
    double bytes;
};

static void time_kernel(const struct device *device, const struct kernel *kernel)
{
    float ms[RUNS];
    for (int i = -WARM_UP; i < RUNS; i++) {
        float took;
        check(cudaMemsetAsync(device->flush, i, device->flush_bytes, device->stream), "cache");
        check(cudaEventRecord(device->begin, device->stream), "event");
        check(kernel->launch(kernel->arguments, device->stream), kernel->name);
        check(cudaEventRecord(device->end, device->stream), "event");
        check(cudaStreamSynchronize(device->stream), kernel->name);
        check(cudaEventElapsedTime(&took, device->begin, device->end), "event");
        if (i >= 0)
            ms[i] = took;
    }
    qsort(ms, RUNS, sizeof ms[0], by_size);
    const double us = 1e3 * (double)ms[RUNS / 2];
    printf("%s: %.1f us, %.0f GB/s\n", kernel->name, us, kernel->bytes / us / 1e3);
}

/* [B, T+1] tokens spread over the vocabulary, a fifth of them the same one. */
static int32_t *make_tokens(const struct device *device)
{
    const struct sizes *sizes = &device->sizes;
    const size_t count = (size_t)(sizes->rows + sizes->rows / sizes->length);
    int32_t *tokens = calloc(count, sizeof *tokens);
    if (tokens == NULL)
        exit(1);
    for (size_t i = 0; i < count; i++)
        tokens[i] = (int32_t)(i % 5 == 0 ? 0 : i * 7919 % sizes->vocab);
    void *there = take(device, count * sizeof *tokens);
    check(cudaMemcpyAsync(there, tokens, count * sizeof *tokens, cudaMemcpyHostToDevice,
                          device->stream),
          "tokens");
    check(cudaStreamSynchronize(device->stream), "tokens");
    free(tokens);
    return there;
}

static cudaError_t norm_forward(const void *arguments, cudaStream_t stream)
{
    return cuda_norm_forward(arguments, stream);
}

static cudaError_t norm_backward(const void *arguments, cudaStream_t stream)
{
    return cuda_norm_backward(arguments, stream);
}

static void time_norm(const struct device *device, const struct backend_request *request)
{
    const uint64_t rows = device->sizes.rows, width = device->sizes.width;
    const uint64_t bytes = TYPED * rows * width;
    void *x = take(device, bytes), *out = take(device, bytes), *dout = take(device, bytes);
    void *vectors = take(device, 3 * TYPED * width), *stats = take(device, 2 * rows * 4);
    void *workspace = take(device, cuda_norm_workspace_bytes(request));
    unsigned char *weight = vectors, *bias = weight + TYPED * width, *sums = bias + TYPED * width;
    const struct cuda_norm_forward forward = {true, rows, width, out, stats, x, weight, bias};
    const struct cuda_norm_backward backward = {.bf16 = true,
                                                .rows = rows,
                                                .width = width,
                                                .dx = out,
                                                .dweight = sums,
                                                .dbias = bias,
                                                .dout = dout,
                                                .x = x,
                                                .weight = weight,
                                                .stats = stats,
                                                .workspace = workspace};
    const struct kernel kernels[] = {
        {"layer norm", norm_forward, &forward, 2.0 * (double)bytes},
        {"layer norm, backward", norm_backward, &backward, 4.0 * (double)bytes}};
    time_kernel(device, &kernels[0]);
    time_kernel(device, &kernels[1]);
    void *const taken[] = {x, out, dout, vectors, stats, workspace};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        give(taken[i]);
}

static cudaError_t embedding_forward(const void *arguments, cudaStream_t stream)
{
    return cuda_embedding_forward(arguments, stream);
}

static cudaError_t embedding_backward(const void *arguments, cudaStream_t stream)
{
    return cuda_embedding_backward(arguments, stream);
}

static void time_embedding(const struct device *device, const struct backend_request *request)
{
    const struct sizes *sizes = &device->sizes;
    const uint64_t row = TYPED * sizes->width, bytes = row * sizes->rows;
    int32_t *tokens = make_tokens(device);
    void *out = take(device, bytes), *wpe = take(device, row * sizes->length);
    void *wte = take(device, row * sizes->vocab);
    void *workspace = take(device, cuda_embedding_workspace_bytes(request));
    const struct cuda_embedding_forward forward = {true,   sizes->rows, sizes->length, sizes->width,
                                                   tokens, out,         wte,           wpe};
    const struct cuda_embedding_backward backward = {.bf16 = true,
                                                     .rows = sizes->rows,
                                                     .length = sizes->length,
                                                     .width = sizes->width,
                                                     .tokens = tokens,
                                                     .dwte = wte,
                                                     .dwpe = wpe,
                                                     .dout = out,
                                                     .workspace = workspace};
    const struct kernel kernels[] = {
        {"embedding", embedding_forward, &forward, 2.0 * (double)bytes},
        {"embedding, backward", embedding_backward, &backward, 4.0 * (double)bytes}};
    time_kernel(device, &kernels[0]);
    time_kernel(device, &kernels[1]);
    void *const taken[] = {tokens, out, wpe, wte, workspace};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        give(taken[i]);
}

static cudaError_t cross_entropy(const void *arguments, cudaStream_t stream)
{
    return cuda_loss_cross_entropy(arguments, stream);
}

static void time_loss(const struct device *device)
{
    const struct sizes *sizes = &device->sizes;
    const uint64_t bytes = TYPED * sizes->rows * sizes->vocab;
    int32_t *tokens = make_tokens(device);
    void *logits = take(device, bytes), *losses = take(device, 4 * sizes->rows);
    const struct cuda_loss loss = {true,   sizes->rows, sizes->length, sizes->vocab,
                                   losses, logits,      tokens,        1};
    time_kernel(device,
                &(struct kernel){"cross-entropy", cross_entropy, &loss, 2.0 * (double)bytes});
    give(tokens);
    give(logits);
    give(losses);
}

struct optimizer {
    struct backend_update update;
    struct backend_adamw how;
    double *sum;
    void *workspace;
};

static cudaError_t square_sum(const void *arguments, cudaStream_t stream)
{
    const struct optimizer *optimizer = arguments;
    return cuda_optimizer_square_sum(optimizer->sum, optimizer->update.gradient,
                                     optimizer->update.count, true, optimizer->workspace, stream);
}

static cudaError_t adamw(const void *arguments, cudaStream_t stream)
{
    const struct optimizer *optimizer = arguments;
    return cuda_optimizer_adamw(&optimizer->update, &optimizer->how, true, stream);
}

static cudaError_t accumulate(const void *arguments, cudaStream_t stream)
{
    return cuda_optimizer_copy(arguments, stream);
}

static void time_optimizer(const struct device *device)
{
    const uint64_t count = device->sizes.parameters;
    float *state = take(device, 3 * 4 * count);
    unsigned char *typed = take(device, 2 * TYPED * count);
    float *scale = take(device, 256);
    const struct optimizer optimizer = {{.weight = state,
                                         .moment1 = state + count,
                                         .moment2 = state + 2 * count,
                                         .typed_copy = typed,
                                         .gradient = typed + TYPED * count,
                                         .typed = 1,
                                         .count = count,
                                         .scale = scale},
                                        {1e-4f, 0.9f, 0.95f, 1e-8f, 0.1f, 0.5f, 0.5f},
                                        (double *)(void *)(scale + 2),
                                        take(device, cuda_optimizer_workspace_bytes())};
    const struct cuda_optimizer_copy copy = {state, typed, count, false, true, true};
    const struct kernel kernels[] = {
        {"sum of squares", square_sum, &optimizer, 2.0 * (double)count},
        {"AdamW", adamw, &optimizer, 28.0 * (double)count},
        {"accumulation of bf16 in fp32", accumulate, &copy, 10.0 * (double)count}};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        time_kernel(device, &kernels[i]);
    give(state);
    give(typed);
    give(scale);
    give(optimizer.workspace);
}

static void read_sizes(struct sizes *sizes, char **arguments)
{
    uint64_t *const to[] = {&sizes->rows, &sizes->length, &sizes->width, &sizes->vocab,
                            &sizes->parameters};
    for (size_t i = 0; i < sizeof to / sizeof to[0]; i++) {
        *to[i] = strtoull(arguments[i], NULL, 10);
        if (*to[i] == 0) {
            fprintf(stderr, "%s is no size\n", arguments[i]);
            exit(2);
        }
    }
}

int main(int argc, char **argv)
{
    struct device device = {.sizes = usual, .flush_bytes = FLUSH_BYTES};
    if (argc == 6) {
        read_sizes(&device.sizes, argv + 1);
        device.flush_bytes = 4096; /* to try the program, not the device */
    } else if (argc != 1) {
        fprintf(stderr, "usage: %s [ROWS LENGTH WIDTH VOCAB PARAMETERS]\n", argv[0]);
        return 2;
    }
    const struct backend_request request = {
        .shape = {.width = device.sizes.width,
                  .seq_len = device.sizes.length,
                  .micro_batch = device.sizes.rows / device.sizes.length}};
    check(cudaStreamCreateWithFlags(&device.stream, cudaStreamNonBlocking), "stream");
    check(cudaEventCreate(&device.begin), "event");
    check(cudaEventCreate(&device.end), "event");
    device.flush = take(&device, device.flush_bytes);
    time_embedding(&device, &request);
    time_norm(&device, &request);
    time_loss(&device);
    time_optimizer(&device);
    give(device.flush);
    return 0;
}
