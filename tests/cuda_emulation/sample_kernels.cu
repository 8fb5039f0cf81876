#include "sample_kernels.h"

#include <cuda_bf16.h>

#include "cuda_launch.cuh"

#define FULL 0xffffffffu

static __device__ float warp_sum(float value)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_xor_sync(FULL, value, distance);
    return value;
}

static __global__ void __launch_bounds__(256) block_sums(float *sums, const float *numbers)
{
    __shared__ float partial[8];
    const float mine = warp_sum(numbers[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x < 32) {
        const float all = warp_sum(threadIdx.x < 8 ? partial[threadIdx.x] : 0.0f);
        if (threadIdx.x == 0)
            sums[blockIdx.x] = all;
    }
}

template <typename T> static __global__ void transpose(T *to, const T *from, unsigned side)
{
    __shared__ T tile[32][33];
    const unsigned column = blockIdx.x * 32 + threadIdx.x;
    for (unsigned row = threadIdx.y; row < 32; row += blockDim.y)
        tile[row][threadIdx.x] = from[(blockIdx.y * 32 + row) * side + column];
    __syncthreads();
    const unsigned across = blockIdx.y * 32 + threadIdx.x;
    for (unsigned row = threadIdx.y; row < 32; row += blockDim.y)
        to[(blockIdx.x * 32 + row) * side + across] = tile[threadIdx.x][row];
}

static __global__ void doubled(float *to, const float *from, unsigned groups, unsigned skip)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= groups)
        return;
    const float4 four = reinterpret_cast<const float4 *>(from + skip)[i];
    const float4 twice = make_float4(2 * four.x, 2 * four.y, 2 * four.z, 2 * four.w);
    reinterpret_cast<float4 *>(to + skip)[i] = twice;
}

static __global__ void all_shuffles(float *to)
{
    const float lane = (float)threadIdx.x;
    to[threadIdx.x] = __shfl_sync(FULL, lane, 3, 8);
    to[32 + threadIdx.x] = __shfl_down_sync(FULL, lane, 2, 8);
    to[64 + threadIdx.x] = __shfl_up_sync(FULL, lane, 2, 8);
    to[96 + threadIdx.x] = __shfl_xor_sync(FULL, lane, 4, 8);
}

static __global__ void rounded(float *values)
{
    values[threadIdx.x] = __bfloat162float(__float2bfloat16_rn(values[threadIdx.x]));
}

static __global__ void outside(float *to, const float *from, unsigned count, bool before)
{
    if (threadIdx.x == 33)
        to[before ? -1 : 0] = from[before ? 0 : count];
}

static __global__ void barriers(float *to, sample_mistake mistake)
{
    if (mistake == SAMPLE_EXIT_AT_BARRIER && threadIdx.x == 40)
        return;
    if (mistake == SAMPLE_TWO_BARRIERS && threadIdx.x >= 32)
        __syncthreads();
    else
        __syncthreads();
    to[threadIdx.x] = 1.0f;
}

static __global__ void shuffles(float *to, sample_mistake mistake)
{
    const unsigned lane = threadIdx.x % 32;
    if (mistake == SAMPLE_EXIT_AT_SHUFFLE && lane == 5)
        return;
    if (mistake == SAMPLE_SHUFFLE_AND_BARRIER && lane == 5)
        __syncthreads();
    unsigned mask = FULL;
    if (mistake == SAMPLE_MASK_WITHOUT_SELF && lane == 3)
        mask = FULL & ~8u;
    if (mistake == SAMPLE_TWO_MASKS && lane >= 16)
        mask = 0xffff0000u;
    if (mistake == SAMPLE_LANE_NOT_NAMED)
        mask = lane < 16 ? 0xffffu : 0xffff0000u;
    to[threadIdx.x] = __shfl_xor_sync(mask, (float)lane, 16);
}

/* Its last warp has 8 lanes. */
static __global__ void part_of_a_warp(float *to)
{
    to[threadIdx.x] = __shfl_xor_sync(FULL, 1.0f, 1);
}

static __global__ void shared(float *to, sample_mistake mistake)
{
    __shared__ float few[64];
    float *mine = few + threadIdx.x;
    if (mistake == SAMPLE_SHARED_BEHIND)
        mine++;
    if (mistake != SAMPLE_SHARED_UNWRITTEN)
        *mine = (float)threadIdx.x;
    if (mistake != SAMPLE_SHARED_NO_BARRIER)
        __syncthreads();
    to[threadIdx.x] = few[63 - threadIdx.x];
    __syncthreads();
    few[threadIdx.x] = 0.0f;
}

