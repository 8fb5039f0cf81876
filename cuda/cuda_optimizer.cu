#include "cuda_optimizer.h"

#include "cuda_launch.cuh"
#include "cuda_number.cuh"
#include "training.h"

/*
 * Streams of numbers: what bounds them is memory. Floors at 4.3 TB/s. 256 threads a block: eight of
 * them fill a multiprocessor's 2048 threads if a thread needs at most 32 registers, five with 48,
 * and a block that ends is soon replaced.
 */
#define BLOCK_THREADS 256

/* --- accumulate, narrow --- */

template <bool whole, typename To, typename From, int N>
__device__ static inline void copy_group(const struct cuda_optimizer_copy &copy, int64_t first)
{
    const int64_t count = (int64_t)copy.count;
    To *to = (To *)copy.to;
    const cuda_number_group<From, N> from =
        cuda_number_load<whole, From, N>((const From *)copy.from, first, count);
    cuda_number_group<To, N> sum;
    if (copy.add)
        sum = cuda_number_load<whole, To, N>(to, first, count);
    for (int i = 0; i < N; i++) {
        const float added = cuda_number_widen(from.value[i]);
        sum.value[i] =
            cuda_number_narrow<To>(copy.add ? cuda_number_widen(sum.value[i]) + added : added);
    }
    cuda_number_store<whole, To, N>(to, first, count, sum);
}

/*
 * One group a thread, laid for `to`. Bytes an element, setting and adding: bf16 to bf16 4 and 6
 * (16-byte accesses), bf16 to fp32 6 and 10, fp32 to bf16 6 and 8 (of bf16 8 bytes a thread, so
 * that a warp's access stays one span), fp32 to fp32 8 and 12. Of 10^9 elements bf16 into fp32:
 * 2.3 ms.
 */
template <typename To, typename From, int N>
static __global__ void __launch_bounds__(BLOCK_THREADS) copy_kernel(struct cuda_optimizer_copy copy)
{
    const int lead = cuda_number_lead<To, N>(copy.to);
    const int64_t group = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    const int64_t first = group * N - lead;
    if (first >= (int64_t)copy.count)
        return;
    if (cuda_number_inside<N>(first, (int64_t)copy.count) &&
        cuda_number_aligned<From, N>(copy.from, lead))
        copy_group<true, To, From, N>(copy, first);
    else
        copy_group<false, To, From, N>(copy, first);
}

/* Blocks of one group of N a thread, wherever the first begins. */
static unsigned blocks_of(uint64_t count, uint64_t group)
{
    return (unsigned)cuda_number_ceiling(count + group - 1, group * BLOCK_THREADS);
}

template <typename To, typename From>
static cudaError_t launch_copy(const struct cuda_optimizer_copy *copy, cudaStream_t stream)
{
    /* As many as the larger of the two allows. */
    constexpr int N = 16 / (int)(sizeof(To) > sizeof(From) ? sizeof(To) : sizeof(From));
    return cuda_launch(copy_kernel<To, From, N>, blocks_of(copy->count, N), BLOCK_THREADS, stream,
                       *copy);
}

extern "C" cudaError_t cuda_optimizer_copy(const struct cuda_optimizer_copy *copy,
                                           cudaStream_t stream)
{
    if (copy->count == 0)
        return cudaSuccess;
    if (copy->to_bf16)
        return copy->from_bf16 ? launch_copy<__nv_bfloat16, __nv_bfloat16>(copy, stream)
                               : launch_copy<__nv_bfloat16, float>(copy, stream);
    return copy->from_bf16 ? launch_copy<float, __nv_bfloat16>(copy, stream)
                           : launch_copy<float, float>(copy, stream);
}

/* --- squared norm and clipping --- */

/* Blocks of the first pass, each with one partial sum: eight a multiprocessor of 132. */
#define SQUARE_BLOCKS 1056

extern "C" uint64_t cuda_optimizer_workspace_bytes(void)
{
    return SQUARE_BLOCKS * sizeof(double);
}

