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

/* As T over the place of the fp32 row, in accesses of 16 bytes. */
template <typename T>
static __device__ inline void store_group(float *row, uint64_t column, const float values[GROUP])
{
    constexpr int N = cuda_number_widest<T>;
    for (int part = 0; part < GROUP; part += N) {
        cuda_number_group<T, N> group;
        for (int i = 0; i < N; i++)
            group.value[i] = cuda_number_narrow<T>(values[part + i]);
        cuda_number_store<true, T, N>((T *)row + column + part, 0, N, group);
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
            store_group<T>(row.scores, column, values);
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
            store_group<T>(row.scores, column, p);
            store_group<T>(row_gradients, column, ds);
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

/* N: elements of an access, 16 bytes read and 8 written, or one element where rows are askew. */
template <int N>
static __global__ void __launch_bounds__(BLOCK_THREADS)
    softmax_narrow_kernel(struct cuda_softmax_narrow narrow)
{
    const uint64_t first = ((uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x) * N;
    if (first >= narrow.batch * narrow.length * narrow.depth)
        return;
    const uint64_t key = first / narrow.depth % narrow.length;
    const uint64_t matrix = first / narrow.depth / narrow.length;
    __nv_bfloat16 *to =
        (__nv_bfloat16 *)narrow.to + matrix * narrow.step + key * narrow.row + first % narrow.depth;
    const cuda_number_group<float, N> from =
        cuda_number_load<true, float, N>(narrow.from + first, 0, N);
    cuda_number_group<__nv_bfloat16, N> rounded;
    for (int i = 0; i < N; i++)
        rounded.value[i] = cuda_number_narrow<__nv_bfloat16>(from.value[i]);
    cuda_number_store<true, __nv_bfloat16, N>(to, 0, N, rounded);
}

extern "C" cudaError_t cuda_softmax_narrow(const struct cuda_softmax_narrow *narrow,
                                           cudaStream_t stream)
{
    const uint64_t count = narrow->batch * narrow->length * narrow->depth;
    const bool whole = narrow->depth % 4 == 0 && narrow->row % 4 == 0 && narrow->step % 4 == 0 &&
                       cuda_number_lead<__nv_bfloat16, 4>(narrow->to) == 0;
    const uint64_t blocks = cuda_number_ceiling(count, whole ? 4 * BLOCK_THREADS : BLOCK_THREADS);
    return whole ? cuda_launch(softmax_narrow_kernel<4>, (unsigned)blocks, BLOCK_THREADS, stream,
                               *narrow)
                 : cuda_launch(softmax_narrow_kernel<1>, (unsigned)blocks, BLOCK_THREADS, stream,
                               *narrow);
}
