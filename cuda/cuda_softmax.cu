#include "cuda_softmax.h"

#include "cuda_launch.cuh"
#include "cuda_number.cuh"

/*
 * A block takes a row, a group of eight scores a thread: two 16-byte reads, one 16-byte write in
 * bf16 and two in fp32. The block's first columns, its chunk, stay in registers, which is all of a
 * row up to 1024 keys; what is behind them is read anew for each pass, from the L1. Fewer keys take
 * fewer threads.
 */
#define BLOCK_THREADS 128
#define GROUP CUDA_SOFTMAX_GROUP

static __device__ inline uint64_t chunk()
{
    return (uint64_t)blockDim.x * GROUP;
}

struct softmax_row {
    float *scores;
    uint64_t matrix, query, first, seen; /* this thread's first column; columns that count */
};

static __device__ inline struct softmax_row find_row(const struct cuda_softmax_tile &tile)
{
    const uint64_t index = blockIdx.x;
    return {tile.scores + index * tile.stride, index / tile.rows, index % tile.rows,
            (uint64_t)threadIdx.x * GROUP, tile.first_row + index % tile.rows + 1};
}

/* The group that begins at `column`, if any of it is seen; `unseen` for the rest. */
static __device__ inline void load_group(float values[GROUP], const float *from, uint64_t column,
                                         uint64_t seen, float unseen)
{
    for (int i = 0; i < GROUP; i++)
        values[i] = unseen;
    if (column >= seen)
        return;
    for (int half = 0; half < GROUP; half += 4) {
        const cuda_number_group<float, 4> four =
            cuda_number_load<true, float, 4>(from + column + half, 0, 4);
        for (int i = 0; i < 4; i++)
            if (column + half + i < seen)
                values[half + i] = four.value[i];
    }
}

/* In accesses of 16 bytes. */
template <typename T>
static __device__ inline void store_group(T *row, uint64_t column, const float values[GROUP])
{
    constexpr int N = cuda_number_widest<T>;
    for (int part = 0; part < GROUP; part += N) {
        cuda_number_group<T, N> group;
        for (int i = 0; i < N; i++)
            group.value[i] = cuda_number_narrow<T>(values[part + i]);
        cuda_number_store<true, T, N>(row + column + part, 0, N, group);
    }
}

static __device__ inline float greatest(const float values[GROUP], float most)
{
    for (int i = 0; i < GROUP; i++)
        most = fmaxf(most, values[i]);
    return most;
}

static __device__ inline float exponential_sum(const float values[GROUP], float most)
{
    float sum = 0;
    for (int i = 0; i < GROUP; i++)
        sum += expf(values[i] - most);
    return sum;
}

/* The row's greatest score and its sum of exponentials relative to that, the first group given. */
static __device__ inline void measure_row(const struct softmax_row &row, const float kept[GROUP],
                                          float *most, float *sum)
{
    __shared__ float shared[BLOCK_THREADS / 32];
    float values[GROUP];
    *most = greatest(kept, -INFINITY);
    for (uint64_t column = row.first + chunk(); column < row.seen; column += chunk()) {
        load_group(values, row.scores, column, row.seen, -INFINITY);
        *most = greatest(values, *most);
    }
    *most = cuda_number_block_maximum(*most, shared);
    *sum = exponential_sum(kept, *most);
    for (uint64_t column = row.first + chunk(); column < row.seen; column += chunk()) {
        load_group(values, row.scores, column, row.seen, -INFINITY);
        *sum += exponential_sum(values, *most);
    }
    *sum = cuda_number_block_sum(*sum, shared);
}

/*
 * In bf16 chunk i is written over the fp32 columns of chunk i / 2: read by all before the barrier
 * of this round, or an earlier one.
 */
template <typename T>
static __global__ void __launch_bounds__(BLOCK_THREADS)
    softmax_forward_kernel(struct cuda_softmax_tile tile)
{
    const struct softmax_row row = find_row(tile);
    float values[GROUP], most, sum;
    load_group(values, row.scores, row.first, row.seen, -INFINITY);
    measure_row(row, values, &most, &sum);
    if (threadIdx.x == 0)
        tile.stats[row.matrix * tile.stats_step + row.query] = most + logf(sum);
    const float share = 1.0f / sum;
    for (uint64_t base = 0; base < tile.keys; base += chunk()) {
        const uint64_t column = base + row.first;
        if (base > 0)
            load_group(values, row.scores, column, row.seen, -INFINITY);
        for (int i = 0; i < GROUP; i++)
            values[i] = column + i < row.seen ? expf(values[i] - most) * share : 0.0f;
        __syncthreads();
        if (column < tile.keys)
            store_group((T *)row.scores, column, values);
    }
}

static unsigned threads_of(const struct cuda_softmax_tile *tile)
{
    return cuda_number_threads(cuda_number_ceiling(tile->keys, GROUP), 1, BLOCK_THREADS);
}

static bool fits(const struct cuda_softmax_tile *tile)
{
    return tile->batch * tile->rows <= 0x7FFFFFFFu; /* CUDA: blocks in a grid's first dimension */
}

