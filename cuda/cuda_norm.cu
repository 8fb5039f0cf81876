#include "cuda_norm.h"

#include "cuda_launch.cuh"
#include "cuda_number.cuh"

#define NORM_EPSILON 1e-5f

/*
 * A block a row. The row stays in registers, HELD accesses of 16 bytes a thread, so that mean,
 * variance and result cost one read: at 64 threads a row of 2048 in bf16. Threads of rows that are
 * longer than a block can hold read the rest again, which comes from the cache. With the 64
 * registers that 1024 threads leave, a multiprocessor takes 16 such blocks of 64 at once: 64 KiB on
 * their way to it, where the latency of memory asks for about 25.
 */
#define FORWARD_HELD 4
#define FORWARD_THREADS 1024

/* One thread's view of a row: its k-th group is group threadIdx.x + k blockDim.x. */
__device__ static inline int norm_group(int k)
{
    return (int)threadIdx.x + k * (int)blockDim.x;
}

/* Sum over a group, inside of `width`, of (x - mean)^power, power 1 or 2. */
template <bool whole, int power, typename T, int N>
__device__ static inline float group_moment(const cuda_number_group<T, N> &group, int first,
                                            int width, float mean)
{
    float sum = 0;
    for (int i = 0; i < N; i++) {
        const float x = cuda_number_widen(group.value[i]) - mean;
        if (whole || first + i < width)
            sum += power == 1 ? x : x * x;
    }
    return sum;
}

/* The block's sum of (x - mean)^power over a row. */
template <bool whole, int power, typename T, int N>
__device__ static inline float row_moment(const cuda_number_group<T, N> (&held)[FORWARD_HELD],
                                          const T *x, int width, float mean, float *shared)
{
    float sum = 0;
    for (int k = 0; k < FORWARD_HELD; k++)
        if (norm_group(k) * N < width)
            sum += group_moment<whole, power, T, N>(held[k], norm_group(k) * N, width, mean);
    for (int first = norm_group(FORWARD_HELD) * N; first < width; first += (int)blockDim.x * N)
        sum += group_moment<whole, power, T, N>(cuda_number_load<whole, T, N>(x, first, width),
                                                first, width, mean);
    return cuda_number_block_sum(sum, shared);
}

template <bool whole, typename T, int N>
__device__ static inline void normalise_group(const struct cuda_norm_forward &norm, T *out,
                                              const cuda_number_group<T, N> &x, int first,
                                              const float moments[2])
{
    const int width = (int)norm.width;
    const cuda_number_group<T, N> weight =
        cuda_number_load<whole, T, N>((const T *)norm.weight, first, width);
    const cuda_number_group<T, N> bias =
        cuda_number_load<whole, T, N>((const T *)norm.bias, first, width);
    cuda_number_group<T, N> result;
    for (int i = 0; i < N; i++)
        result.value[i] =
            cuda_number_narrow<T>((cuda_number_widen(x.value[i]) - moments[0]) * moments[1] *
                                      cuda_number_widen(weight.value[i]) +
                                  cuda_number_widen(bias.value[i]));
    cuda_number_store<whole, T, N>(out, first, width, result);
}

/* The variance is summed around the mean: the difference of two large sums would lose it in a row
 * far from zero. */
template <bool whole, typename T>
__device__ static inline void normalise_row(const struct cuda_norm_forward &norm, float *shared)
{
    constexpr int N = cuda_number_widest<T>;
    const int width = (int)norm.width;
    const T *x = (const T *)norm.x + (uint64_t)blockIdx.x * norm.width;
    T *out = (T *)norm.out + (uint64_t)blockIdx.x * norm.width;
    cuda_number_group<T, N> held[FORWARD_HELD];
    for (int k = 0; k < FORWARD_HELD; k++)
        if (norm_group(k) * N < width)
            held[k] = cuda_number_load<whole, T, N>(x, norm_group(k) * N, width);
    const float mean = row_moment<whole, 1, T, N>(held, x, width, 0, shared) / (float)width;
    const float square = row_moment<whole, 2, T, N>(held, x, width, mean, shared) / (float)width;
    const float moments[2] = {mean, 1.0f / sqrtf(square + NORM_EPSILON)};
    for (int k = 0; k < FORWARD_HELD; k++)
        if (norm_group(k) * N < width)
            normalise_group<whole, T, N>(norm, out, held[k], norm_group(k) * N, moments);
    for (int first = norm_group(FORWARD_HELD) * N; first < width; first += (int)blockDim.x * N)
        normalise_group<whole, T, N>(norm, out, cuda_number_load<whole, T, N>(x, first, width),
                                     first, moments);
    if (threadIdx.x == 0) {
        norm.stats[blockIdx.x] = moments[0];
        norm.stats[norm.rows + blockIdx.x] = moments[1];
    }
}

