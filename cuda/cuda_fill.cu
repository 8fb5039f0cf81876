#include "cuda_fill.h"

#include "cuda_launch.cuh"
#include "cuda_number.cuh"

#define BLOCK_THREADS 256

template <typename T>
static __global__ void __launch_bounds__(BLOCK_THREADS) fill_kernel(T *to, uint64_t count)
{
    const uint64_t i = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i < count)
        to[i] = cuda_number_narrow<T>(((float)(i % 17) - 8.0f) / 8.0f);
}

template <typename T> static cudaError_t launch(void *to, uint64_t count, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)cuda_number_ceiling(count, BLOCK_THREADS);
    return cuda_launch(fill_kernel<T>, blocks, BLOCK_THREADS, stream, (T *)to, count);
}

extern "C" cudaError_t cuda_fill(void *to, uint64_t count, bool bf16, cudaStream_t stream)
{
    return bf16 ? launch<__nv_bfloat16>(to, count, stream) : launch<float>(to, count, stream);
}
