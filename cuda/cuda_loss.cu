#include "cuda_loss.h"

#include "cuda_launch.cuh"
#include "cuda_number.cuh"

/*
 * A block a row: one read for maximum and sum, a second read and the write for the gradient. The
 * second read should come from the cache: at V = 50257 in bf16 a row has 98 KiB, and two blocks of
 * 768 threads a multiprocessor, which leave 40 registers a thread, have 26 MB of rows under way;
 * an H200 caches 50. More, smaller blocks would drive each other's rows out.
 */
#define ROW_THREADS 768
#define ROW_BLOCKS 2

/* What a thread knows of its part of a row: the greatest number, and the sum of exp(x - most). A
 * part without a number: -FLT_MAX, which unlike -inf can be subtracted from what is -inf itself. */
struct loss_part {
    float most, sum;
};

template <typename T, int N>
__device__ static inline void add_group(struct loss_part &part,
                                        const cuda_number_group<T, N> &group, int inside_from,
                                        int inside_to)
{
    float most = part.most;
    for (int i = 0; i < N; i++)
        if (i >= inside_from && i < inside_to)
            most = fmaxf(most, cuda_number_widen(group.value[i]));
    float sum = part.sum * __expf(part.most - most);
    for (int i = 0; i < N; i++)
        if (i >= inside_from && i < inside_to)
            sum += __expf(cuda_number_widen(group.value[i]) - most);
    part.most = most;
    part.sum = sum;
}

/* A row: x[0..vocab), walked in groups that begin `lead` before it. */
template <typename T> struct loss_row {
    T *x;
    int lead, vocab, target;
};

/* The first pass over a thread's part of a row. */
template <typename T> __device__ static inline struct loss_part read_row(const loss_row<T> &row)
{
    constexpr int N = cuda_number_widest<T>;
    struct loss_part part = {-FLT_MAX, 0};
    for (int first = (int)threadIdx.x * N - row.lead; first < row.vocab;
         first += (int)blockDim.x * N) {
        if (cuda_number_inside<N>(first, row.vocab))
            add_group<T, N>(part, cuda_number_load<true, T, N>(row.x, first, row.vocab), 0, N);
        else
            add_group<T, N>(part, cuda_number_load<false, T, N>(row.x, first, row.vocab), -first,
                            row.vocab - first);
    }
    return part;
}

/* x becomes factor exp(x - most), less `scale` at the target; rounded once. */
template <bool whole, typename T>
__device__ static inline void write_group(const loss_row<T> &row, int first, float most,
                                          float factor, float scale)
{
    constexpr int N = cuda_number_widest<T>;
    cuda_number_group<T, N> group = cuda_number_load<whole, T, N>(row.x, first, row.vocab);
    float gradient[N];
    for (int i = 0; i < N; i++)
        gradient[i] = factor * __expf(cuda_number_widen(group.value[i]) - most);
    if (row.target >= first && row.target < first + N)
        for (int i = 0; i < N; i++) /* not by index: that would put the group into memory */
            gradient[i] -= first + i == row.target ? scale : 0;
    for (int i = 0; i < N; i++)
        group.value[i] = cuda_number_narrow<T>(gradient[i]);
    cuda_number_store<whole, T, N>(row.x, first, row.vocab, group);
}

/*
 * Loss and gradient of one row. A NaN anywhere makes all of both NaN through the sum, and so does
 * +inf, for which a maximum to subtract is not there. The fast exponential errs by 2 + |1.2 x|
 * units in the last place (CUDA C++ Programming Guide), below 1e-5 for x down to -70; what is
 * smaller does not count beside the greatest.
 *
 * Bytes: 4 an element in bf16, 12 in fp32, whose rows under way are twice as large and more than
 * the cache holds. Of 8192 rows of 50257 in bf16: 1.65 GB, 0.38 ms. Its 25 instructions an element
 * take 0.33 ms at four a cycle on 132 multiprocessors at 1.8 GHz, so both have to overlap.
 */
template <typename T>
static __global__ void __launch_bounds__(ROW_THREADS, ROW_BLOCKS)
    cross_entropy_kernel(struct cuda_loss loss)
{
    constexpr int N = cuda_number_widest<T>;
    __shared__ float shared[2][ROW_THREADS / 32];
    const uint64_t index = blockIdx.x;
    loss_row<T> row;
    row.x = (T *)loss.logits + index * loss.vocab;
    row.lead = cuda_number_lead<T, N>(row.x);
    row.vocab = (int)loss.vocab;
    row.target = loss.tokens[index + index / loss.length + 1]; /* T + 1 tokens a sequence */
    const float of_target = cuda_number_widen(row.x[row.target]);
    const struct loss_part part = read_row<T>(row);
    const float most = cuda_number_block_maximum(part.most, shared[0]);
    const float sum = cuda_number_block_sum(part.sum * __expf(part.most - most), shared[1]);
    const float factor = loss.scale / sum;
    __syncthreads(); /* everybody has read the target */
    for (int first = (int)threadIdx.x * N - row.lead; first < row.vocab;
         first += (int)blockDim.x * N) {
        if (cuda_number_inside<N>(first, row.vocab))
            write_group<true, T>(row, first, most, factor, loss.scale);
        else
            write_group<false, T>(row, first, most, factor, loss.scale);
    }
    if (threadIdx.x == 0)
        loss.losses[index] = logf(sum) - (of_target - most);
}

template <typename T>
static cudaError_t launch_cross_entropy(const struct cuda_loss *loss, cudaStream_t stream)
{
    constexpr int N = cuda_number_widest<T>;
    const uint64_t groups = cuda_number_ceiling(loss->vocab + N - 1, N);
    return cuda_launch(cross_entropy_kernel<T>, (unsigned)loss->rows,
                       cuda_number_threads(groups, 1, ROW_THREADS), stream, *loss);
}

extern "C" cudaError_t cuda_loss_cross_entropy(const struct cuda_loss *loss, cudaStream_t stream)
{
    if (loss->rows == 0)
        return cudaSuccess;
    return loss->bf16 ? launch_cross_entropy<__nv_bfloat16>(loss, stream)
                      : launch_cross_entropy<float>(loss, stream);
}

#define SUM_THREADS 1024

/* One block; each thread adds every 1024th loss in ascending order, then the threads are added.
 * Bytes: 4 a row, which is nothing: 8192 rows are eight a thread. */
static __global__ void __launch_bounds__(SUM_THREADS)
    loss_sum_kernel(double *total, const float *losses, uint64_t rows)
{
    __shared__ double shared[SUM_THREADS / 32];
    double sum = 0;
    for (uint64_t row = threadIdx.x; row < rows; row += SUM_THREADS)
        sum += (double)losses[row];
    sum = cuda_number_block_sum(sum, shared);
    if (threadIdx.x == 0)
        *total += sum;
}

extern "C" cudaError_t cuda_loss_sum(double *sum, const float *losses, uint64_t rows,
                                     cudaStream_t stream)
{
    return cuda_launch(loss_sum_kernel, 1u, SUM_THREADS, stream, sum, losses, rows);
}