/* Bytes: x read and out written, 4 an element in bf16; weight and bias come from the cache. Of 8192
 * rows of 2048: 67 MB, 16 us. */
template <typename T>
static __global__ void __launch_bounds__(FORWARD_THREADS)
    forward_kernel(struct cuda_norm_forward norm, bool whole)
{
    __shared__ float shared[FORWARD_THREADS / 32];
    if (whole)
        normalise_row<true, T>(norm, shared);
    else
        normalise_row<false, T>(norm, shared);
}

template <typename T>
static cudaError_t launch_forward(const struct cuda_norm_forward *norm, cudaStream_t stream)
{
    const bool whole = cuda_number_whole_rows<T>(norm->out, norm->width) &&
                       cuda_number_whole_rows<T>(norm->x, norm->width) &&
                       cuda_number_whole_rows<T>(norm->weight, norm->width) &&
                       cuda_number_whole_rows<T>(norm->bias, norm->width);
    const uint64_t groups = cuda_number_ceiling(norm->width, cuda_number_widest<T>);
    return cuda_launch(forward_kernel<T>, (unsigned)norm->rows,
                       cuda_number_threads(groups, FORWARD_HELD, FORWARD_THREADS), stream, *norm,
                       whole);
}

extern "C" cudaError_t cuda_norm_forward(const struct cuda_norm_forward *norm, cudaStream_t stream)
{
    if (norm->rows == 0)
        return cudaSuccess;
    return norm->bf16 ? launch_forward<__nv_bfloat16>(norm, stream)
                      : launch_forward<float>(norm, stream);
}

/* --- backward --- */

/*
 * A block takes rows b, b + blocks, ... and its threads keep the sums of their columns' dweight and
 * dbias in registers: 4 for each byte of a group that they hold, with x and dout of one row
 * beside them. Blocks of at most 512 threads leave 128 registers a thread. 512 blocks: four a
 * multiprocessor, with 128 threads each at a width of 2048 in bf16.
 */
#define BACKWARD_HELD 2
#define BACKWARD_THREADS 512
#define BACKWARD_BLOCKS 512

static unsigned backward_blocks(uint64_t rows)
{
    return rows < BACKWARD_BLOCKS ? (unsigned)rows : BACKWARD_BLOCKS;
}

extern "C" uint64_t cuda_norm_workspace_bytes(const struct backend_request *request)
{
    const struct model_shape *shape = &request->shape;
    return backward_blocks(shape->micro_batch * shape->seq_len) * 2 * shape->width * sizeof(float);
}

/* One row of one block. */
template <typename T> struct norm_row {
    T *dx; /* NULL: not wanted */
    const T *dout, *x, *weight;
    float mean, scale;  /* scale: the reciprocal deviation */
    float plain, along; /* the means of g and of g n */
    int width;
    bool set;
};

/* The parts of a group in the row's sums of g = dout weight and of g n, n = (x - mean) scale. What
 * is outside of the row is 0 in dout. */
template <bool whole, typename T, int N>
__device__ static inline void group_sums(norm_row<T> &row, const cuda_number_group<T, N> &x,
                                         const cuda_number_group<T, N> &dout, int first)
{
    const cuda_number_group<T, N> weight =
        cuda_number_load<whole, T, N>(row.weight, first, row.width);
    for (int i = 0; i < N; i++) {
        const float g = cuda_number_widen(dout.value[i]) * cuda_number_widen(weight.value[i]);
        row.plain += g;
        row.along += g * ((cuda_number_widen(x.value[i]) - row.mean) * row.scale);
    }
}

/* dx = scale (g - mean of g - n mean of g n): both mean and deviation depend on every element. */
template <bool whole, typename T, int N>
__device__ static inline void group_gradient(const norm_row<T> &row,
                                             const cuda_number_group<T, N> &x,
                                             const cuda_number_group<T, N> &dout, int first)
{
    const cuda_number_group<T, N> weight =
        cuda_number_load<whole, T, N>(row.weight, first, row.width);
    cuda_number_group<T, N> dx;
    if (!row.set)
        dx = cuda_number_load<whole, T, N>(row.dx, first, row.width);
    for (int i = 0; i < N; i++) {
        const float g = cuda_number_widen(dout.value[i]) * cuda_number_widen(weight.value[i]);
        const float n = (cuda_number_widen(x.value[i]) - row.mean) * row.scale;
        const float slope = row.scale * (g - row.plain - n * row.along);
        dx.value[i] =
            cuda_number_narrow<T>(row.set ? slope : cuda_number_widen(dx.value[i]) + slope);
    }
    cuda_number_store<whole, T, N>(row.dx, first, row.width, dx);
}

