#ifndef RANKLEDGER_CUDA_WORKSPACE_H
#define RANKLEDGER_CUDA_WORKSPACE_H

#include <stdint.h>

#include "backend.h"

/*
 * The operators' scratch, laid out once: cuBLASLt's, then a part that one operator at a time uses
 * as it likes. Both begin at multiples of 256 bytes; the backend is promised multiples of 64, so
 * that the rest is slack.
 */
struct backend_cuda;

/*
 * What cuBLAS itself takes on Hopper and later ("cublasSetWorkspace": 32 MiB, 4 MiB before), and
 * what split sums of a weight's gradient need there.
 */
#define CUDA_WORKSPACE_PRODUCT_BYTES ((uint64_t)32 << 20)
/* cudaMalloc's own alignment, and the one cuBLASLt's heuristic assumes by default. */
#define CUDA_WORKSPACE_ALIGNMENT 256u

/* Bytes of the whole for what a backend is made for; needs no device. */
uint64_t cuda_workspace_bytes(const struct backend_request *request);
/* cuBLASLt's part. */
void *cuda_workspace_product(const struct backend_cuda *cuda);
/* The part of the operator that is being asked for: as many bytes as the largest
 * cuda_OPERATOR_workspace_bytes. */
void *cuda_workspace_operator(const struct backend_cuda *cuda);

/* The next multiple of the alignment, for the parts of an operator's own layout. */
static inline uint64_t cuda_workspace_aligned(uint64_t bytes)
{
    return (bytes + CUDA_WORKSPACE_ALIGNMENT - 1) / CUDA_WORKSPACE_ALIGNMENT *
           CUDA_WORKSPACE_ALIGNMENT;
}

#endif
