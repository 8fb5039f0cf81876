#ifndef RANKLEDGER_CUDA_EMBEDDING_PARTS_CUH
#define RANKLEDGER_CUDA_EMBEDDING_PARTS_CUH

#include "cuda_embedding.h"
#include "cuda_number.cuh"

/* What the embedding's files share. */

/* The token of row b T + t; tokens has T + 1 columns. */
__device__ inline uint64_t cuda_embedding_token(const int32_t *tokens, uint64_t row,
                                                uint64_t length)
{
    return (uint64_t)tokens[row + row / length];
}

/* gradient = sum, or += sum; rounded once. */
template <bool whole, typename T, int N>
__device__ inline void cuda_embedding_put(T *gradient, const float (&sum)[N], int first, int width,
                                          bool add)
{
    cuda_number_group<T, N> group;
    if (add)
        group = cuda_number_load<whole, T, N>(gradient, first, width);
    for (int i = 0; i < N; i++)
        group.value[i] =
            cuda_number_narrow<T>(add ? cuda_number_widen(group.value[i]) + sum[i] : sum[i]);
    cuda_number_store<whole, T, N>(gradient, first, width, group);
}

/* cuda_embedding_tokens.cu: dwte += the rows of dout that have the token. */
cudaError_t cuda_embedding_add_tokens(const struct cuda_embedding_backward *embedding,
                                      cudaStream_t stream);

#endif
