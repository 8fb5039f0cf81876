#include <stddef.h>

#include "backend_cpu_attention.h"
#include "backend_cpu_clones.h"
#include "backend_cpu_math.h"

/* Blocks of rows whose part in the gradients of keys and values is added at once. */
enum { TILE = 4 * BACKEND_CPU_ATTENTION_BLOCK };

/* One task: panels in the workspace, [T, padded D] unless said otherwise. */
struct backward_head {
    float *keys_across, *values_across; /* [D, padded T]; the keys times the scale */
    float *queries, *keys, *douts;
    float *dkeys, *dvalues;
    float *dqueries;                /* [TILE, padded D] */
    float *probabilities, *dscores; /* [TILE, padded T] */
    float *along;                   /* [T]: dout . out of each row */
    const float *stats;
};

static uint64_t panel_floats(const struct backend_cpu_attention *shape)
{
    return shape->length * shape->padded_depth;
}

static uint64_t across_floats(const struct backend_cpu_attention *shape)
{
    return shape->depth * shape->padded_length;
}

uint64_t backend_cpu_attention_backward_thread_bytes(const struct backend_request *request)
{
    const struct backend_cpu_attention shape = backend_cpu_attention_of(request);
    return (2 * across_floats(&shape) + 5 * panel_floats(&shape) + TILE * shape.padded_depth +
            2 * TILE * shape.padded_length + shape.length) *
           sizeof(float);
}

static struct backward_head place_panels(const struct backend_cpu *cpu)
{
    const struct backend_cpu_attention shape = backend_cpu_attention_of(&cpu->base.request);
    struct backward_head head;
    float *next = backend_cpu_scratch(cpu);
    float **const panels[] = {&head.queries, &head.keys, &head.douts, &head.dkeys, &head.dvalues};
    head.keys_across = next;
    head.values_across = next += across_floats(&shape);
    next += across_floats(&shape);
    for (size_t i = 0; i < sizeof panels / sizeof panels[0]; i++, next += panel_floats(&shape))
        *panels[i] = next;
    head.dqueries = next;
    head.probabilities = next += TILE * shape.padded_depth;
    head.dscores = next += TILE * shape.padded_length;
    head.along = next + TILE * shape.padded_length;
    return head;
}

/* Rows of scores and of gradients of probabilities, of which the first sees `seen` keys and each
 * following one more. */
struct gradient_rows {
    float *scores, *gradients;
    uint64_t stride, rows, seen;
    const float *stats, *along;
    float scale;
};

/*
 * Scores become probabilities p, and their gradients dp those of the scaled scores, scale p (dp -
 * sum of p dp); that sum is dout . out. Zero behind what a row sees, up to what the last one does.
 * Loops go over whole vectors.
 */
BACKEND_CPU_CLONES static void score_gradients(const struct gradient_rows *block)
{
    const uint64_t mask = BACKEND_CPU_TILE_COLUMNS - 1, end = block->seen + block->rows - 1;
    const float scale = block->scale;
    for (uint64_t row = 0; row < block->rows; row++) {
        float *restrict p = block->scores + row * block->stride;
        float *restrict dp = block->gradients + row * block->stride;
        const uint64_t seen = block->seen + row, count = (seen + mask) & ~mask;
        const float logarithm = block->stats[row], along = block->along[row];
        for (uint64_t i = 0; i < count; i++) {
            p[i] = backend_cpu_exp(p[i] - logarithm);
            dp[i] = scale * p[i] * (dp[i] - along);
        }
        for (uint64_t i = seen; i < end; i++)
            p[i] = dp[i] = 0;
    }
}