extern "C" cudaError_t cuda_softmax_forward(const struct cuda_softmax_tile *tile, bool bf16,
                                            cudaStream_t stream)
{
    const unsigned blocks = (unsigned)(tile->batch * tile->rows);
    if (!fits(tile))
        return cudaErrorInvalidConfiguration;
    return bf16 ? cuda_launch(softmax_forward_kernel<__nv_bfloat16>, blocks, threads_of(tile),
                              stream, *tile)
                : cuda_launch(softmax_forward_kernel<float>, blocks, threads_of(tile), stream,
                              *tile);
}

/* dout . out of the row. */
template <typename T>
static __device__ inline float row_product(const struct softmax_row &row,
                                           const struct cuda_softmax_outputs &outputs)
{
    __shared__ float shared[BLOCK_THREADS / 32];
    const uint64_t at = row.matrix * outputs.step + row.query * outputs.row;
    const T *out = (const T *)outputs.out + at, *dout = (const T *)outputs.dout + at;
    float sum = 0;
    for (uint64_t i = threadIdx.x; i < outputs.depth; i += blockDim.x)
        sum += cuda_number_widen(out[i]) * cuda_number_widen(dout[i]);
    return cuda_number_block_sum(sum, shared);
}

template <typename T>
static __global__ void __launch_bounds__(BLOCK_THREADS)
    softmax_backward_kernel(struct cuda_softmax_tile tile, float *gradients,
                            struct cuda_softmax_outputs outputs)
{
    const struct softmax_row row = find_row(tile);
    const float along = row_product<T>(row, outputs);
    const float logarithm = tile.stats[row.matrix * tile.stats_step + row.query];
    float *const row_gradients = gradients + (uint64_t)blockIdx.x * tile.stride;
    for (uint64_t base = 0; base < tile.keys; base += chunk()) {
        const uint64_t column = base + row.first;
        float p[GROUP], ds[GROUP];
        load_group(p, row.scores, column, row.seen, 0.0f);
        load_group(ds, row_gradients, column, row.seen, 0.0f);
        for (int i = 0; i < GROUP; i++) {
            p[i] = column + i < row.seen ? expf(p[i] - logarithm) : 0.0f;
            ds[i] = p[i] * (ds[i] - along);
        }
        __syncthreads();
        if (column < tile.keys) {
            store_group((T *)row.scores, column, p);
            store_group((T *)row_gradients, column, ds);
        }
    }
}

extern "C" cudaError_t cuda_softmax_backward(const struct cuda_softmax_tile *tile, float *gradients,
                                             const struct cuda_softmax_outputs *outputs, bool bf16,
                                             cudaStream_t stream)
{
    const unsigned blocks = (unsigned)(tile->batch * tile->rows);
    if (!fits(tile))
        return cudaErrorInvalidConfiguration;
    return bf16 ? cuda_launch(softmax_backward_kernel<__nv_bfloat16>, blocks, threads_of(tile),
                              stream, *tile, gradients, *outputs)
                : cuda_launch(softmax_backward_kernel<float>, blocks, threads_of(tile), stream,
                              *tile, gradients, *outputs);
}

/* Where element `index` of the sums goes; in units of `unit` elements. */
static __device__ inline uint64_t narrow_place(const struct cuda_softmax_narrow &narrow,
                                               uint64_t index, uint64_t unit)
{
    const uint64_t depth = narrow.depth / unit, row = index / depth;
    return row / narrow.length * (narrow.step / unit) + row % narrow.length * (narrow.row / unit) +
           index % depth;
}

/* A group a thread: two 16-byte reads and, counted in groups so that nvcc sees it to be aligned, a
 * 16-byte write where rows are `whole` groups. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    softmax_narrow_kernel(struct cuda_softmax_narrow narrow, bool whole)
{
    const uint64_t count = narrow.batch * narrow.length * narrow.depth;
    const uint64_t group = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    const uint64_t first = group * GROUP;
    __nv_bfloat16 *to = (__nv_bfloat16 *)narrow.to;
    if (first < count && whole) {
        float values[GROUP];
        load_group(values, narrow.from, first, count, 0.0f);
        store_group(to, narrow_place(narrow, group, GROUP) * GROUP, values);
        return;
    }
    for (uint64_t i = first; i < first + GROUP && i < count; i++)
        to[narrow_place(narrow, i, 1)] = cuda_number_narrow<__nv_bfloat16>(narrow.from[i]);
}

extern "C" cudaError_t cuda_softmax_narrow(const struct cuda_softmax_narrow *narrow,
                                           cudaStream_t stream)
{
    const uint64_t count = narrow->batch * narrow->length * narrow->depth;
    const bool whole = narrow->depth % GROUP == 0 && narrow->row % GROUP == 0 &&
                       narrow->step % GROUP == 0 &&
                       cuda_number_lead<__nv_bfloat16, GROUP>(narrow->to) == 0;
    const uint64_t blocks = cuda_number_ceiling(count, (uint64_t)GROUP * BLOCK_THREADS);
    return cuda_launch(softmax_narrow_kernel, (unsigned)blocks, BLOCK_THREADS, stream, *narrow,
                       whole);
}
