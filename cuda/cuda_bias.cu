#include "cuda_bias.h"

#include "cuda_launch.cuh"
#include "cuda_number.cuh"

/* --- spreading a bias over rows --- */

#define SPREAD_THREADS 256

template <bool whole, typename T, int N>
static __device__ inline void spread_group(const struct cuda_bias_spread &spread, int64_t first)
{
    const int64_t count = (int64_t)(spread.rows * spread.columns);
    const T *bias = (const T *)spread.bias;
    cuda_number_group<T, N> residual = {};
    if (spread.residual != nullptr)
        residual = cuda_number_load<whole, T, N>((const T *)spread.residual, first, count);
    uint64_t column = (uint64_t)first % spread.columns;
    for (int i = 0; i < N; i++) {
        const float added = cuda_number_widen(bias[column]);
        column = column + 1 < spread.columns ? column + 1 : 0;
        residual.value[i] = cuda_number_narrow<T>(
            spread.residual == nullptr ? added : added + cuda_number_widen(residual.value[i]));
    }
    cuda_number_store<whole, T, N>((T *)spread.out, first, count, residual);
}

/* A group of 16 bytes a thread, as one access if all are `whole`. The bias comes from the cache. */
template <typename T>
static __global__ void __launch_bounds__(SPREAD_THREADS)
    bias_spread_kernel(struct cuda_bias_spread spread, bool whole)
{
    constexpr int N = cuda_number_widest<T>;
    const int64_t count = (int64_t)(spread.rows * spread.columns);
    const int64_t first = ((int64_t)blockIdx.x * SPREAD_THREADS + threadIdx.x) * N;
    if (first >= count)
        return;
    if (whole && cuda_number_inside<N>(first, count))
        spread_group<true, T, N>(spread, first);
    else
        spread_group<false, T, N>(spread, first);
}

template <typename T>
static cudaError_t launch_spread(const struct cuda_bias_spread *spread, cudaStream_t stream)
{
    constexpr int N = cuda_number_widest<T>;
    const uint64_t blocks =
        cuda_number_ceiling(spread->rows * spread->columns, (uint64_t)N * SPREAD_THREADS);
    const bool whole =
        cuda_number_aligned<T, N>(spread->out, 0) && cuda_number_aligned<T, N>(spread->residual, 0);
    return cuda_launch(bias_spread_kernel<T>, (unsigned)blocks, SPREAD_THREADS, stream, *spread,
                       whole);
}

extern "C" cudaError_t cuda_bias_spread(const struct cuda_bias_spread *spread, bool bf16,
                                        cudaStream_t stream)
{
    return bf16 ? launch_spread<__nv_bfloat16>(spread, stream)
                : launch_spread<float>(spread, stream);
}

/* --- sums of columns --- */

/* A block takes a strip of columns, a warp's width of groups, and a slice of the rows, a warp a row
 * at a time. */
#define STRIP_GROUPS 32u
#define BLOCK_WARPS 8u
/* Blocks that keep an H200's 132 multiprocessors busy, four each. */
#define ENOUGH_BLOCKS 528u
/* Rows below which another slice is not worth its sums. */
#define SLICE_ROWS 64u

static uint64_t strips_of(uint64_t columns, uint64_t group)
{
    return cuda_number_ceiling(columns, group * STRIP_GROUPS);
}

static uint64_t slices_of(uint64_t rows, uint64_t strips)
{
    const uint64_t wanted = cuda_number_ceiling(ENOUGH_BLOCKS, strips);
    const uint64_t most = cuda_number_ceiling(rows, SLICE_ROWS);
    return wanted < most ? wanted : most;
}

extern "C" uint64_t cuda_bias_workspace_bytes(uint64_t rows, uint64_t columns)
{
    const uint64_t groups[] = {cuda_number_widest<float>, cuda_number_widest<__nv_bfloat16>};
    uint64_t most = 0;
    for (const uint64_t group : groups) {
        const uint64_t bytes = slices_of(rows, strips_of(columns, group)) * columns * sizeof(float);
        most = bytes > most ? bytes : most;
    }
    return most;
}

struct bias_slices {
    const void *matrix;
    float *partial; /* [slices, columns] */
    uint64_t rows, columns, strips, slice_rows;
};

