#include "cuda_attention.h"

#include <math.h>
#include <stddef.h>

#include "backend_cuda.h"
#include "cuda_attention_shapes.h"
#include "cuda_softmax.h"
#include "cuda_workspace.h"

/* What an operator works on. Gradients and sums are of the backward pass. */
struct attention {
    struct backend_cuda *cuda;
    struct cuda_attention_tiling tiling;
    float scale;
    float *scores, *gradients;    /* [chunk, rows, stride] */
    float *key_sums, *value_sums; /* [chunk, length, depth], or NULL: dqkv itself is added to */
    const void *qkv, *out, *dout;
    void *result; /* out or dqkv */
    float *stats;
};

enum part { QUERY, KEY, VALUE };

static uint64_t tile_bytes(const struct cuda_attention_tiling *tiling)
{
    return cuda_workspace_aligned(tiling->chunk * tiling->rows * tiling->stride * sizeof(float));
}

static uint64_t sums_bytes(const struct cuda_attention_tiling *tiling)
{
    return cuda_workspace_aligned(tiling->chunk * tiling->length * tiling->depth * sizeof(float));
}

uint64_t cuda_attention_workspace_bytes(const struct backend_request *request)
{
    const struct cuda_attention_tiling tiling =
        cuda_attention_tiling_of(&request->shape, CUDA_ATTENTION_TILE_BYTES);
    const bool apart = cuda_attention_shapes_apart(&tiling, request->dtype == MODEL_BF16);
    return 2 * tile_bytes(&tiling) + (apart ? 2 * sums_bytes(&tiling) : 0);
}

/* --- where things lie --- */

static uint64_t offset_in_bytes(const struct attention *attention, uint64_t elements)
{
    return elements * (attention->cuda->bf16 ? sizeof(uint16_t) : sizeof(float));
}

/* Of the tile's first matrix, in elements: row `row` of a part of qkv, or of out. */
static uint64_t qkv_offset(const struct attention *attention,
                           const struct cuda_attention_tile *tile, enum part part, uint64_t row)
{
    const struct cuda_attention_tiling *tiling = &attention->tiling;
    return tile->outer * tiling->outer_step.qkv + tile->matrix * tiling->inner_step.qkv +
           row * 3 * tiling->width + (uint64_t)part * tiling->width;
}

static uint64_t out_offset(const struct attention *attention,
                           const struct cuda_attention_tile *tile)
{
    const struct cuda_attention_tiling *tiling = &attention->tiling;
    return tile->outer * tiling->outer_step.out + tile->matrix * tiling->inner_step.out +
           tile->first * tiling->width;
}

static const void *at(const struct attention *attention, const void *base, uint64_t elements)
{
    return (const unsigned char *)base + offset_in_bytes(attention, elements);
}

static void *result_at(const struct attention *attention, uint64_t elements)
{
    return (unsigned char *)attention->result + offset_in_bytes(attention, elements);
}

static struct cuda_softmax_tile softmax_tile(const struct attention *attention,
                                             const struct cuda_attention_tile *tile)
{
    const struct cuda_attention_tiling *tiling = &attention->tiling;
    return (struct cuda_softmax_tile){
        .scores = attention->scores,
        .batch = tile->batch,
        .rows = tile->rows,
        .keys = tile->keys,
        .stride = tiling->stride,
        .first_row = tile->first,
        .stats = attention->stats + tile->outer * tiling->outer_step.stats +
                 tile->matrix * tiling->inner_step.stats + tile->first,
        .stats_step = tiling->inner_step.stats};
}

/* Calls for every tile; a chunk's last tile, which sees all keys, comes first. */
static void each_tile(const struct attention *attention,
                      void (*call)(const struct attention *attention,
                                   const struct cuda_attention_tile *tile))
{
    const struct cuda_attention_tiling *tiling = &attention->tiling;
    const uint64_t last = (tiling->length - 1) / tiling->rows * tiling->rows;
    for (uint64_t outer = 0; outer < tiling->outer; outer++)
        for (uint64_t matrix = 0; matrix < tiling->inner; matrix += tiling->chunk)
            for (uint64_t end = last + tiling->rows; end > 0; end -= tiling->rows) {
                struct cuda_attention_tile tile =
                    cuda_attention_shapes_tile(tiling, matrix, end - tiling->rows);
                tile.outer = outer;
                call(attention, &tile);
            }
}

