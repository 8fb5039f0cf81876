#include "backend_cpu_product.h"

#include <cblas.h>
#include <string.h>

#include "backend_cpu_run.h"

/* bf16: tiles of at most this size are widened; 5 MiB of workspace. The depth is larger because
 * the sum over it stays in the tile of the result. */
enum { TILE_M = 512, TILE_N = 512, TILE_K = 1024 };

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t backend_cpu_product_shared_bytes(const struct backend_request *request)
{
    if (request->dtype != MODEL_BF16)
        return 0;
    return (TILE_M * TILE_N + TILE_M * TILE_K + TILE_K * TILE_N) * sizeof(float);
}

static void sgemm(const struct backend_cpu_product *product, float beta)
{
    const float *a = product->a, *b = product->b;
    const int m = (int)product->m, n = (int)product->n, k = (int)product->k;
    cblas_sgemm(CblasRowMajor, product->a_transposed ? CblasTrans : CblasNoTrans,
                product->b_transposed ? CblasTrans : CblasNoTrans, m, n, k, 1, a,
                product->a_transposed ? m : k, b, product->b_transposed ? k : n, beta, product->out,
                n);
}

/* A row of the result before the product is added. */
static void start_row(float *restrict to, const float *bias, const float *residual, uint64_t count)
{
    if (bias != NULL && residual != NULL)
        for (uint64_t i = 0; i < count; i++)
            to[i] = bias[i] + residual[i];
    else if (bias != NULL || residual != NULL)
        memcpy(to, bias != NULL ? bias : residual, count * sizeof *to);
    else
        memset(to, 0, count * sizeof *to);
}

static void multiply_fp32(const struct backend_cpu *cpu, const struct backend_cpu_product *product)
{
    const uint64_t n = product->n;
    const int threads = cpu->base.request.threads;
    float *out = product->out;
    const float *bias = product->bias, *residual = product->residual;
    const float *gelu_input = product->gelu_input;
    const bool started = bias != NULL || residual != NULL;
    if (started) {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (uint64_t row = 0; row < product->m; row++)
            start_row(out + row * n, bias, residual == NULL ? NULL : residual + row * n, n);
    }
    sgemm(product, started || product->accumulate ? 1 : 0);
    if (gelu_input == NULL)
        return;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint64_t row = 0; row < product->m; row++)
        backend_cpu_run_gelu_slope(out + row * n, gelu_input + row * n, n);
}

/* A part of a bf16 matrix as fp32: `rows` rows of `columns` from its element `first` on. */
struct tile {
    float *to;
    const uint16_t *first;
    uint64_t rows, columns, stride;
};

static void widen_tile(const struct tile *tile, int threads)
{
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint64_t row = 0; row < tile->rows; row++)
        backend_cpu_run_widen(tile->to + row * tile->columns, tile->first + row * tile->stride,
                              tile->columns);
}

/* What a tile of the result is: its place, size, and where the fp32 values are. */
struct result_tile {
    float *values;
    uint64_t row, column, rows, columns;
};

static void start_tile(const struct backend_cpu *cpu, const struct backend_cpu_product *product,
                       const struct result_tile *tile)
{
    const uint16_t *added = product->accumulate ? product->out : product->residual;
    const uint16_t *bias = product->bias;
#pragma omp parallel for schedule(static) num_threads(cpu->base.request.threads)
    for (uint64_t row = 0; row < tile->rows; row++) {
        float first[TILE_N], second[TILE_N];
        const uint64_t at = (tile->row + row) * product->n + tile->column;
        if (bias != NULL)
            backend_cpu_run_widen(first, bias + tile->column, tile->columns);
        if (added != NULL)
            backend_cpu_run_widen(second, added + at, tile->columns);
        start_row(tile->values + row * tile->columns, bias != NULL ? first : NULL,
                  added != NULL ? second : NULL, tile->columns);
    }
}

static void finish_tile(const struct backend_cpu *cpu, const struct backend_cpu_product *product,
                        const struct result_tile *tile)
{
    const uint16_t *gelu_input = product->gelu_input;
    uint16_t *out = product->out;
#pragma omp parallel for schedule(static) num_threads(cpu->base.request.threads)
    for (uint64_t row = 0; row < tile->rows; row++) {
        float input[TILE_N];
        const uint64_t at = (tile->row + row) * product->n + tile->column;
        float *values = tile->values + row * tile->columns;
        if (gelu_input != NULL) {
            backend_cpu_run_widen(input, gelu_input + at, tile->columns);
            backend_cpu_run_gelu_slope(values, input, tile->columns);
        }
        backend_cpu_run_narrow(out + at, values, tile->columns);
    }
}

/* Adds to the tile the product over the depth from `depth` on, TILE_K of it at most. */
static void multiply_tile(const struct backend_cpu *cpu, const struct backend_cpu_product *product,
                          const struct result_tile *tile, uint64_t depth)
{
    const int threads = cpu->base.request.threads;
    const uint64_t k = least(TILE_K, product->k - depth);
    float *a = tile->values + TILE_M * TILE_N;
    float *b = a + TILE_M * TILE_K;
    const uint16_t *from_a = product->a, *from_b = product->b;
    const struct tile part_a =
        product->a_transposed
            ? (struct tile){a, from_a + depth * product->m + tile->row, k, tile->rows, product->m}
            : (struct tile){a, from_a + tile->row * product->k + depth, tile->rows, k, product->k};
    const struct tile part_b = product->b_transposed
                                   ? (struct tile){b, from_b + tile->column * product->k + depth,
                                                   tile->columns, k, product->k}
                                   : (struct tile){b, from_b + depth * product->n + tile->column, k,
                                                   tile->columns, product->n};
    widen_tile(&part_a, threads);
    widen_tile(&part_b, threads);
    const struct backend_cpu_product part = {.out = tile->values,
                                             .a = a,
                                             .b = b,
                                             .a_transposed = product->a_transposed,
                                             .b_transposed = product->b_transposed,
                                             .m = tile->rows,
                                             .n = tile->columns,
                                             .k = k};
    sgemm(&part, 1);
}

static void multiply_bf16(const struct backend_cpu *cpu, const struct backend_cpu_product *product)
{
    for (uint64_t column = 0; column < product->n; column += TILE_N)
        for (uint64_t row = 0; row < product->m; row += TILE_M) {
            const struct result_tile tile = {backend_cpu_shared(cpu), row, column,
                                             least(TILE_M, product->m - row),
                                             least(TILE_N, product->n - column)};
            start_tile(cpu, product, &tile);
            for (uint64_t depth = 0; depth < product->k; depth += TILE_K)
                multiply_tile(cpu, product, &tile, depth);
            finish_tile(cpu, product, &tile);
        }
}

void backend_cpu_multiply(const struct backend_cpu *cpu, const struct backend_cpu_product *product)
{
    if (cpu->bf16)
        multiply_bf16(cpu, product);
    else
        multiply_fp32(cpu, product);
}