/* Four rows at a time, so that their reads are under way together; added in their order. */
template <bool whole, typename T, int N>
static __device__ inline void add_rows(const struct bias_slices &slices, uint64_t begin,
                                       uint64_t column, float sums[N])
{
    const uint64_t end =
        begin + slices.slice_rows < slices.rows ? begin + slices.slice_rows : slices.rows;
#pragma unroll 4
    for (uint64_t row = begin + threadIdx.x / STRIP_GROUPS; row < end; row += BLOCK_WARPS) {
        const T *from = (const T *)slices.matrix + row * slices.columns;
        const cuda_number_group<T, N> group =
            cuda_number_load<whole, T, N>(from, (int64_t)column, (int64_t)slices.columns);
        for (int i = 0; i < N; i++)
            sums[i] += cuda_number_widen(group.value[i]);
    }
}

/* A warp's lanes read 32 groups of a row side by side; `whole`: each in one access of 16 bytes. */
template <typename T>
static __global__ void __launch_bounds__(STRIP_GROUPS *BLOCK_WARPS)
    bias_slice_kernel(struct bias_slices slices, bool whole)
{
    constexpr int N = cuda_number_widest<T>;
    __shared__ float shared[BLOCK_WARPS][N][STRIP_GROUPS];
    const unsigned lane = threadIdx.x % STRIP_GROUPS, warp = threadIdx.x / STRIP_GROUPS;
    const uint64_t strip = blockIdx.x % slices.strips, slice = blockIdx.x / slices.strips;
    const uint64_t column = (strip * STRIP_GROUPS + lane) * N;
    float sums[N] = {};
    if (column < slices.columns && whole)
        add_rows<true, T, N>(slices, slice * slices.slice_rows, column, sums);
    else if (column < slices.columns)
        add_rows<false, T, N>(slices, slice * slices.slice_rows, column, sums);
    for (int i = 0; i < N; i++)
        shared[warp][i][lane] = sums[i];
    __syncthreads();
    for (unsigned i = warp; i < N && column + i < slices.columns; i += BLOCK_WARPS) {
        float sum = 0;
        for (unsigned other = 0; other < BLOCK_WARPS; other++)
            sum += shared[other][i][lane];
        slices.partial[slice * slices.columns + column + i] = sum;
    }
}

/* A column a thread: the slices' sums in their order. */
template <typename T>
static __global__ void __launch_bounds__(SPREAD_THREADS)
    bias_total_kernel(struct bias_slices slices, uint64_t count, T *sums, bool add)
{
    const uint64_t column = (uint64_t)blockIdx.x * SPREAD_THREADS + threadIdx.x;
    if (column >= slices.columns)
        return;
    float sum = add ? cuda_number_widen(sums[column]) : 0.0f;
    for (uint64_t slice = 0; slice < count; slice++)
        sum += slices.partial[slice * slices.columns + column];
    sums[column] = cuda_number_narrow<T>(sum);
}

template <typename T>
static cudaError_t launch_sum(const struct cuda_bias_sums *sums, cudaStream_t stream)
{
    constexpr int N = cuda_number_widest<T>;
    const uint64_t strips = strips_of(sums->columns, N);
    const uint64_t count = slices_of(sums->rows, strips);
    const struct bias_slices slices = {sums->matrix, (float *)sums->partial,
                                       sums->rows,   sums->columns,
                                       strips,       cuda_number_ceiling(sums->rows, count)};
    const cudaError_t error =
        cuda_launch(bias_slice_kernel<T>, (unsigned)(strips * count), STRIP_GROUPS * BLOCK_WARPS,
                    stream, slices, cuda_number_whole_rows<T>(sums->matrix, sums->columns));
    if (error != cudaSuccess)
        return error;
    const uint64_t blocks = cuda_number_ceiling(sums->columns, SPREAD_THREADS);
    return cuda_launch(bias_total_kernel<T>, (unsigned)blocks, SPREAD_THREADS, stream, slices,
                       count, (T *)sums->sums, sums->add);
}

extern "C" cudaError_t cuda_bias_sum(const struct cuda_bias_sums *sums, bool bf16,
                                     cudaStream_t stream)
{
    return bf16 ? launch_sum<__nv_bfloat16>(sums, stream) : launch_sum<float>(sums, stream);
}