static void multiply(const struct attention *attention, const struct cuda_product_shape *shape,
                     const struct cuda_product_operands *operands)
{
    cuda_products_multiply(attention->cuda, shape, operands); /* plain: always offered */
}

/* --- forward --- */

static void make_scores(const struct attention *attention, const struct cuda_attention_tile *tile)
{
    const struct cuda_attention_tiling *tiling = &attention->tiling;
    const struct cuda_product_shape shape =
        cuda_attention_shapes_scores(tiling, tile, cuda_attention_shapes_qkv(tiling));
    const struct cuda_product_operands operands = {
        .a = at(attention, attention->qkv, qkv_offset(attention, tile, QUERY, tile->first)),
        .b = at(attention, attention->qkv, qkv_offset(attention, tile, KEY, 0)),
        .out = attention->scores,
        .scale = attention->scale};
    multiply(attention, &shape, &operands);
}

static void forward_tile(const struct attention *attention, const struct cuda_attention_tile *tile)
{
    struct backend_cuda *cuda = attention->cuda;
    const struct cuda_attention_tiling *tiling = &attention->tiling;
    make_scores(attention, tile);
    const struct cuda_softmax_tile softmax = softmax_tile(attention, tile);
    cuda_error_note(&cuda->error, "softmax of attention",
                    cuda_softmax_forward(&softmax, cuda->bf16, cuda->compute));
    const struct cuda_product_shape shape =
        cuda_attention_shapes_rows(tiling, tile, cuda->bf16, cuda_attention_shapes_out(tiling));
    const struct cuda_product_operands operands = {
        .a = attention->scores,
        .b = at(attention, attention->qkv, qkv_offset(attention, tile, VALUE, 0)),
        .out = result_at(attention, out_offset(attention, tile)),
        .scale = 1};
    multiply(attention, &shape, &operands);
}

static struct attention attention_of(struct backend_cuda *cuda)
{
    const struct model_shape *shape = &cuda->base.request.shape;
    const uint64_t bytes =
        cuda->attention_tile_bytes != 0 ? cuda->attention_tile_bytes : CUDA_ATTENTION_TILE_BYTES;
    struct attention attention = {.cuda = cuda, .tiling = cuda_attention_tiling_of(shape, bytes)};
    unsigned char *next = cuda_workspace_operator(cuda);
    attention.scale = 1.0f / sqrtf((float)attention.tiling.depth);
    attention.scores = (float *)(void *)next;
    attention.gradients = (float *)(void *)(next + tile_bytes(&attention.tiling));
    if (!cuda_attention_shapes_apart(&attention.tiling, cuda->bf16))
        return attention;
    next += 2 * tile_bytes(&attention.tiling);
    attention.key_sums = (float *)(void *)next;
    attention.value_sums = (float *)(void *)(next + sums_bytes(&attention.tiling));
    return attention;
}

void backend_cuda_attention_forward(struct backend *backend, void *out, float *stats,
                                    const void *qkv)
{
    struct attention attention = attention_of(backend_cuda_of(backend));
    attention.qkv = qkv;
    attention.result = out;
    attention.stats = stats;
    each_tile(&attention, forward_tile);
}

/* --- backward --- */

/* Scores become probabilities, and the gradients of these those of the scores. */
static void make_gradients(const struct attention *attention,
                           const struct cuda_attention_tile *tile)
{
    struct backend_cuda *cuda = attention->cuda;
    const struct cuda_attention_tiling *tiling = &attention->tiling;
    const struct cuda_product_shape shape =
        cuda_attention_shapes_scores(tiling, tile, cuda_attention_shapes_out(tiling));
    const uint64_t row = out_offset(attention, tile);
    const struct cuda_product_operands operands = {
        .a = at(attention, attention->dout, row),
        .b = at(attention, attention->qkv, qkv_offset(attention, tile, VALUE, 0)),
        .out = attention->gradients,
        .scale = 1};
    multiply(attention, &shape, &operands);
    const struct cuda_softmax_tile softmax = softmax_tile(attention, tile);
    const struct cuda_softmax_outputs outputs = {.out = at(attention, attention->out, row),
                                                 .dout = operands.a,
                                                 .depth = tiling->depth,
                                                 .row = tiling->width,
                                                 .step = tiling->inner_step.out};
    cuda_error_note(
        &cuda->error, "softmax of attention, backward",
        cuda_softmax_backward(&softmax, attention->gradients, &outputs, cuda->bf16, cuda->compute));
}

