#ifndef RANKLEDGER_CUDA_OPTIMIZER_H
#define RANKLEDGER_CUDA_OPTIMIZER_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda_runtime.h>

#include "backend.h"

/*
 * Kernels of the optimizer, as backend.h describes them. Each is started on a stream and returns
 * what the launch said. Counts in elements; the pointers may lie anywhere in a tensor.
 */
#ifdef __cplusplus
extern "C" {
#endif

/* A run of numbers on its way; of each side: bf16, or fp32. */
struct cuda_optimizer_copy {
    void *to;
    const void *from;
    uint64_t count;
    bool to_bf16, from_bf16;
    bool add; /* to what is there; otherwise it is set */
};

/* The operators accumulate and narrow. */
cudaError_t cuda_optimizer_copy(const struct cuda_optimizer_copy *copy, cudaStream_t stream);

/* Scratch of square_sum. */
uint64_t cuda_optimizer_workspace_bytes(void);
/* *sum += sum of squares of `count` numbers. */
cudaError_t cuda_optimizer_square_sum(double *sum, const void *gradient, uint64_t count, bool bf16,
                                      void *workspace, cudaStream_t stream);

cudaError_t cuda_optimizer_clip(float *scale, const double *square_sum, double max_norm,
                                cudaStream_t stream);

/* `bf16`: the backend's dtype; update->typed says whether the gradient is of it. */
cudaError_t cuda_optimizer_adamw(const struct backend_update *update,
                                 const struct backend_adamw *how, bool bf16, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