static __global__ void shared_askew(float *to, unsigned skip)
{
    __shared__ __align__(16) float few[68];
    few[threadIdx.x] = 0.0f;
    __syncthreads();
    const float4 four = *reinterpret_cast<const float4 *>(few + skip);
    to[threadIdx.x] = four.x + four.w;
}

static __global__ void races(float *to, sample_mistake mistake)
{
    const unsigned i = threadIdx.x, other = (i + 32) % 64;
    if (mistake == SAMPLE_BLOCKS_WRITE)
        to[i] = 1.0f;
    if (mistake == SAMPLE_BLOCK_READS && i == 0)
        to[blockIdx.x] = blockIdx.x == 0 ? 1.0f : to[0];
    if (mistake == SAMPLE_BLOCK_WRITES && i == 0)
        to[blockIdx.x == 0 ? 1 : 0] = blockIdx.x == 0 ? to[0] : 1.0f;
    if (blockIdx.x == 0 && mistake == SAMPLE_WARP_READS)
        to[i] = i < 32 ? 1.0f : to[other];
    if (blockIdx.x == 0 && mistake == SAMPLE_WARP_WRITES)
        to[i] = i < 32 ? to[other] : 1.0f;
    if (blockIdx.x == 1 && mistake == SAMPLE_NONE) {
        to[i] = 1.0f;
        __syncthreads();
        const float found = to[other];
        __syncthreads();
        to[i] = found;
    }
}

static __global__ void order(float *to)
{
    to[threadIdx.x] = threadIdx.x == 0 ? 0.0f : 1.0f + to[threadIdx.x - 1];
}

static __global__ void empty()
{
}

cudaError_t sample_block_sums(float *sums, const float *numbers, unsigned count,
                              cudaStream_t stream)
{
    return cuda_launch(block_sums, count / 256, 256, stream, sums, numbers);
}

cudaError_t sample_transpose(float *to, const float *from, unsigned side, cudaStream_t stream)
{
    return cuda_launch(transpose<float>, dim3(side / 32, side / 32), dim3(32, 8), stream, to, from,
                       side);
}

cudaError_t sample_double(float *to, const float *from, unsigned groups, unsigned skip,
                          cudaStream_t stream)
{
    return cuda_launch(doubled, (groups + 127) / 128, 128, stream, to, from, groups, skip);
}

cudaError_t sample_shuffles(float *to, cudaStream_t stream)
{
    return cuda_launch(all_shuffles, 1, 32, stream, to);
}

cudaError_t sample_round(float *values, unsigned count, cudaStream_t stream)
{
    return cuda_launch(rounded, 1, count, stream, values);
}

cudaError_t sample_mistake_run(enum sample_mistake mistake, float *to, const float *from,
                               unsigned count, cudaStream_t stream)
{
    switch (mistake) {
    case SAMPLE_READ_BEHIND:
    case SAMPLE_WRITE_BEFORE:
        return cuda_launch(outside, 1, 64, stream, to, from, count, mistake == SAMPLE_WRITE_BEFORE);
    case SAMPLE_NONE:
    case SAMPLE_BLOCKS_WRITE:
    case SAMPLE_BLOCK_READS:
    case SAMPLE_BLOCK_WRITES:
    case SAMPLE_WARP_READS:
    case SAMPLE_WARP_WRITES:
        return cuda_launch(races, 2, 64, stream, to, mistake);
    case SAMPLE_EXIT_AT_BARRIER:
    case SAMPLE_TWO_BARRIERS:
        return cuda_launch(barriers, 1, 64, stream, to, mistake);
    case SAMPLE_MASK_NOT_RUNNING:
        return cuda_launch(part_of_a_warp, 1, 40, stream, to);
    case SAMPLE_SHARED_ASKEW:
        return cuda_launch(shared_askew, 1, 64, stream, to, 1);
    case SAMPLE_SHARED_BEHIND:
    case SAMPLE_SHARED_NO_BARRIER:
    case SAMPLE_SHARED_UNWRITTEN:
        return cuda_launch(shared, 1, 64, stream, to, mistake);
    default:
        return cuda_launch(shuffles, 1, 64, stream, to, mistake);
    }
}

cudaError_t sample_order(float *to, cudaStream_t stream)
{
    return cuda_launch(order, 1, 32, stream, to);
}

cudaError_t sample_empty(dim3 blocks, dim3 threads, cudaStream_t stream)
{
    return cuda_launch(empty, blocks, threads, stream);
}
