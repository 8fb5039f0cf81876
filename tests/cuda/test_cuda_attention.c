/* Causal attention against double, in one tile and in several. */
#include <stdio.h>
#include <stdlib.h>

#include "cuda_attention.h"
#include "operator_reference.h"
#include "operator_trial.h"

/*
 * Heads inside and sequences inside; one token; depths that are multiples of nothing and of eight;
 * more keys than a block of the softmax holds (1024). `tile`: the bound of a tile, for several
 * tiles of rows that do not divide the length, chunks of matrices, single rows; 0: the backend's.
 */
static const struct {
    struct model_shape shape;
    uint64_t tile;
} cases[] = {
    {{.width = 36, .heads = 3, .seq_len = 17, .micro_batch = 3, .layers = 1, .vocab = 2}, 0},
    {{.width = 36, .heads = 3, .seq_len = 17, .micro_batch = 3, .layers = 1, .vocab = 2}, 2048},
    {{.width = 8, .heads = 2, .seq_len = 1, .micro_batch = 1, .layers = 1, .vocab = 2}, 0},
    {{.width = 6, .heads = 1, .seq_len = 150, .micro_batch = 5, .layers = 1, .vocab = 2}, 80000},
    {{.width = 6, .heads = 1, .seq_len = 33, .micro_batch = 2, .layers = 1, .vocab = 2}, 1},
    {{.width = 64, .heads = 4, .seq_len = 200, .micro_batch = 2, .layers = 1, .vocab = 2}, 300000},
    {{.width = 64, .heads = 4, .seq_len = 70, .micro_batch = 2, .layers = 1, .vocab = 2}, 0},
    {{.width = 8, .heads = 1, .seq_len = 1100, .micro_batch = 1, .layers = 1, .vocab = 2}, 2500000},
};

struct attention {
    struct operator_trial *operators;
    struct device_tensor qkv, out, stats, dout, dqkv;
};

static void call_forward(const struct operator_call *call)
{
    struct attention *attention = call->context;
    call->operators->operations->attention_forward(&call->operators->cuda->base,
                                                   attention->out.data, attention->stats.data,
                                                   attention->qkv.data);
}

static void call_backward(const struct operator_call *call)
{
    struct attention *attention = call->context;
    call->operators->operations->attention_backward(
        &call->operators->cuda->base, attention->dqkv.data, attention->dout.data,
        attention->out.data, attention->stats.data, attention->qkv.data);
}

static void try_forward(struct attention *attention)
{
    struct operator_trial *operators = attention->operators;
    const struct model_shape *shape = &operators->cuda->base.request.shape;
    double *out = device_zeros(attention->out.count), *stats = device_zeros(attention->stats.count);
    const struct operator_call call = {operators, call_forward, attention};
    reference_attention(shape, attention->qkv.values, out, stats);
    operator_trial_run(&call, (struct device_tensor *[]){&attention->out, &attention->stats}, 2);
    device_trial_expect(operators->trial, &attention->out, out, operator_trial_relative(operators),
                        "out");
    device_trial_expect(operators->trial, &attention->stats, stats, 1e-5, "stats");
    free(out);
    free(stats);
}

/* Of what forward has stored. In bf16 probabilities and gradients of scores are rounded before they
 * are multiplied. */
static void try_backward(struct attention *attention)
{
    struct operator_trial *operators = attention->operators;
    double *dqkv = device_zeros(attention->dqkv.count);
    const struct operator_call call = {operators, call_backward, attention};
    reference_attention_gradient(&operators->cuda->base.request.shape, attention->qkv.values,
                                 attention->dout.values, dqkv);
    operator_trial_run(&call, (struct device_tensor *[]){&attention->dqkv}, 1);
    device_trial_expect(operators->trial, &attention->dqkv, dqkv,
                        operator_trial_relative(operators), "dqkv");
    free(dqkv);
}