/*
 * Partial sums of squares, one a block; which thread adds what follows from the count alone. fp64
 * from the product on: the square of a bf16 number can leave the range of fp32. Bytes an element: 2
 * or 4; of 10^9 in bf16: 0.47 ms. The conversions to fp64, 16 a cycle on a multiprocessor, take
 * 0.28 ms.
 */
template <typename T>
static __global__ void __launch_bounds__(BLOCK_THREADS)
    square_kernel(double *parts, const T *gradient, int64_t count)
{
    constexpr int N = cuda_number_widest<T>;
    __shared__ double shared[BLOCK_THREADS / 32];
    const int lead = cuda_number_lead<T, N>(gradient);
    const int64_t groups = (count + lead + N - 1) / N, step = (int64_t)gridDim.x * BLOCK_THREADS;
    double sum = 0;
    for (int64_t g = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x; g < groups; g += step) {
        const int64_t first = g * N - lead;
        const cuda_number_group<T, N> group =
            cuda_number_inside<N>(first, count)
                ? cuda_number_load<true, T, N>(gradient, first, count)
                : cuda_number_load<false, T, N>(gradient, first, count);
        for (int i = 0; i < N; i++) {
            const double x = (double)cuda_number_widen(group.value[i]);
            sum += x * x;
        }
    }
    sum = cuda_number_block_sum(sum, shared);
    if (threadIdx.x == 0)
        parts[blockIdx.x] = sum;
}

/* One block adds the partial sums, each thread in ascending order, then the threads. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    add_parts_kernel(double *total, const double *parts, unsigned count)
{
    __shared__ double shared[BLOCK_THREADS / 32];
    double sum = 0;
    for (unsigned i = threadIdx.x; i < count; i += BLOCK_THREADS)
        sum += parts[i];
    sum = cuda_number_block_sum(sum, shared);
    if (threadIdx.x == 0)
        *total += sum;
}

extern "C" cudaError_t cuda_optimizer_square_sum(double *sum, const void *gradient, uint64_t count,
                                                 bool bf16, void *workspace, cudaStream_t stream)
{
    if (count == 0)
        return cudaSuccess;
    const unsigned whole = blocks_of(count, bf16 ? 8 : 4);
    const unsigned blocks = whole < SQUARE_BLOCKS ? whole : SQUARE_BLOCKS;
    double *parts = (double *)workspace;
    const cudaError_t error =
        bf16 ? cuda_launch(square_kernel<__nv_bfloat16>, blocks, BLOCK_THREADS, stream, parts,
                           (const __nv_bfloat16 *)gradient, (int64_t)count)
             : cuda_launch(square_kernel<float>, blocks, BLOCK_THREADS, stream, parts,
                           (const float *)gradient, (int64_t)count);
    if (error != cudaSuccess)
        return error;
    return cuda_launch(add_parts_kernel, 1u, BLOCK_THREADS, stream, sum, (const double *)parts,
                       blocks);
}

/* One thread: a norm that is not finite gives a NaN, which tells adamw to change nothing. */
static __global__ void clip_kernel(float *scale, const double *square_sum, double max_norm)
{
    const double norm = sqrt(*square_sum);
    const double wanted = max_norm > 0 ? max_norm / (norm + TRAINING_CLIP_EPSILON) : 1;
    const double result = wanted < 1 ? wanted : 1;
    *scale = norm <= DBL_MAX ? (float)result : nanf("");
}

extern "C" cudaError_t cuda_optimizer_clip(float *scale, const double *square_sum, double max_norm,
                                           cudaStream_t stream)
{
    return cuda_launch(clip_kernel, 1u, 1u, stream, scale, square_sum, max_norm);
}

/* --- AdamW --- */

/* A run's arrays as the kernel takes them. G: the gradient's type, T: the copy's. */
template <typename G, typename T> struct adamw_run {
    float *weight, *moment1, *moment2;
    const G *gradient;
    T *typed_copy; /* NULL: none */
    int64_t count;
    struct backend_adamw how;
};

/* 16-byte accesses of fp32. Of bf16 they are 8 bytes, so that a warp's access stays one span. */
#define ADAMW_GROUP 4

