#include "cuda_workspace.h"

#include <stddef.h>

#include "backend_cuda.h"
#include "cuda_attention.h"
#include "cuda_embedding.h"
#include "cuda_linear.h"
#include "cuda_norm.h"
#include "cuda_optimizer.h"
#include "cuda_rate.h"

static uint64_t operator_bytes(const struct backend_request *request)
{
    const uint64_t needs[] = {
        cuda_attention_workspace_bytes(request),
        cuda_embedding_workspace_bytes(request),
        cuda_linear_workspace_bytes(request),
        cuda_norm_workspace_bytes(request),
        cuda_optimizer_workspace_bytes(),
        cuda_rate_workspace_bytes(request),
    };
    uint64_t most = 0;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        most = needs[i] > most ? needs[i] : most;
    return most;
}

uint64_t cuda_workspace_bytes(const struct backend_request *request)
{
    const uint64_t slack = CUDA_WORKSPACE_ALIGNMENT - 64;
    return slack + CUDA_WORKSPACE_PRODUCT_BYTES + cuda_workspace_aligned(operator_bytes(request));
}

void *cuda_workspace_product(const struct backend_cuda *cuda)
{
    const uintptr_t over = (uintptr_t)cuda->workspace % CUDA_WORKSPACE_ALIGNMENT;
    return cuda->workspace + (over == 0 ? 0 : CUDA_WORKSPACE_ALIGNMENT - over);
}

void *cuda_workspace_operator(const struct backend_cuda *cuda)
{
    return (unsigned char *)cuda_workspace_product(cuda) + CUDA_WORKSPACE_PRODUCT_BYTES;
}
