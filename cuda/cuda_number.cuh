#ifndef RANKLEDGER_CUDA_NUMBER_CUH
#define RANKLEDGER_CUDA_NUMBER_CUH

#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <float.h>
#include <stdint.h>

/*
 * What the kernels share: elements in groups that travel in one access, their numbers as fp32, and
 * sums over a warp and a block.
 *
 * An array is walked group by group. Where an array does not begin at a group's border, the groups
 * are laid so that their borders are: the first begins `lead` elements before the array, and it
 * and the last are only partly inside. Such groups, and arrays that lie askew to the one the
 * groups are laid for, are read and written element by element.
 */

/* N neighbouring elements; N sizeof(T) is at most 16, the widest access there is. */
template <typename T, int N> struct alignas(N * sizeof(T)) cuda_number_group {
    T value[N];
};

/* Elements of the widest access. */
template <typename T> constexpr int cuda_number_widest = 16 / (int)sizeof(T);

__host__ __device__ inline uint64_t cuda_number_ceiling(uint64_t count, uint64_t part)
{
    return (count + part - 1) / part;
}

/* How many elements `array` begins behind the border of a group. */
template <typename T, int N> __host__ __device__ inline int cuda_number_lead(const void *array)
{
    return (int)((uintptr_t)array % (N * sizeof(T)) / sizeof(T));
}

/* Whether groups that begin `lead` elements before `array` have their borders where accesses may
 * begin. */
template <typename T, int N>
__host__ __device__ inline bool cuda_number_aligned(const void *array, int lead)
{
    return ((uintptr_t)array - (uintptr_t)lead * sizeof(T)) % (N * sizeof(T)) == 0;
}

/* Whether rows of `width` elements that lie one behind another from `array` on are made of whole
 * groups. */
template <typename T>
__host__ __device__ inline bool cuda_number_whole_rows(const void *array, uint64_t width)
{
    constexpr int N = cuda_number_widest<T>;
    return width % N == 0 && cuda_number_aligned<T, N>(array, 0);
}

/* Whether the group that begins with element `first` lies inside of `count` elements. */
template <int N> __device__ inline bool cuda_number_inside(int64_t first, int64_t count)
{
    return first >= 0 && first <= count - N;
}

/*
 * The elements [first, first + N) of `count`. `whole`: the group is inside and aligned, one access;
 * otherwise element by element, with 0 for what is outside.
 */
template <bool whole, typename T, int N>
__device__ inline cuda_number_group<T, N> cuda_number_load(const T *from, int64_t first,
                                                           int64_t count)
{
    if constexpr (whole) {
        return *(const cuda_number_group<T, N> *)(from + first);
    } else {
        cuda_number_group<T, N> group = {};
        for (int i = 0; i < N; i++)
            if ((uint64_t)(first + i) < (uint64_t)count)
                group.value[i] = from[first + i];
        return group;
    }
}

/* The reverse; what is outside is left out. */
template <bool whole, typename T, int N>
__device__ inline void cuda_number_store(T *to, int64_t first, int64_t count,
                                         const cuda_number_group<T, N> &group)
{
    if constexpr (whole) {
        *(cuda_number_group<T, N> *)(to + first) = group;
    } else {
        for (int i = 0; i < N; i++)
            if ((uint64_t)(first + i) < (uint64_t)count)
                to[first + i] = group.value[i];
    }
}

__device__ inline float cuda_number_widen(float value)
{
    return value;
}

__device__ inline float cuda_number_widen(__nv_bfloat16 value)
{
    return __bfloat162float(value);
}

/* To the nearest T, ties to even. */
template <typename T> __device__ inline T cuda_number_narrow(float value);

template <> __device__ inline float cuda_number_narrow<float>(float value)
{
    return value;
}

template <> __device__ inline __nv_bfloat16 cuda_number_narrow<__nv_bfloat16>(float value)
{
    return __float2bfloat16_rn(value);
}

__device__ inline bool cuda_number_finite(float value)
{
    return fabsf(value) <= FLT_MAX;
}

/* The sum over a warp, the same bits in every lane: each step adds the same two numbers in both
 * lanes of a pair. */
template <typename T> __device__ inline T cuda_number_warp_sum(T value)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_xor_sync(0xFFFFFFFFu, value, distance);
    return value;
}

/*
 * The sum over a block of whole warps, to all of its threads, in an order that depends on nothing
 * but the block's size. `shared`: one place a warp, which may be used again at once.
 */
template <typename T> __device__ inline T cuda_number_block_sum(T value, T *shared)
{
    const unsigned warps = blockDim.x / 32;
    value = cuda_number_warp_sum(value);
    if (warps == 1)
        return value;
    __syncthreads(); /* everybody has read the last sum */
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = value;
    __syncthreads();
    T sum = 0;
    for (unsigned warp = 0; warp < warps; warp++)
        sum += shared[warp];
    return sum;
}

/* Likewise the greatest number; a NaN is passed over. */
__device__ inline float cuda_number_block_maximum(float value, float *shared)
{
    const unsigned warps = blockDim.x / 32;
    for (int distance = 16; distance > 0; distance /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xFFFFFFFFu, value, distance));
    if (warps == 1)
        return value;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = value;
    __syncthreads();
    float most = shared[0];
    for (unsigned warp = 1; warp < warps; warp++)
        most = fmaxf(most, shared[warp]);
    return most;
}

/* Threads, in whole warps, that take `groups` with `held` of them a thread; at most `most`. */
inline unsigned cuda_number_threads(uint64_t groups, uint64_t held, unsigned most)
{
    const uint64_t threads = cuda_number_ceiling(cuda_number_ceiling(groups, held), 32) * 32;
    return threads < most ? (unsigned)threads : most;
}

#endif