template <bool whole, typename G, typename T>
__device__ static inline void adamw_group(const adamw_run<G, T> &run, int64_t first, float scale)
{
    constexpr int N = ADAMW_GROUP;
    using numbers = cuda_number_group<float, N>;
    const numbers weight = cuda_number_load<whole, float, N>(run.weight, first, run.count);
    const numbers moment1 = cuda_number_load<whole, float, N>(run.moment1, first, run.count);
    const numbers moment2 = cuda_number_load<whole, float, N>(run.moment2, first, run.count);
    const cuda_number_group<G, N> gradient =
        cuda_number_load<whole, G, N>(run.gradient, first, run.count);
    const float decay = run.how.learning_rate * run.how.weight_decay;
    const float step = run.how.learning_rate / run.how.correction1;
    const float unbias = 1.0f / sqrtf(run.how.correction2);
    numbers w, m, v;
    cuda_number_group<T, N> typed;
    for (int i = 0; i < N; i++) {
        const float g = cuda_number_widen(gradient.value[i]) * scale;
        m.value[i] = run.how.beta1 * moment1.value[i] + (1.0f - run.how.beta1) * g;
        v.value[i] = run.how.beta2 * moment2.value[i] + (1.0f - run.how.beta2) * g * g;
        w.value[i] =
            weight.value[i] - (decay * weight.value[i] +
                               step * m.value[i] / (sqrtf(v.value[i]) * unbias + run.how.epsilon));
        typed.value[i] = cuda_number_narrow<T>(w.value[i]);
    }
    cuda_number_store<whole, float, N>(run.weight, first, run.count, w);
    cuda_number_store<whole, float, N>(run.moment1, first, run.count, m);
    cuda_number_store<whole, float, N>(run.moment2, first, run.count, v);
    if (run.typed_copy != nullptr)
        cuda_number_store<whole, T, N>(run.typed_copy, first, run.count, typed);
}

/*
 * One group a thread, laid for the weights; one access an array where all lie alike. Bytes a
 * parameter: weight and moments read and written 24, gradient 2 or 4, copy 2: 28 in bf16, so 10^9
 * parameters take 6.5 ms.
 */
template <typename G, typename T>
static __global__ void __launch_bounds__(BLOCK_THREADS)
    adamw_kernel(adamw_run<G, T> run, const float *scale)
{
    constexpr int N = ADAMW_GROUP;
    const int lead = cuda_number_lead<float, N>(run.weight);
    const int64_t group = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    const int64_t first = group * N - lead;
    const float factor = *scale;
    if (first >= run.count || !cuda_number_finite(factor))
        return;
    const bool alike =
        cuda_number_aligned<float, N>(run.moment1, lead) &&
        cuda_number_aligned<float, N>(run.moment2, lead) &&
        cuda_number_aligned<G, N>(run.gradient, lead) &&
        (run.typed_copy == nullptr || cuda_number_aligned<T, N>(run.typed_copy, lead));
    if (alike && cuda_number_inside<N>(first, run.count))
        adamw_group<true>(run, first, factor);
    else
        adamw_group<false>(run, first, factor);
}

template <typename G, typename T>
static cudaError_t launch_adamw(const struct backend_update *update,
                                const struct backend_adamw *how, cudaStream_t stream)
{
    const adamw_run<G, T> run = {
        update->weight, update->moment1, update->moment2, (const G *)update->gradient,
        /* in fp32 the copy can be the weights themselves */
        update->typed_copy == (void *)update->weight ? nullptr : (T *)update->typed_copy,
        (int64_t)update->count, *how};
    return cuda_launch(adamw_kernel<G, T>, blocks_of(update->count, ADAMW_GROUP), BLOCK_THREADS,
                       stream, run, update->scale);
}

extern "C" cudaError_t cuda_optimizer_adamw(const struct backend_update *update,
                                            const struct backend_adamw *how, bool bf16,
                                            cudaStream_t stream)
{
    if (update->count == 0)
        return cudaSuccess;
    if (!bf16)
        return launch_adamw<float, float>(update, how, stream);
    return update->typed ? launch_adamw<__nv_bfloat16, __nv_bfloat16>(update, how, stream)
                         : launch_adamw<float, __nv_bfloat16>(update, how, stream);
}
