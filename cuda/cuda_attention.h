#ifndef RANKLEDGER_CUDA_ATTENTION_H
#define RANKLEDGER_CUDA_ATTENTION_H

#include "backend.h"
#include "cuda_product.h"

/*
 * Causal attention as batched products with a softmax between them (cuda_softmax.h), a tile of
 * query rows at a time. Per sequence and head, with T rows of depth D:
 *
 *   forward   S = Q K^T / sqrt D;  P = softmax S;  O = P V
 *   backward  S, P anew;  dP = dO V^T;  dS = P (dP - dO . O);
 *             dV = P^T dO;  dQ = dS K / sqrt D;  dK = dS^T Q / sqrt D
 *
 * A matrix product is batched over the heads of a sequence, or over the sequences for one head if
 * those are more: both lie a fixed step apart in qkv and out, so that nothing has to be rearranged.
 * The other of the two is a loop of launches.
 *
 * FLOPs: forward 4 R T C, backward 10 R T C, of which a tile's causal limit spares nearly half as
 * tiles get narrow (3/8 at four tiles). Floors on an H200 (780 TFLOP/s, 4.3 TB/s; measured
 * elsewhere) at C 2048, 16 heads, R 8192, T 1024 in bf16, four tiles: 43 and 107 GFLOP, 55 and
 * 138 us; bytes that must move, qkv and out and their gradients: 134 and 268 MB, 31 and 62 us. More
 * than these floors cost the softmax between the products (cuda_softmax.h), where the scores do not
 * stay in the L2, and the launches, 96 and 208 of a few microseconds each.
 */

/*
 * Bound of one tile's scores, in bytes: two of them (backward's) and the operands stay in the L2 of
 * an H100 or H200, 50 MB, or of an A100, 40 MB. What else backward takes, sums of the gradients of
 * a chunk's keys, is as long as these.
 */
#define CUDA_ATTENTION_TILE_BYTES ((uint64_t)16 << 20)

/* Sizes, and where the parts of matrix i of the inner and the outer loop lie, in elements. */
struct cuda_attention_tiling {
    uint64_t length, depth, width;
    uint64_t outer, inner; /* B and H: the smaller is looped over, the larger batched */
    uint64_t chunk;        /* how many of the inner a product takes at once */
    uint64_t rows;         /* queries of a tile; the last may have fewer */
    uint64_t stride;       /* floats from a row of scores to the next */
    uint64_t quantum;      /* keys are taken in multiples of it */
    struct cuda_attention_steps {
        uint64_t qkv, out, stats;
    } outer_step, inner_step;
};

/* `bytes`: the bound; kept unless a single row of one head is longer. */
struct cuda_attention_tiling cuda_attention_tiling_of(const struct model_shape *shape,
                                                      uint64_t bytes);
/* The keys that a tile of `rows` queries from `first` on takes: at least up to its last query. */
uint64_t cuda_attention_keys(const struct cuda_attention_tiling *tiling, uint64_t first,
                             uint64_t rows);

uint64_t cuda_attention_workspace_bytes(const struct backend_request *request);
/* Plans the products. */
enum status cuda_attention_plan(struct cuda_products *products,
                                const struct backend_request *request,
                                struct diag *diag) STATUS_CHECKED;

#endif