/* Adds a row's part in dweight and dbias of a group's columns. */
template <typename T, int N>
__device__ static inline void add_columns(float *dweight, float *dbias, const norm_row<T> &row,
                                          const cuda_number_group<T, N> &x,
                                          const cuda_number_group<T, N> &dout)
{
    for (int i = 0; i < N; i++) {
        const float d = cuda_number_widen(dout.value[i]);
        dweight[i] += d * ((cuda_number_widen(x.value[i]) - row.mean) * row.scale);
        dbias[i] += d;
    }
}

/* The same for columns that no thread holds: their sums are in the workspace, each changed by one
 * thread alone. */
template <typename T, int N>
__device__ static inline void
add_columns_there(float *parts, const norm_row<T> &row, const cuda_number_group<T, N> &x,
                  const cuda_number_group<T, N> &dout, int first, bool begin)
{
    float dweight[N], dbias[N];
    for (int i = 0; i < N; i++) {
        const bool there = !begin && first + i < row.width;
        dweight[i] = there ? parts[first + i] : 0;
        dbias[i] = there ? parts[row.width + first + i] : 0;
    }
    add_columns<T, N>(dweight, dbias, row, x, dout);
    for (int i = 0; i < N && first + i < row.width; i++) {
        parts[first + i] = dweight[i];
        parts[row.width + first + i] = dbias[i];
    }
}

template <typename T>
__device__ static inline norm_row<T> row_of(const struct cuda_norm_backward &norm, uint64_t index)
{
    const uint64_t at = index * norm.width;
    norm_row<T> row = {};
    row.dx = norm.dx == nullptr ? nullptr : (T *)norm.dx + at;
    row.dout = (const T *)norm.dout + at;
    row.x = (const T *)norm.x + at;
    row.weight = (const T *)norm.weight;
    row.mean = norm.stats[index];
    row.scale = norm.stats[norm.rows + index];
    row.width = (int)norm.width;
    row.set = norm.set;
    return row;
}

/* Two sums over the row, then dx from x and dout, of which the first HELD groups are held. */
template <bool whole, typename T, int N>
__device__ static inline void
row_gradient(norm_row<T> &row, const cuda_number_group<T, N> (&x)[BACKWARD_HELD],
             const cuda_number_group<T, N> (&dout)[BACKWARD_HELD], float *shared)
{
    const int step = (int)blockDim.x * N;
    for (int k = 0; k < BACKWARD_HELD; k++)
        if (norm_group(k) * N < row.width)
            group_sums<whole, T, N>(row, x[k], dout[k], norm_group(k) * N);
    for (int first = norm_group(BACKWARD_HELD) * N; first < row.width; first += step)
        group_sums<whole, T, N>(row, cuda_number_load<whole, T, N>(row.x, first, row.width),
                                cuda_number_load<whole, T, N>(row.dout, first, row.width), first);
    row.plain = cuda_number_block_sum(row.plain, shared) / (float)row.width;
    row.along = cuda_number_block_sum(row.along, shared + BACKWARD_THREADS / 32) / (float)row.width;
    for (int k = 0; k < BACKWARD_HELD; k++)
        if (norm_group(k) * N < row.width)
            group_gradient<whole, T, N>(row, x[k], dout[k], norm_group(k) * N);
    for (int first = norm_group(BACKWARD_HELD) * N; first < row.width; first += step)
        group_gradient<whole, T, N>(row, cuda_number_load<whole, T, N>(row.x, first, row.width),
                                    cuda_number_load<whole, T, N>(row.dout, first, row.width),
                                    first);
}

/* Rows blockIdx.x, + gridDim.x, ...; `parts`: the block's place of the workspace, NULL if neither
 * dweight nor dbias is wanted. */
template <bool whole, typename T>
__device__ static inline void backward_rows(const struct cuda_norm_backward &norm, float *parts,
                                            float *shared)
{
    constexpr int N = cuda_number_widest<T>;
    const int width = (int)norm.width, step = (int)blockDim.x * N;
    float dweight[BACKWARD_HELD][N] = {}, dbias[BACKWARD_HELD][N] = {};
    for (uint64_t index = blockIdx.x; index < norm.rows; index += gridDim.x) {
        norm_row<T> row = row_of<T>(norm, index);
        cuda_number_group<T, N> x[BACKWARD_HELD] = {}, dout[BACKWARD_HELD] = {};
        for (int k = 0; k < BACKWARD_HELD; k++)
            if (norm_group(k) * N < width) {
                x[k] = cuda_number_load<whole, T, N>(row.x, norm_group(k) * N, width);
                dout[k] = cuda_number_load<whole, T, N>(row.dout, norm_group(k) * N, width);
            }
        if (row.dx != nullptr)
            row_gradient<whole, T, N>(row, x, dout, shared);
        if (parts == nullptr)
            continue;
        for (int k = 0; k < BACKWARD_HELD; k++)
            add_columns<T, N>(dweight[k], dbias[k], row, x[k], dout[k]);
        for (int first = norm_group(BACKWARD_HELD) * N; first < width; first += step)
            add_columns_there<T, N>(parts, row, cuda_number_load<whole, T, N>(row.x, first, width),
                                    cuda_number_load<whole, T, N>(row.dout, first, width), first,
                                    index == blockIdx.x);
    }
    for (int k = 0; k < BACKWARD_HELD; k++)
        for (int i = 0; i < N && parts != nullptr; i++)
            if (norm_group(k) * N + i < width) {
                parts[norm_group(k) * N + i] = dweight[k][i];
                parts[width + norm_group(k) * N + i] = dbias[k][i];
            }
}

