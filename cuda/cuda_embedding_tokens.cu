#include "cuda_embedding_parts.cuh"
#include "cuda_launch.cuh"

/*
 * A token's gradient is the sum of the rows that have it, and some tokens have very many. So the
 * rows are sorted by token, those of a token in ascending order, and added in chunks of as many
 * rows each, whatever their tokens: an order that follows from the tokens alone. A run of rows with
 * the same token that lies in one chunk is added to dwte there; of one that goes on beyond, each
 * chunk's sum goes into the workspace, and a last kernel adds them in order.
 */

/* Rows of a chunk: 8192 rows of 2048 in bf16 make 512 blocks, about four a multiprocessor. */
#define CHUNK_ROWS 32
/* Threads of a block, each with one group of columns. */
#define CHUNK_THREADS 128
/* Rows whose reads a thread has under way at once. */
#define CHUNK_HELD 8

/* Rows that one block sorts, a thread a row, by counting the rows before it: 512^2 comparisons in
 * shared memory, about 5 us, where twice the rows would take four times as long. */
#define TILE_ROWS 512

/* The workspace: tiles of tokens in ascending order with their rows; all of them likewise; the sums
 * of a chunk's first and last run. */
struct token_order {
    int32_t *tile_tokens, *tile_rows, *tokens, *rows;
    float *first_sums, *last_sums; /* [chunks, C] */
};

__host__ __device__ static inline uint64_t chunks_of(uint64_t rows)
{
    return cuda_number_ceiling(rows, CHUNK_ROWS);
}

/* int32 numbers of an array of the order, so that the next one is 16-byte aligned too. */
__host__ __device__ static inline uint64_t padded_rows(uint64_t rows)
{
    return cuda_number_ceiling(rows, 4) * 4;
}

static struct token_order place_order(const struct cuda_embedding_backward *embedding)
{
    const uint64_t padded = padded_rows(embedding->rows);
    struct token_order order;
    order.tile_tokens = (int32_t *)embedding->workspace;
    order.tile_rows = order.tile_tokens + padded;
    order.tokens = order.tile_rows + padded;
    order.rows = order.tokens + padded;
    order.first_sums = (float *)(order.rows + padded);
    order.last_sums = order.first_sums + chunks_of(embedding->rows) * embedding->width;
    return order;
}

extern "C" uint64_t cuda_embedding_workspace_bytes(const struct backend_request *request)
{
    const uint64_t rows = request->shape.micro_batch * request->shape.seq_len;
    return 4 * padded_rows(rows) * sizeof(int32_t) +
           2 * chunks_of(rows) * request->shape.width * sizeof(float);
}

/* A tile's rows in the order of their tokens, rows of one token in ascending order. */
static __global__ void __launch_bounds__(TILE_ROWS)
    sort_tile_kernel(struct token_order order, const int32_t *tokens, int rows, int length)
{
    __shared__ int32_t tile[TILE_ROWS];
    const int begin = (int)blockIdx.x * TILE_ROWS, row = begin + (int)threadIdx.x;
    const int count = rows - begin < TILE_ROWS ? rows - begin : TILE_ROWS;
    if (row < rows)
        tile[threadIdx.x] = (int32_t)cuda_embedding_token(tokens, (uint64_t)row, (uint64_t)length);
    __syncthreads();
    if (row >= rows)
        return;
    const int32_t token = tile[threadIdx.x];
    int before = 0;
    for (int i = 0; i < (int)threadIdx.x; i++)
        before += tile[i] <= token;
    for (int i = (int)threadIdx.x + 1; i < count; i++)
        before += tile[i] < token;
    order.tile_tokens[begin + before] = token;
    order.tile_rows[begin + before] = row;
}

