#ifndef RANKLEDGER_CUDA_EMBEDDING_H
#define RANKLEDGER_CUDA_EMBEDDING_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda_runtime.h>

#include "backend.h"

/*
 * Kernels of the embedding, as backend.h describes them; started on a stream, they return what the
 * first launch said that failed.
 */
#ifdef __cplusplus
extern "C" {
#endif

struct cuda_embedding_forward {
    bool bf16;
    uint64_t rows, length, width; /* B T, T, C */
    const int32_t *tokens;        /* [B, T+1] */
    void *out;
    const void *wte, *wpe;
};

cudaError_t cuda_embedding_forward(const struct cuda_embedding_forward *embedding,
                                   cudaStream_t stream);

/* What is NULL among the gradients is not wanted. */
struct cuda_embedding_backward {
    bool bf16;
    uint64_t rows, length, width;
    const int32_t *tokens;
    void *dwte; /* added to */
    void *dwpe; /* added to if `accumulate` says so */
    const void *dout;
    bool accumulate;
    void *workspace; /* 16-byte aligned */
};

/* Scratch of the backward pass. */
uint64_t cuda_embedding_workspace_bytes(const struct backend_request *request);
cudaError_t cuda_embedding_backward(const struct cuda_embedding_backward *embedding,
                                    cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