/*
 * Bytes: x and dout read, dx written or changed, 6 or 8 an element in bf16, and the blocks' sums,
 * 4 KiB for each column. Of 8192 rows of 2048, added: 134 MB and 8 MB, 33 us.
 */
template <typename T>
static __global__ void __launch_bounds__(BACKWARD_THREADS)
    backward_kernel(struct cuda_norm_backward norm, bool whole)
{
    __shared__ float shared[2 * BACKWARD_THREADS / 32];
    const bool summed = norm.dweight != nullptr || norm.dbias != nullptr;
    float *parts =
        summed ? (float *)norm.workspace + (uint64_t)blockIdx.x * 2 * norm.width : nullptr;
    if (whole)
        backward_rows<true, T>(norm, parts, shared);
    else
        backward_rows<false, T>(norm, parts, shared);
}

/* Threads that share a column's sums, and the columns of a block: a warp reads 128 bytes in a row.
 */
#define COLUMN_SHARES 16
#define BLOCK_COLUMNS 32

/*
 * dweight and dbias: column c of 2 C is the sum over the blocks' parts, share by share, then over
 * the shares. Bytes: 4 KiB a column, still in the cache.
 */
template <typename T>
static __global__ void __launch_bounds__(COLUMN_SHARES *BLOCK_COLUMNS)
    add_parts_kernel(struct cuda_norm_backward norm, unsigned count)
{
    __shared__ float shared[COLUMN_SHARES][BLOCK_COLUMNS];
    const unsigned lane = threadIdx.x % BLOCK_COLUMNS, share = threadIdx.x / BLOCK_COLUMNS;
    const unsigned shares = blockDim.x / BLOCK_COLUMNS;
    const uint64_t column = (uint64_t)blockIdx.x * BLOCK_COLUMNS + lane, columns = 2 * norm.width;
    const float *parts = (const float *)norm.workspace;
    float sum = 0;
    for (unsigned part = share; part < count && column < columns; part += shares)
        sum += parts[part * columns + column];
    shared[share][lane] = sum;
    __syncthreads();
    const bool of_bias = column >= norm.width;
    T *to = (T *)(of_bias ? norm.dbias : norm.dweight);
    if (share > 0 || column >= columns || to == nullptr)
        return;
    to += of_bias ? column - norm.width : column;
    sum = norm.accumulate ? cuda_number_widen(*to) : 0;
    for (unsigned i = 0; i < shares; i++)
        sum += shared[i][lane];
    *to = cuda_number_narrow<T>(sum);
}

template <typename T>
static cudaError_t launch_backward(const struct cuda_norm_backward *norm, cudaStream_t stream)
{
    const bool whole = cuda_number_whole_rows<T>(norm->dx, norm->width) &&
                       cuda_number_whole_rows<T>(norm->dout, norm->width) &&
                       cuda_number_whole_rows<T>(norm->x, norm->width) &&
                       cuda_number_whole_rows<T>(norm->weight, norm->width);
    const uint64_t groups = cuda_number_ceiling(norm->width, cuda_number_widest<T>);
    const unsigned blocks = backward_blocks(norm->rows);
    const cudaError_t error = cuda_launch(
        backward_kernel<T>, blocks, cuda_number_threads(groups, BACKWARD_HELD, BACKWARD_THREADS),
        stream, *norm, whole);
    if (error != cudaSuccess || (norm->dweight == nullptr && norm->dbias == nullptr))
        return error;
    return cuda_launch(
        add_parts_kernel<T>, (unsigned)cuda_number_ceiling(2 * norm->width, BLOCK_COLUMNS),
        (blocks < COLUMN_SHARES ? blocks : COLUMN_SHARES) * BLOCK_COLUMNS, stream, *norm, blocks);
}

extern "C" cudaError_t cuda_norm_backward(const struct cuda_norm_backward *norm,
                                          cudaStream_t stream)
{
    if (norm->rows == 0)
        return cudaSuccess;
    return norm->bf16 ? launch_backward<__nv_bfloat16>(norm, stream)
                      : launch_backward<float>(norm, stream);
}
