#ifndef RANKLEDGER_CUDA_NORM_H
#define RANKLEDGER_CUDA_NORM_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda_runtime.h>

#include "backend.h"

/*
 * Kernels of the layer norm, as backend.h describes them; started on a stream, they return what the
 * launch said. Typed memory is bf16 or fp32.
 */
#ifdef __cplusplus
extern "C" {
#endif

struct cuda_norm_forward {
    bool bf16;
    uint64_t rows, width;
    void *out;
    float *stats;
    const void *x, *weight, *bias;
};

cudaError_t cuda_norm_forward(const struct cuda_norm_forward *norm, cudaStream_t stream);

/* What is NULL among the gradients is not wanted. */
struct cuda_norm_backward {
    bool bf16;
    uint64_t rows, width;
    void *dx, *dweight, *dbias;
    const void *dout, *x, *weight;
    const float *stats;
    bool accumulate; /* dweight and dbias */
    bool set;        /* dx; otherwise it is added to */
    void *workspace;
};

/* Scratch of the backward pass. */
uint64_t cuda_norm_workspace_bytes(const struct backend_request *request);
cudaError_t cuda_norm_backward(const struct cuda_norm_backward *norm, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
