#ifndef RANKLEDGER_CUDA_LOSS_H
#define RANKLEDGER_CUDA_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda_runtime.h>

/*
 * Kernels of the loss, as backend.h describes them; started on a stream, they return what the
 * launch said.
 */
#ifdef __cplusplus
extern "C" {
#endif

struct cuda_loss {
    bool bf16;
    uint64_t rows, length, vocab; /* B T, T, V */
    float *losses;                /* [rows] */
    void *logits;                 /* typed [rows, V]; become the gradient */
    const int32_t *tokens;        /* [B, T+1] */
    float scale;
};

cudaError_t cuda_loss_cross_entropy(const struct cuda_loss *loss, cudaStream_t stream);

/* *sum += sum of losses[rows] */
cudaError_t cuda_loss_sum(double *sum, const float *losses, uint64_t rows, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
