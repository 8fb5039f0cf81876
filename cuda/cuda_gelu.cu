#include "cuda_gelu.h"

#include "cuda_launch.cuh"
#include "cuda_number.cuh"

#define BLOCK_THREADS 256

/*
 * With u = sqrt(2/pi) (x + 0.044715 x^3) and s = (1 + tanh u) / 2 = 1 / (1 + e^-2u), gelu is x s:
 * without the cancellation of 1 + tanh u, and right for infinite u.
 */
#define TWICE_ROOT 1.5957691216057308f /* 2 sqrt(2/pi) */
#define CUBIC 0.044715f

static __device__ inline float gelu_share(float x)
{
    return 1.0f / (1.0f + expf(-TWICE_ROOT * (x + CUBIC * x * x * x)));
}

/* s + x s', s' = 2 s (1 - s) u'. From 16 on s is 0 or 1 in fp32, and u' would become infinite. */
static __device__ inline float gelu_slope(float x)
{
    if (fabsf(x) > 16.0f)
        return x > 0.0f ? 1.0f : 0.0f;
    const float s = gelu_share(x);
    return s + x * s * (1.0f - s) * TWICE_ROOT * (1.0f + 3.0f * CUBIC * x * x);
}

template <bool whole, bool backward, typename T, int N>
static __device__ inline void gelu_group(const struct cuda_gelu &gelu, int64_t first)
{
    const int64_t count = (int64_t)gelu.count;
    T *to = (T *)gelu.to;
    const cuda_number_group<T, N> from =
        cuda_number_load<whole, T, N>((const T *)gelu.from, first, count);
    cuda_number_group<T, N> result;
    if constexpr (backward)
        result = cuda_number_load<whole, T, N>(to, first, count);
    for (int i = 0; i < N; i++) {
        const float x = cuda_number_widen(from.value[i]);
        result.value[i] = cuda_number_narrow<T>(
            backward ? cuda_number_widen(result.value[i]) * gelu_slope(x) : x * gelu_share(x));
    }
    cuda_number_store<whole, T, N>(to, first, count, result);
}

/* A group of 16 bytes a thread, as one access if all are `whole`. Groups are laid from the
 * beginning: nvcc joins the writes of a group only where its place is a multiple of a group's size
 * in the code itself, not where borders are found from the address. */
template <bool backward, typename T>
static __global__ void __launch_bounds__(BLOCK_THREADS)
    gelu_kernel(struct cuda_gelu gelu, bool whole)
{
    constexpr int N = cuda_number_widest<T>;
    const int64_t first = ((int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x) * N;
    if (first >= (int64_t)gelu.count)
        return;
    if (whole && cuda_number_inside<N>(first, (int64_t)gelu.count))
        gelu_group<true, backward, T, N>(gelu, first);
    else
        gelu_group<false, backward, T, N>(gelu, first);
}

template <bool backward, typename T>
static cudaError_t launch(const struct cuda_gelu *gelu, cudaStream_t stream)
{
    constexpr int N = cuda_number_widest<T>;
    const uint64_t blocks = cuda_number_ceiling(gelu->count, (uint64_t)N * BLOCK_THREADS);
    const bool whole =
        cuda_number_aligned<T, N>(gelu->to, 0) && cuda_number_aligned<T, N>(gelu->from, 0);
    return cuda_launch(gelu_kernel<backward, T>, (unsigned)blocks, BLOCK_THREADS, stream, *gelu,
                       whole);
}

extern "C" cudaError_t cuda_gelu_forward(const struct cuda_gelu *gelu, bool bf16,
                                         cudaStream_t stream)
{
    return bf16 ? launch<false, __nv_bfloat16>(gelu, stream) : launch<false, float>(gelu, stream);
}

extern "C" cudaError_t cuda_gelu_backward(const struct cuda_gelu *gelu, bool bf16,
                                          cudaStream_t stream)
{
    return bf16 ? launch<true, __nv_bfloat16>(gelu, stream) : launch<true, float>(gelu, stream);
}