static void try_attention(struct operator_trial *operators, size_t offset)
{
    struct device_trial *trial = operators->trial;
    const struct model_shape *shape = &operators->cuda->base.request.shape;
    const size_t count = operators->cuda->rows * shape->width;
    struct attention attention = {
        .operators = operators,
        .qkv = device_tensor_random(trial, 3 * count, 2, true, offset),
        .out = device_tensor_poisoned(trial, count, true, offset),
        .stats = device_tensor_poisoned(trial, operators->cuda->rows * shape->heads, false, offset),
        .dout = device_tensor_random(trial, count, 1, true, offset),
        .dqkv = device_tensor_poisoned(trial, 3 * count, true, offset),
    };
    try_forward(&attention);
    try_backward(&attention);
    device_tensor_free(&attention.qkv);
    device_tensor_free(&attention.out);
    device_tensor_free(&attention.stats);
    device_tensor_free(&attention.dout);
    device_tensor_free(&attention.dqkv);
}

/* Tiles cover everything, stay in their bound, and have few different numbers of keys. */
static void try_tiling(struct device_trial *trial, const struct model_shape *shape, uint64_t bytes)
{
    const struct cuda_attention_tiling tiling = cuda_attention_tiling_of(shape, bytes);
    const uint64_t row = tiling.stride * sizeof(float);
    uint64_t limits = 0, last = 0;
    device_trial_case(trial, "tiling of B %d H %d T %d in %d bytes", (int)shape->micro_batch,
                      (int)shape->heads, (int)shape->seq_len, (int)bytes);
    if (tiling.outer * tiling.inner != shape->micro_batch * shape->heads || tiling.chunk < 1 ||
        tiling.chunk > tiling.inner || tiling.rows < 1 || tiling.rows > tiling.length ||
        tiling.stride < tiling.length)
        device_trial_fault(trial, "it does not cover everything once");
    if (tiling.chunk * tiling.rows * row > bytes && tiling.chunk * tiling.rows > 1)
        device_trial_fault(trial, "%d bytes of a tile", (int)(tiling.chunk * tiling.rows * row));
    for (uint64_t first = 0; first < tiling.length; first += tiling.rows) {
        const uint64_t rest = tiling.length - first;
        const uint64_t rows = rest < tiling.rows ? rest : tiling.rows;
        const uint64_t keys = cuda_attention_keys(&tiling, first, rows);
        if (keys < first + rows || keys > tiling.length)
            device_trial_fault(trial, "%d keys for the rows from %d on", (int)keys, (int)first);
        limits += keys != last;
        last = keys;
    }
    if (limits > 65)
        device_trial_fault(trial, "%d different numbers of keys", (int)limits);
}

static void try_tilings(struct device_trial *trial)
{
    static const uint64_t sizes[] = {1, 2, 7, 64, 129, 1024, 5000, 65537};
    enum { COUNT = sizeof sizes / sizeof sizes[0] };
    for (size_t b = 0; b < COUNT; b++)
        for (size_t h = 0; h < COUNT - 2; h++)
            for (size_t t = 0; t < COUNT; t++) {
                const struct model_shape shape = {.width = 8 * sizes[h],
                                                  .heads = sizes[h],
                                                  .seq_len = sizes[t],
                                                  .micro_batch = sizes[b]};
                try_tiling(trial, &shape, CUDA_ATTENTION_TILE_BYTES);
                try_tiling(trial, &shape, 4096);
            }
}

int main(void)
{
    struct device_trial trial;
    device_trial_init(&trial);
    try_tilings(&trial);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int bf16 = 0; bf16 <= 1; bf16++)
            for (size_t offset = 0; offset <= (cases[i].shape.seq_len < 1000); offset++) {
                const struct model_shape *shape = &cases[i].shape;
                struct operator_trial operators;
                operator_trial_init(&operators, &trial, shape, bf16 != 0);
                operators.cuda->attention_tile_bytes = cases[i].tile;
                device_trial_case(&trial, "%s, B %d T %d C %d H %d, tiles of %d bytes, offset %zu",
                                  bf16 ? "bf16" : "fp32", (int)shape->micro_batch,
                                  (int)shape->seq_len, (int)shape->width, (int)shape->heads,
                                  (int)cases[i].tile, offset);
                try_attention(&operators, offset);
                operator_trial_fini(&operators);
            }
    return device_trial_fini(&trial);
}