static void query_gradient(const struct attention *attention,
                           const struct cuda_attention_tile *tile)
{
    const struct cuda_attention_tiling *tiling = &attention->tiling;
    const struct cuda_product_shape shape = cuda_attention_shapes_rows(
        tiling, tile, attention->cuda->bf16, cuda_attention_shapes_qkv(tiling));
    const struct cuda_product_operands operands = {
        .a = attention->gradients,
        .b = at(attention, attention->qkv, qkv_offset(attention, tile, KEY, 0)),
        .out = result_at(attention, qkv_offset(attention, tile, QUERY, tile->first)),
        .scale = attention->scale};
    multiply(attention, &shape, &operands);
}

/* A chunk's first tile, which sees all keys, sets; the others add. */
static void key_gradients(const struct attention *attention, const struct cuda_attention_tile *tile)
{
    const struct cuda_attention_tiling *tiling = &attention->tiling;
    const bool bf16 = attention->cuda->bf16;
    const bool adds = tile->first + tile->rows < tiling->length;
    const struct cuda_product_shape of_keys =
        cuda_attention_shapes_keys(tiling, tile, bf16, cuda_attention_shapes_qkv(tiling));
    const struct cuda_product_shape of_values =
        cuda_attention_shapes_keys(tiling, tile, bf16, cuda_attention_shapes_out(tiling));
    struct cuda_product_operands keys = {
        .a = attention->gradients,
        .b = at(attention, attention->qkv, qkv_offset(attention, tile, QUERY, tile->first)),
        .out = result_at(attention, qkv_offset(attention, tile, KEY, 0)),
        .scale = attention->scale};
    struct cuda_product_operands values = {
        .a = attention->scores,
        .b = at(attention, attention->dout, out_offset(attention, tile)),
        .out = result_at(attention, qkv_offset(attention, tile, VALUE, 0)),
        .scale = 1};
    if (cuda_attention_shapes_apart(tiling, bf16)) {
        keys.out = attention->key_sums;
        values.out = attention->value_sums;
    }
    keys.added = adds ? keys.out : NULL;
    values.added = adds ? values.out : NULL;
    multiply(attention, &of_keys, &keys);
    multiply(attention, &of_values, &values);
}

/* The sums of a chunk go to dqkv. */
static void round_sums(const struct attention *attention, const struct cuda_attention_tile *tile)
{
    struct backend_cuda *cuda = attention->cuda;
    const struct cuda_attention_tiling *tiling = &attention->tiling;
    const float *sums[] = {attention->key_sums, attention->value_sums};
    static const enum part to[] = {KEY, VALUE};
    for (int i = 0; i < 2; i++) {
        const struct cuda_softmax_narrow narrow = {
            .to = result_at(attention, qkv_offset(attention, tile, to[i], 0)),
            .from = sums[i],
            .batch = tile->batch,
            .length = tiling->length,
            .depth = tiling->depth,
            .row = 3 * tiling->width,
            .step = tiling->inner_step.qkv};
        cuda_error_note(&cuda->error, "gradients of keys and values",
                        cuda_softmax_narrow(&narrow, cuda->compute));
    }
}

static void backward_tile(const struct attention *attention, const struct cuda_attention_tile *tile)
{
    make_scores(attention, tile);
    make_gradients(attention, tile);
    query_gradient(attention, tile);
    key_gradients(attention, tile);
    if (tile->first == 0 && cuda_attention_shapes_apart(&attention->tiling, attention->cuda->bf16))
        round_sums(attention, tile);
}

void backend_cuda_attention_backward(struct backend *backend, void *dqkv, const void *dout,
                                     const void *out, const float *stats, const void *qkv)
{
    struct attention attention = attention_of(backend_cuda_of(backend));
    attention.qkv = qkv;
    attention.out = out;
    attention.dout = dout;
    attention.result = dqkv;
    attention.stats = (float *)(uintptr_t)stats; /* backward only reads it */
    each_tile(&attention, backward_tile);
}
