#include <stddef.h>

#include "cuda_attention.h"
#include "cuda_softmax.h"

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t parts(uint64_t count, uint64_t part)
{
    return (count + part - 1) / part;
}

static void place_matrices(struct cuda_attention_tiling *tiling, const struct model_shape *shape)
{
    const struct cuda_attention_steps sequence = {.qkv = shape->seq_len * 3 * shape->width,
                                                  .out = shape->seq_len * shape->width,
                                                  .stats = shape->seq_len * shape->heads};
    const struct cuda_attention_steps head = {
        .qkv = tiling->depth, .out = tiling->depth, .stats = shape->seq_len};
    const bool heads_inside = shape->heads >= shape->micro_batch;
    tiling->outer = smaller(shape->heads, shape->micro_batch);
    tiling->inner = larger(shape->heads, shape->micro_batch);
    tiling->outer_step = heads_inside ? sequence : head;
    tiling->inner_step = heads_inside ? head : sequence;
}

/*
 * A product's block on the device is up to 128 rows high, so that tiles get lower than that only
 * when one matrix has them to itself; as long as they are higher, multiples of 64. Chunks are made
 * even. Keys come in at most 64 different numbers, for each of which there is a plan.
 */
struct cuda_attention_tiling cuda_attention_tiling_of(const struct model_shape *shape,
                                                      uint64_t bytes)
{
    enum { HIGH_ENOUGH = 128, EVEN = 64, LIMITS = 64 };
    struct cuda_attention_tiling tiling = {
        .length = shape->seq_len, .depth = shape->width / shape->heads, .width = shape->width};
    place_matrices(&tiling, shape);
    tiling.stride = parts(tiling.length, CUDA_SOFTMAX_GROUP) * CUDA_SOFTMAX_GROUP;
    const uint64_t row_bytes = tiling.stride * sizeof(float);
    const uint64_t high = smaller(tiling.length, HIGH_ENOUGH);
    const uint64_t most = smaller(larger(bytes / (high * row_bytes), 1), tiling.inner);
    tiling.chunk = parts(tiling.inner, parts(tiling.inner, most));
    const uint64_t rows = larger(bytes / (tiling.chunk * row_bytes), 1);
    tiling.rows = smaller(rows < EVEN ? rows : rows / EVEN * EVEN, tiling.length);
    if (rows >= tiling.length)
        tiling.rows = tiling.length;
    tiling.quantum = parts(parts(tiling.length, LIMITS), CUDA_SOFTMAX_GROUP) * CUDA_SOFTMAX_GROUP;
    return tiling;
}

uint64_t cuda_attention_keys(const struct cuda_attention_tiling *tiling, uint64_t first,
                             uint64_t rows)
{
    return smaller(parts(first + rows, tiling->quantum) * tiling->quantum, tiling->length);
}
