#include <cblas.h>
#include <string.h>

#include "backend_cpu_attention.h"
#include "backend_cpu_clones.h"
#include "backend_cpu_math.h"

struct backward_head {
    struct backend_cpu_panel query, key, value, dout;
    struct backend_cpu_target dquery, dkey, dvalue;
    float *probabilities, *dscores; /* tiles */
    float *along;                   /* [T]: dout . out of each row */
    const float *stats;
};

/* Scores to probabilities. */
BACKEND_CPU_CLONES static void row_probabilities(float *x, float logarithm, uint64_t count)
{
#pragma omp simd
    for (uint64_t i = 0; i < count; i++)
        x[i] = backend_cpu_exp(x[i] - logarithm);
}

/* The softmax' gradient: ds = scale p (dp - sum of p dp), and that sum is dout . out. */
BACKEND_CPU_CLONES static void row_dscores(float *restrict dscores, const float *restrict p,
                                           float along, float scale, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        dscores[i] = scale * p[i] * (dscores[i] - along);
}

BACKEND_CPU_CLONES static float row_product(const float *a, const float *b, uint64_t count)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (uint64_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* p and ds of a tile: `seen` columns, zero above the diagonal. */
static void tile_dscores(const struct backend_cpu_attention *shape,
                         const struct backward_head *head, uint64_t first, uint64_t rows)
{
    const uint64_t seen = first + rows;
    const int m = (int)rows, n = (int)seen, depth = (int)shape->depth;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, depth, shape->scale,
                head->query.values + first * head->query.stride, (int)head->query.stride,
                head->key.values, (int)head->key.stride, 0, head->probabilities, n);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, depth, 1,
                head->dout.values + first * head->dout.stride, (int)head->dout.stride,
                head->value.values, (int)head->value.stride, 0, head->dscores, n);
    for (uint64_t row = 0; row < rows; row++) {
        float *p = head->probabilities + row * seen, *ds = head->dscores + row * seen;
        const uint64_t live = first + row + 1;
        row_probabilities(p, head->stats[first + row], live);
        row_dscores(ds, p, head->along[first + row], shape->scale, live);
        memset(p + live, 0, (seen - live) * sizeof *p);
        memset(ds + live, 0, (seen - live) * sizeof *ds);
    }
}

/* `beta` 0 for the tile that comes first: it is the last of the sequence, whose keys are all. */
static void backward_tile(const struct backend_cpu_attention *shape,
                          const struct backward_head *head, uint64_t first, uint64_t rows)
{
    const int m = (int)rows, n = (int)(first + rows), depth = (int)shape->depth;
    const float beta = first + rows == shape->length ? 0 : 1;
    tile_dscores(shape, head, first, rows);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, depth, m, 1, head->probabilities, n,
                head->dout.values + first * head->dout.stride, (int)head->dout.stride, beta,
                head->dvalue.values, (int)head->dvalue.stride);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, depth, m, 1, head->dscores, n,
                head->query.values + first * head->query.stride, (int)head->query.stride, beta,
                head->dkey.values, (int)head->dkey.stride);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, depth, n, 1, head->dscores, n,
                head->key.values, (int)head->key.stride, 0,
                head->dquery.values + first * head->dquery.stride, (int)head->dquery.stride);
}

/* dout . out of every row; `out` is widened where dquery will be written later. */
static void rows_along(const struct backend_cpu *cpu, const struct backward_head *head,
                       const void *out, uint64_t at, float *scratch)
{
    const struct backend_cpu_attention shape = backend_cpu_attention_of(&cpu->base.request);
    const struct backend_cpu_panel panel =
        backend_cpu_panel_read(cpu, out, at, shape.width, scratch);
    for (uint64_t row = 0; row < shape.length; row++)
        head->along[row] = row_product(panel.values + row * panel.stride,
                                       head->dout.values + row * head->dout.stride, shape.depth);
}

static void backward_head(const struct backend_cpu *cpu, const struct backward_head *head)
{
    const struct backend_cpu_attention shape = backend_cpu_attention_of(&cpu->base.request);
    const uint64_t tile = BACKEND_CPU_ATTENTION_TILE;
    const uint64_t tiles = (shape.length + tile - 1) / tile;
    for (uint64_t index = tiles; index-- > 0;) {
        const uint64_t first = index * tile, rest = shape.length - first;
        backward_tile(&shape, head, first, rest < tile ? rest : tile);
    }
}

void backend_cpu_attention_backward(struct backend *backend, void *dqkv, const void *dout,
                                    const void *out, const float *stats, const void *qkv)
{
    const struct backend_cpu *cpu = backend_cpu_of(backend);
    const struct backend_cpu_attention shape = backend_cpu_attention_of(&backend->request);
    const uint64_t heads = backend->request.shape.heads, width = shape.width;
    const uint64_t tasks = backend->request.shape.micro_batch * heads;
    const uint64_t size = shape.length * shape.depth, tile = BACKEND_CPU_ATTENTION_TILE;
#pragma omp parallel for schedule(dynamic) num_threads(backend->request.threads)
    for (uint64_t task = 0; task < tasks; task++) {
        const uint64_t row = task / heads * shape.length, column = task % heads * shape.depth;
        const uint64_t at = row * 3 * width + column, at_out = row * width + column;
        const uint64_t stride = 3 * width;
        float *scratch = backend_cpu_scratch(cpu);
        float *panels = scratch + 2 * tile * shape.length + shape.length;
        const struct backward_head head = {
            .query = backend_cpu_panel_read(cpu, qkv, at, stride, panels),
            .key = backend_cpu_panel_read(cpu, qkv, at + width, stride, panels + size),
            .value = backend_cpu_panel_read(cpu, qkv, at + 2 * width, stride, panels + 2 * size),
            .dout = backend_cpu_panel_read(cpu, dout, at_out, width, panels + 3 * size),
            .dquery = backend_cpu_target_begin(cpu, dqkv, at, stride, panels + 4 * size),
            .dkey = backend_cpu_target_begin(cpu, dqkv, at + width, stride, panels + 5 * size),
            .dvalue =
                backend_cpu_target_begin(cpu, dqkv, at + 2 * width, stride, panels + 6 * size),
            .probabilities = scratch,
            .dscores = scratch + tile * shape.length,
            .along = scratch + 2 * tile * shape.length,
            .stats = stats + task * shape.length,
        };
        rows_along(cpu, &head, out, at_out, panels + 4 * size);
        backward_head(cpu, &head);
        backend_cpu_target_end(cpu, dqkv, at, stride, &head.dquery);
        backend_cpu_target_end(cpu, dqkv, at + width, stride, &head.dkey);
        backend_cpu_target_end(cpu, dqkv, at + 2 * width, stride, &head.dvalue);
    }
}
