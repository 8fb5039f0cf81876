#ifndef RANKLEDGER_CUDA_FILL_H
#define RANKLEDGER_CUDA_FILL_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Small varied numbers, to[i] = (i mod 17 - 8) / 8, for what is measured and not looked at. */
cudaError_t cuda_fill(void *to, uint64_t count, bool bf16, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
