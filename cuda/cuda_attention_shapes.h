#ifndef RANKLEDGER_CUDA_ATTENTION_SHAPES_H
#define RANKLEDGER_CUDA_ATTENTION_SHAPES_H

#include "cuda_attention.h"

/* The products of attention for one tile. */

/* The matrices [matrix, matrix + batch) of the inner loop for one of the outer, rows and keys. */
struct cuda_attention_tile {
    uint64_t outer, matrix, batch;
    uint64_t first, rows, keys;
};

/* The tile whose first matrix and row these are; outer is 0. */
struct cuda_attention_tile cuda_attention_shapes_tile(const struct cuda_attention_tiling *tiling,
                                                      uint64_t matrix, uint64_t first);
/* Keys get gradients from several tiles; in bf16 these are added up in fp32 beside dqkv. */
static inline bool cuda_attention_shapes_apart(const struct cuda_attention_tiling *tiling,
                                               bool bf16)
{
    return bf16 && tiling->rows < tiling->length;
}

/* How queries, keys and values lie in qkv and dqkv, rows of heads in out and dout. */
struct cuda_product_layout cuda_attention_shapes_qkv(const struct cuda_attention_tiling *tiling);
struct cuda_product_layout cuda_attention_shapes_out(const struct cuda_attention_tiling *tiling);

/* [rows, keys] = queries keys^T; `queries`: where they lie, qkv or dout. */
struct cuda_product_shape cuda_attention_shapes_scores(const struct cuda_attention_tiling *tiling,
                                                       const struct cuda_attention_tile *tile,
                                                       struct cuda_product_layout queries);
/* [rows, depth] = probabilities values; `rows`: where they go, out or dqkv. */
struct cuda_product_shape cuda_attention_shapes_rows(const struct cuda_attention_tiling *tiling,
                                                     const struct cuda_attention_tile *tile,
                                                     bool bf16, struct cuda_product_layout rows);
/* [keys, depth] = probabilities^T rows; `rows`: where those lie, dout or qkv. */
struct cuda_product_shape cuda_attention_shapes_keys(const struct cuda_attention_tiling *tiling,
                                                     const struct cuda_attention_tile *tile,
                                                     bool bf16, struct cuda_product_layout rows);

#endif