/* How many of `count` ascending numbers are below `limit`. */
__device__ static inline int count_below(const int32_t *numbers, int count, int32_t limit)
{
    int low = 0, high = count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (numbers[middle] < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * A thread a row of a sorted tile: its place among all is the number of rows of smaller tokens, and
 * of the same token in tiles before. Nine steps a tile: 3 us for 8192 rows, 25 for 65536.
 */
static __global__ void __launch_bounds__(TILE_ROWS)
    merge_tiles_kernel(struct token_order order, int rows)
{
    const int begin = (int)blockIdx.x * TILE_ROWS, at = begin + (int)threadIdx.x;
    if (at >= rows)
        return;
    const int32_t token = order.tile_tokens[at];
    int place = (int)threadIdx.x;
    for (int tile = 0; tile < rows; tile += TILE_ROWS) {
        const int count = rows - tile < TILE_ROWS ? rows - tile : TILE_ROWS;
        if (tile != begin)
            place += count_below(order.tile_tokens + tile, count, tile < begin ? token + 1 : token);
    }
    order.tokens[place] = token;
    order.rows[place] = order.tile_rows[at];
}

/* A chunk's rows [begin, end) of the order, and a block's columns. */
template <typename T> struct chunk {
    const struct cuda_embedding_backward *embedding;
    struct token_order order;
    uint64_t index;
    int begin, end, rows, first;
};

/* A run of rows [from, to) of the order has been added: to dwte if it is complete, or to be added
 * later. */
template <bool whole, typename T, int N>
__device__ static inline void put_run(const chunk<T> &chunk, const float (&sum)[N], int from,
                                      int to)
{
    const int width = (int)chunk.embedding->width;
    const int32_t *tokens = chunk.order.tokens, token = tokens[from];
    const bool begun = from > 0 && tokens[from - 1] == token;
    const bool goes_on = to < chunk.rows && tokens[to] == token;
    if (begun || goes_on) {
        float *sums = (begun ? chunk.order.first_sums : chunk.order.last_sums) +
                      chunk.index * (uint64_t)width;
        for (int i = 0; i < N && chunk.first + i < width; i++)
            sums[chunk.first + i] = sum[i];
        return;
    }
    T *dwte = (T *)chunk.embedding->dwte + (uint64_t)token * (uint64_t)width;
    cuda_embedding_put<whole, T, N>(dwte, sum, chunk.first, width, true);
}

template <bool whole, typename T> __device__ static inline void add_chunk(const chunk<T> &chunk)
{
    constexpr int N = cuda_number_widest<T>;
    const int width = (int)chunk.embedding->width;
    const T *dout = (const T *)chunk.embedding->dout;
    float sum[N] = {};
    int from = chunk.begin;
    for (int begin = chunk.begin; begin < chunk.end; begin += CHUNK_HELD) {
        cuda_number_group<T, N> held[CHUNK_HELD];
        for (int k = 0; k < CHUNK_HELD; k++)
            if (begin + k < chunk.end)
                held[k] = cuda_number_load<whole, T, N>(
                    dout + (uint64_t)chunk.order.rows[begin + k] * (uint64_t)width, chunk.first,
                    width);
        for (int k = 0; k < CHUNK_HELD; k++) {
            const int at = begin + k;
            if (at >= chunk.end)
                break;
            for (int i = 0; i < N; i++)
                sum[i] += cuda_number_widen(held[k].value[i]);
            if (at + 1 < chunk.end && chunk.order.tokens[at + 1] == chunk.order.tokens[at])
                continue;
            put_run<whole, T, N>(chunk, sum, from, at + 1);
            for (int i = 0; i < N; i++)
                sum[i] = 0;
            from = at + 1;
        }
    }
}

/*
 * Block: one chunk and CHUNK_THREADS groups of columns. Bytes: dout read, a row of dwte read and
 * written for each token that is there. 8192 rows of 2048 in bf16, all of different tokens: 101 MB,
 * 23 us; of few: 34 MB, 8 us.
 */
template <typename T>
static __global__ void __launch_bounds__(CHUNK_THREADS)
    add_chunk_kernel(struct cuda_embedding_backward embedding, struct token_order order,
                     unsigned parts, bool whole)
{
    constexpr int N = cuda_number_widest<T>;
    chunk<T> chunk;
    chunk.embedding = &embedding;
    chunk.order = order;
    chunk.index = blockIdx.x / parts;
    chunk.rows = (int)embedding.rows;
    chunk.begin = (int)chunk.index * CHUNK_ROWS;
    chunk.end = chunk.begin + CHUNK_ROWS < chunk.rows ? chunk.begin + CHUNK_ROWS : chunk.rows;
    chunk.first = (int)(blockIdx.x % parts * CHUNK_THREADS + threadIdx.x) * N;
    if (chunk.first >= (int)embedding.width)
        return;
    if (whole)
        add_chunk<true, T>(chunk);
    else
        add_chunk<false, T>(chunk);
}

/*
 * Block: a chunk whose last run begins in it and goes on, and 128 columns: adds the sums of that
 * run's chunks in order. Bytes: 4 of fp32 per 32 rows and column at most, 8 MB for 8192 rows of
 * 2048, still in the cache.
 */
template <typename T>
static __global__ void __launch_bounds__(CHUNK_THREADS)
    add_long_runs_kernel(struct cuda_embedding_backward embedding, struct token_order order,
                         unsigned parts)
{
    const uint64_t chunk = blockIdx.x / parts, width = embedding.width;
    const uint64_t column = (uint64_t)(blockIdx.x % parts) * CHUNK_THREADS + threadIdx.x;
    const int32_t *tokens = order.tokens;
    uint64_t next = (chunk + 1) * CHUNK_ROWS; /* the first row of the chunk behind */
    if (column >= width || next >= embedding.rows || tokens[next - 1] != tokens[next])
        return;
    const int32_t token = tokens[next];
    if (tokens[chunk * CHUNK_ROWS] == token && chunk > 0 && tokens[chunk * CHUNK_ROWS - 1] == token)
        return; /* begun in a chunk before */
    float sum = order.last_sums[chunk * width + column];
    for (; next < embedding.rows && tokens[next] == token; next += CHUNK_ROWS)
        sum += order.first_sums[next / CHUNK_ROWS * width + column];
    T *to = (T *)embedding.dwte + (uint64_t)token * width + column;
    *to = cuda_number_narrow<T>(cuda_number_widen(*to) + sum);
}

static cudaError_t launch_sort(const struct cuda_embedding_backward *embedding,
                               const struct token_order &order, cudaStream_t stream)
{
    const unsigned tiles = (unsigned)cuda_number_ceiling(embedding->rows, TILE_ROWS);
    const int rows = (int)embedding->rows;
    const cudaError_t error = cuda_launch(sort_tile_kernel, tiles, TILE_ROWS, stream, order,
                                          embedding->tokens, rows, (int)embedding->length);
    if (error != cudaSuccess)
        return error;
    return cuda_launch(merge_tiles_kernel, tiles, TILE_ROWS, stream, order, rows);
}

template <typename T>
static cudaError_t launch_tokens(const struct cuda_embedding_backward *embedding,
                                 cudaStream_t stream)
{
    constexpr int N = cuda_number_widest<T>;
    const struct token_order order = place_order(embedding);
    const uint64_t chunks = chunks_of(embedding->rows), width = embedding->width;
    const uint64_t parts = cuda_number_ceiling(width, CHUNK_THREADS * N);
    cudaError_t error = launch_sort(embedding, order, stream);
    if (error == cudaSuccess)
        error = cuda_launch(add_chunk_kernel<T>, (unsigned)(chunks * parts), CHUNK_THREADS, stream,
                            *embedding, order, (unsigned)parts,
                            cuda_number_whole_rows<T>(embedding->dwte, width) &&
                                cuda_number_whole_rows<T>(embedding->dout, width));
    const uint64_t columns = cuda_number_ceiling(width, CHUNK_THREADS);
    if (error == cudaSuccess && chunks > 1)
        error = cuda_launch(add_long_runs_kernel<T>, (unsigned)((chunks - 1) * columns),
                            CHUNK_THREADS, stream, *embedding, order, (unsigned)columns);
    return error;
}

cudaError_t cuda_embedding_add_tokens(const struct cuda_embedding_backward *embedding,
                                      cudaStream_t stream)
{
    return embedding->bf16 ? launch_tokens<__nv_bfloat16>(embedding, stream)
                           : launch_tokens<float>(embedding, stream);
}
