#include "cuda_embedding.h"

#include "cuda_embedding_parts.cuh"
#include "cuda_launch.cuh"
#include "cuda_number.cuh"

/* --- forward --- */

/* A warp a row, eight rows a block; a lane has the reads of FORWARD_HELD groups of both tables
 * under way at once: a row of 2048 in bf16 is two such rounds. */
#define FORWARD_THREADS 256
#define FORWARD_HELD 4

template <bool whole, typename T>
__device__ static inline void add_rows(T *out, const T *token, const T *position, int width)
{
    constexpr int N = cuda_number_widest<T>;
    const int lane = (int)threadIdx.x % 32;
    for (int begin = lane * N; begin < width; begin += FORWARD_HELD * 32 * N) {
        cuda_number_group<T, N> a[FORWARD_HELD], b[FORWARD_HELD];
        for (int k = 0; k < FORWARD_HELD; k++) {
            const int first = begin + k * 32 * N;
            if (first < width) {
                a[k] = cuda_number_load<whole, T, N>(token, first, width);
                b[k] = cuda_number_load<whole, T, N>(position, first, width);
            }
        }
        for (int k = 0; k < FORWARD_HELD; k++) {
            const int first = begin + k * 32 * N;
            if (first >= width)
                continue;
            for (int i = 0; i < N; i++)
                a[k].value[i] = cuda_number_narrow<T>(cuda_number_widen(a[k].value[i]) +
                                                      cuda_number_widen(b[k].value[i]));
            cuda_number_store<whole, T, N>(out, first, width, a[k]);
        }
    }
}

/* Bytes: an element's row of wte read and out written, 4 in bf16; wpe comes from the cache for all
 * sequences but the first. Of 8192 rows of 2048: 67 MB, 16 us. */
template <typename T>
static __global__ void __launch_bounds__(FORWARD_THREADS)
    forward_kernel(struct cuda_embedding_forward embedding, bool whole)
{
    const uint64_t row = (uint64_t)blockIdx.x * (FORWARD_THREADS / 32) + threadIdx.x / 32;
    if (row >= embedding.rows)
        return;
    const uint64_t token = cuda_embedding_token(embedding.tokens, row, embedding.length);
    const uint64_t width = embedding.width;
    T *out = (T *)embedding.out + row * width;
    const T *wte = (const T *)embedding.wte + token * width;
    const T *wpe = (const T *)embedding.wpe + row % embedding.length * width;
    if (whole)
        add_rows<true, T>(out, wte, wpe, (int)width);
    else
        add_rows<false, T>(out, wte, wpe, (int)width);
}

template <typename T>
static cudaError_t launch_forward(const struct cuda_embedding_forward *embedding,
                                  cudaStream_t stream)
{
    const uint64_t width = embedding->width;
    const bool whole = cuda_number_whole_rows<T>(embedding->out, width) &&
                       cuda_number_whole_rows<T>(embedding->wte, width) &&
                       cuda_number_whole_rows<T>(embedding->wpe, width);
    const uint64_t blocks = cuda_number_ceiling(embedding->rows, FORWARD_THREADS / 32);
    return cuda_launch(forward_kernel<T>, (unsigned)blocks, FORWARD_THREADS, stream, *embedding,
                       whole);
}

extern "C" cudaError_t cuda_embedding_forward(const struct cuda_embedding_forward *embedding,
                                              cudaStream_t stream)
{
    if (embedding->rows == 0)
        return cudaSuccess;
    return embedding->bf16 ? launch_forward<__nv_bfloat16>(embedding, stream)
                           : launch_forward<float>(embedding, stream);
}

/* --- gradient of positions --- */

#define POSITION_THREADS                                                                           \
    256 /* eight blocks of at most 32 registers a thread fill a multiprocessor */

/* Adds a group of a row of dout. */
template <bool whole, typename T, int N>
__device__ static inline void add_group(float (&sum)[N], const T *dout, int first, int width)
{
    const cuda_number_group<T, N> group = cuda_number_load<whole, T, N>(dout, first, width);
    for (int i = 0; i < N; i++)
        sum[i] += cuda_number_widen(group.value[i]);
}

template <bool whole, typename T>
__device__ static inline void position_group(const struct cuda_embedding_backward &embedding,
                                             uint64_t position, int first)
{
    constexpr int N = cuda_number_widest<T>;
    const uint64_t width = embedding.width;
    const T *dout = (const T *)embedding.dout;
    float sum[N] = {};
    for (uint64_t row = position; row < embedding.rows; row += embedding.length)
        add_group<whole, T, N>(sum, dout + row * width, first, (int)width);
    cuda_embedding_put<whole, T, N>((T *)embedding.dwpe + position * width, sum, first, (int)width,
                                    embedding.accumulate);
}

/* A thread a group of a position: its sum over the batch. Bytes: dout read, 2 an element in bf16;
 * of 8192 rows of 2048 34 MB, 8 us. */
template <typename T>
static __global__ void __launch_bounds__(POSITION_THREADS)
    position_kernel(struct cuda_embedding_backward embedding, bool whole)
{
    constexpr int N = cuda_number_widest<T>;
    const uint64_t groups = (embedding.width + N - 1) / N;
    const uint64_t index = (uint64_t)blockIdx.x * POSITION_THREADS + threadIdx.x;
    const uint64_t position = index / groups;
    if (position >= embedding.length)
        return;
    const int first = (int)(index % groups) * N;
    if (whole)
        position_group<true, T>(embedding, position, first);
    else
        position_group<false, T>(embedding, position, first);
}

template <typename T>
static cudaError_t launch_positions(const struct cuda_embedding_backward *embedding,
                                    cudaStream_t stream)
{
    const uint64_t width = embedding->width;
    const uint64_t groups = cuda_number_ceiling(width, cuda_number_widest<T>);
    const uint64_t blocks = cuda_number_ceiling(embedding->length * groups, POSITION_THREADS);
    return cuda_launch(position_kernel<T>, (unsigned)blocks, POSITION_THREADS, stream, *embedding,
                       cuda_number_whole_rows<T>(embedding->dwpe, width) &&
                           cuda_number_whole_rows<T>(embedding->dout, width));
}

template <typename T>
static cudaError_t launch_backward(const struct cuda_embedding_backward *embedding,
                                   cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    if (embedding->dwpe != nullptr)
        error = launch_positions<T>(embedding, stream);
    if (error == cudaSuccess && embedding->dwte != nullptr)
        error = cuda_embedding_add_tokens(embedding, stream);
    return error;
}

extern "C" cudaError_t cuda_embedding_backward(const struct cuda_embedding_backward *embedding,
                                               cudaStream_t stream)
{
    if (embedding->rows == 0)
        return cudaSuccess;
    return embedding->bf16 ? launch_backward<__nv_bfloat16>(embedding, stream)
                           : launch_backward<float>(embedding, stream);
}
