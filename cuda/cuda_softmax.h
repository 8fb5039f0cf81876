#ifndef RANKLEDGER_CUDA_SOFTMAX_H
#define RANKLEDGER_CUDA_SOFTMAX_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The causal softmax of a tile of attention, between its products, and its gradient. A tile is
 * `batch` matrices of scaled scores, fp32, of `rows` queries and `keys` keys; query r sees the keys
 * up to first_row + r. Rows are padded to `stride`, a multiple of CUDA_SOFTMAX_GROUP floats.
 * Probabilities and gradients of scores are typed and written over the scores: in bf16 they fill
 * the first half of a row, so that their stride is 2 `stride`. What a query does not see becomes 0.
 */
#define CUDA_SOFTMAX_GROUP 8

struct cuda_softmax_tile {
    float *scores; /* 16-byte aligned */
    uint64_t batch, rows, keys, stride;
    uint64_t first_row;
    float *stats; /* of the first matrix' first query: the logarithm of the sum of exponentials */
    uint64_t stats_step; /* from a matrix to the next */
};

/*
 * Scores become probabilities; stats are written. Per score that is seen it reads 4 bytes and
 * writes s, plus s for what is not seen below `keys`; about 8 FLOPs. The tiles are small enough for
 * the L2, so that the memory's speed is no floor; at that speed (4.3 TB/s), C 2048, 16 heads,
 * R 8192, T 1024 in bf16: 16 R T / 2 scores, 6 bytes, 94 us.
 */
cudaError_t cuda_softmax_forward(const struct cuda_softmax_tile *tile, bool bf16,
                                 cudaStream_t stream);

/* Rows of the heads, as the products see them: typed, `row` elements from a query to the next,
 * `step` from a matrix to the next. */
struct cuda_softmax_outputs {
    const void *out, *dout;
    uint64_t depth, row, step;
};

/*
 * Scores become probabilities, and `gradients` (those of the probabilities, fp32, lying like the
 * scores) become those of the scaled scores: p (dp - sum of p dp), where that sum is dout . out.
 * Per score that is seen it reads 8 bytes and writes 2 s: twice forward's.
 */
cudaError_t cuda_softmax_backward(const struct cuda_softmax_tile *tile, float *gradients,
                                  const struct cuda_softmax_outputs *outputs, bool bf16,
                                  cudaStream_t stream);

/* Sums in fp32 [batch, length, depth] to bf16, `row` elements from a key to the next and `step`
 * from a matrix to the next. 6 bytes an element. */
struct cuda_softmax_narrow {
    void *to;
    const float *from;
    uint64_t batch, length, depth, row, step;
};
cudaError_t cuda_softmax_narrow(const struct cuda_softmax_narrow *narrow, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
