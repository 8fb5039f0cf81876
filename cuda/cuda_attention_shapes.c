#include "cuda_attention_shapes.h"

#include <stddef.h>

struct cuda_product_layout cuda_attention_shapes_qkv(const struct cuda_attention_tiling *tiling)
{
    return (struct cuda_product_layout){3 * tiling->width, tiling->inner_step.qkv};
}

struct cuda_product_layout cuda_attention_shapes_out(const struct cuda_attention_tiling *tiling)
{
    return (struct cuda_product_layout){tiling->width, tiling->inner_step.out};
}

struct cuda_product_shape cuda_attention_shapes_scores(const struct cuda_attention_tiling *tiling,
                                                       const struct cuda_attention_tile *tile,
                                                       struct cuda_product_layout queries)
{
    return (struct cuda_product_shape){.rows = tile->rows,
                                       .columns = tile->keys,
                                       .depth = tiling->depth,
                                       .batch = tile->batch,
                                       .a = queries,
                                       .b = cuda_attention_shapes_qkv(tiling),
                                       .b_transposed = 1,
                                       .out = {tiling->stride, tile->rows * tiling->stride},
                                       .fp32_out = 1};
}

/* Probabilities, or gradients of scores, as cuda_softmax.h leaves them. */
static struct cuda_product_layout typed_layout(const struct cuda_attention_tiling *tiling,
                                               const struct cuda_attention_tile *tile, bool bf16)
{
    const uint64_t stride = bf16 ? 2 * tiling->stride : tiling->stride;
    return (struct cuda_product_layout){stride, tile->rows * stride};
}

struct cuda_product_shape cuda_attention_shapes_rows(const struct cuda_attention_tiling *tiling,
                                                     const struct cuda_attention_tile *tile,
                                                     bool bf16, struct cuda_product_layout rows)
{
    return (struct cuda_product_shape){.rows = tile->rows,
                                       .columns = tiling->depth,
                                       .depth = tile->keys,
                                       .batch = tile->batch,
                                       .a = typed_layout(tiling, tile, bf16),
                                       .b = cuda_attention_shapes_qkv(tiling),
                                       .out = rows};
}

struct cuda_product_shape cuda_attention_shapes_keys(const struct cuda_attention_tiling *tiling,
                                                     const struct cuda_attention_tile *tile,
                                                     bool bf16, struct cuda_product_layout rows)
{
    const bool apart = cuda_attention_shapes_apart(tiling, bf16);
    const struct cuda_product_layout sums = {tiling->depth, tiling->length * tiling->depth};
    return (struct cuda_product_shape){.rows = tile->keys,
                                       .columns = tiling->depth,
                                       .depth = tile->rows,
                                       .batch = tile->batch,
                                       .a = typed_layout(tiling, tile, bf16),
                                       .a_transposed = 1,
                                       .b = rows,
                                       .out = apart ? sums : cuda_attention_shapes_qkv(tiling),
                                       .fp32_out = apart};
}

struct cuda_attention_tile cuda_attention_shapes_tile(const struct cuda_attention_tiling *tiling,
                                                      uint64_t matrix, uint64_t first)
{
    const uint64_t matrices = tiling->inner - matrix, rows = tiling->length - first;
    struct cuda_attention_tile tile = {.matrix = matrix,
                                       .batch = matrices < tiling->chunk ? matrices : tiling->chunk,
                                       .first = first,
                                       .rows = rows < tiling->rows ? rows : tiling->rows};
    tile.keys = cuda_attention_keys(tiling, first, tile.rows);
    return tile;
}

static enum status plan_tile(struct cuda_products *products,
                             const struct cuda_attention_tiling *tiling,
                             const struct cuda_attention_tile *tile, bool bf16, struct diag *diag)
{
    const struct cuda_product_layout qkv = cuda_attention_shapes_qkv(tiling),
                                     out = cuda_attention_shapes_out(tiling);
    const struct cuda_product_shape shapes[] = {
        cuda_attention_shapes_scores(tiling, tile, qkv),
        cuda_attention_shapes_scores(tiling, tile, out),
        cuda_attention_shapes_rows(tiling, tile, bf16, out),
        cuda_attention_shapes_rows(tiling, tile, bf16, qkv),
        cuda_attention_shapes_keys(tiling, tile, bf16, out),
        cuda_attention_shapes_keys(tiling, tile, bf16, qkv),
    };
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sizeof shapes / sizeof shapes[0]; i++)
        status = cuda_products_plan(products, &shapes[i], diag);
    return status;
}

enum status cuda_attention_plan(struct cuda_products *products,
                                const struct backend_request *request, struct diag *diag)
{
    const struct cuda_attention_tiling tiling =
        cuda_attention_tiling_of(&request->shape, CUDA_ATTENTION_TILE_BYTES);
    const uint64_t chunks = (tiling.inner + tiling.chunk - 1) / tiling.chunk;
    enum status status = STATUS_OK;
    for (uint64_t first = 0; first < tiling.length; first += tiling.rows) {
        const struct cuda_attention_tile full = cuda_attention_shapes_tile(&tiling, 0, first);
        const struct cuda_attention_tile last =
            cuda_attention_shapes_tile(&tiling, (chunks - 1) * tiling.chunk, first);
        const bool bf16 = request->dtype == MODEL_BF16;
        if (status == STATUS_OK)
            status = plan_tile(products, &tiling, &full, bf16, diag);
        if (status == STATUS_OK)
            status = plan_tile(products, &tiling, &last, bf16, diag);
    }
    return status;
}