BACKEND_CPU_CLONES static float row_product(const float *a, const float *b, uint64_t count)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (uint64_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/*
 * Probabilities and gradients of scores of a block, zero between the diagonal and the block's end,
 * and the gradient of its queries. `row`: of the block's first row in the tile that begins with
 * row `first` of the sequence.
 */
static void backward_block(const struct backend_cpu *cpu, const struct backward_head *head,
                           uint64_t first, uint64_t row, uint64_t rows)
{
    const struct backend_cpu_attention shape = backend_cpu_attention_of(&cpu->base.request);
    const uint64_t begin = first + row, end = begin + rows, mask = BACKEND_CPU_TILE_COLUMNS - 1;
    float *p = head->probabilities + row * shape.padded_length;
    float *ds = head->dscores + row * shape.padded_length;
    struct backend_cpu_tile_product product = {.a = head->queries + begin * shape.padded_depth,
                                               .a_row = shape.padded_depth,
                                               .a_depth = 1,
                                               .b = head->keys_across,
                                               .b_stride = shape.padded_length,
                                               .c = p,
                                               .c_stride = shape.padded_length,
                                               .rows = rows,
                                               .columns = (end + mask) & ~mask,
                                               .depth = shape.depth};
    cpu->tile->multiply(&product);
    product.a = head->douts + begin * shape.padded_depth;
    product.b = head->values_across;
    product.c = ds;
    cpu->tile->multiply(&product);
    score_gradients(&(struct gradient_rows){p, ds, shape.padded_length, rows, begin + 1,
                                            head->stats + begin, head->along + begin, shape.scale});
    product.a = ds;
    product.a_row = shape.padded_length;
    product.b = head->keys;
    product.b_stride = shape.padded_depth;
    product.c = head->dqueries + row * shape.padded_depth;
    product.c_stride = shape.padded_depth;
    product.columns = shape.padded_depth;
    product.depth = end;
    cpu->tile->multiply(&product);
}

/*
 * Adds a tile's part in the gradients of keys and values, for a block of keys at a time: key k is
 * seen by the rows from k on. The last tile comes first, sees all keys, and sets.
 */
static void backward_keys(const struct backend_cpu *cpu, const struct backward_head *head,
                          uint64_t first, uint64_t rows)
{
    const struct backend_cpu_attention shape = backend_cpu_attention_of(&cpu->base.request);
    const uint64_t end = first + rows;
    for (uint64_t key = 0; key < end; key += BACKEND_CPU_ATTENTION_BLOCK) {
        const uint64_t unseen = key > first ? key - first : 0; /* rows of the tile */
        const uint64_t rest = end - key;
        struct backend_cpu_tile_product product = {
            .a = head->probabilities + unseen * shape.padded_length + key,
            .a_row = 1,
            .a_depth = shape.padded_length,
            .b = head->douts + (first + unseen) * shape.padded_depth,
            .b_stride = shape.padded_depth,
            .c = head->dvalues + key * shape.padded_depth,
            .c_stride = shape.padded_depth,
            .rows = rest < BACKEND_CPU_ATTENTION_BLOCK ? rest : BACKEND_CPU_ATTENTION_BLOCK,
            .columns = shape.padded_depth,
            .depth = rows - unseen,
            .add = end < shape.length};
        cpu->tile->multiply(&product);
        product.a = head->dscores + unseen * shape.padded_length + key;
        product.b = head->queries + (first + unseen) * shape.padded_depth;
        product.c = head->dkeys + key * shape.padded_depth;
        cpu->tile->multiply(&product);
    }
}

/* Panels of one head, and dout . out of every row; `out` passes through the place of dkeys. */
static void load_panels(const struct backend_cpu *cpu, const struct backward_head *head,
                        const struct backend_cpu_head parts[5])
{
    const struct backend_cpu_attention shape = backend_cpu_attention_of(&cpu->base.request);
    backend_cpu_attention_load(cpu, &parts[0], 0, shape.length, head->queries);
    backend_cpu_attention_load(cpu, &parts[1], 0, shape.length, head->keys);
    backend_cpu_attention_transpose(cpu, &parts[1], shape.scale, head->keys_across, head->dqueries);
    backend_cpu_attention_transpose(cpu, &parts[2], 1, head->values_across, head->dqueries);
    backend_cpu_attention_load(cpu, &parts[3], 0, shape.length, head->douts);
    backend_cpu_attention_load(cpu, &parts[4], 0, shape.length, head->dkeys);
    for (uint64_t row = 0; row < shape.length; row++)
        head->along[row] = row_product(head->douts + row * shape.padded_depth,
                                       head->dkeys + row * shape.padded_depth, shape.depth);
}

/* `first`: dqkv's element of the first query. */
static void backward_head(const struct backend_cpu *cpu, const struct backward_head *head,
                          void *dqkv, uint64_t first)
{
    const struct backend_cpu_attention shape = backend_cpu_attention_of(&cpu->base.request);
    const uint64_t stride = 3 * shape.width;
    for (uint64_t tile = (shape.length + TILE - 1) / TILE * TILE; tile > 0; tile -= TILE) {
        const uint64_t begin = tile - TILE;
        const uint64_t rows = tile < shape.length ? TILE : shape.length - begin;
        for (uint64_t row = 0; row < rows; row += BACKEND_CPU_ATTENTION_BLOCK)
            backward_block(cpu, head, begin, row,
                           rows - row < BACKEND_CPU_ATTENTION_BLOCK ? rows - row
                                                                    : BACKEND_CPU_ATTENTION_BLOCK);
        const struct backend_cpu_place queries = {dqkv, first + begin * stride, stride};
        backend_cpu_attention_store(cpu, &queries, head->dqueries, rows, NULL);
        backward_keys(cpu, head, begin, rows);
    }
    const struct backend_cpu_place keys = {dqkv, first + shape.width, stride};
    const struct backend_cpu_place values = {dqkv, first + 2 * shape.width, stride};
    backend_cpu_attention_store(cpu, &keys, head->dkeys, shape.length, NULL);
    backend_cpu_attention_store(cpu, &values, head->dvalues, shape.length, NULL);
}

void backend_cpu_attention_backward(struct backend *backend, void *dqkv, const void *dout,
                                    const void *out, const float *stats, const void *qkv)
{
    const struct backend_cpu *cpu = backend_cpu_of(backend);
    const struct backend_cpu_attention shape = backend_cpu_attention_of(&backend->request);
    const uint64_t heads = backend->request.shape.heads, stride = 3 * shape.width;
    const uint64_t tasks = backend->request.shape.micro_batch * heads;
#pragma omp parallel for schedule(dynamic) num_threads(backend->request.threads)
    for (uint64_t task = 0; task < tasks; task++) {
        const uint64_t row = task / heads * shape.length, column = task % heads * shape.depth;
        const uint64_t first = row * stride + column, first_out = row * shape.width + column;
        const struct backend_cpu_head parts[5] = {{qkv, first, stride},
                                                  {qkv, first + shape.width, stride},
                                                  {qkv, first + 2 * shape.width, stride},
                                                  {dout, first_out, shape.width},
                                                  {out, first_out, shape.width}};
        struct backward_head head = place_panels(cpu);
        head.stats = stats + task * shape.length;
        load_panels(cpu, &head, parts);
        backward_head(cpu, &head, dqkv, first);
    }
}
