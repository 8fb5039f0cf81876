#include <math.h>

#include "backend_cpu_attention.h"
#include "backend_cpu_clones.h"
#include "backend_cpu_math.h"

/* One task: its panels in the workspace and where its results go. */
struct forward_head {
    struct backend_cpu_head query, key, value;
    float *keys;   /* [D, padded T], times the scale */
    float *values; /* [T, padded D] */
    float *block;  /* queries of a block, then their outputs [rows, padded D] */
    float *scores; /* [rows, padded T] */
    float *stats;
    void *out;
    uint64_t out_first;
};

/* Of floats: two panels, a block's scores, and room for as many rows as a transposition takes. */
uint64_t backend_cpu_attention_forward_thread_bytes(const struct backend_request *request)
{
    const struct backend_cpu_attention shape = backend_cpu_attention_of(request);
    return (shape.depth * shape.padded_length + shape.length * shape.padded_depth +
            BACKEND_CPU_TILE_COLUMNS * shape.padded_depth +
            BACKEND_CPU_ATTENTION_BLOCK * shape.padded_length) *
           sizeof(float);
}

/* Scores of `rows` rows, of which the first sees `seen` keys and each following one more. */
struct score_rows {
    float *scores;
    uint64_t stride, rows, seen;
    float *most, *sums; /* of each row */
};

/*
 * Scores become e^(score - most), zero behind what a row sees, up to what the last one does. Loops
 * go over whole vectors: what pads a row is minus infinity meanwhile, and adds next to nothing
 * (2^-125) to its sum.
 */
BACKEND_CPU_CLONES static void exponentials(const struct score_rows *block)
{
    const uint64_t mask = BACKEND_CPU_TILE_COLUMNS - 1, end = block->seen + block->rows - 1;
    for (uint64_t row = 0; row < block->rows; row++) {
        float *restrict x = block->scores + row * block->stride;
        const uint64_t seen = block->seen + row, count = (seen + mask) & ~mask;
        float most = -INFINITY, sum = 0;
        for (uint64_t i = seen; i < count; i++)
            x[i] = -INFINITY;
#pragma omp simd reduction(max : most)
        for (uint64_t i = 0; i < count; i++)
            most = x[i] > most ? x[i] : most;
#pragma omp simd reduction(+ : sum)
        for (uint64_t i = 0; i < count; i++) {
            x[i] = backend_cpu_exp(x[i] - most);
            sum += x[i];
        }
        for (uint64_t i = seen; i < end; i++)
            x[i] = 0;
        block->most[row] = most;
        block->sums[row] = sum;
    }
}

static void forward_block(const struct backend_cpu *cpu, const struct forward_head *head,
                          uint64_t first, uint64_t rows)
{
    const struct backend_cpu_attention shape = backend_cpu_attention_of(&cpu->base.request);
    const uint64_t end = first + rows, mask = BACKEND_CPU_TILE_COLUMNS - 1;
    float most[BACKEND_CPU_ATTENTION_BLOCK], sums[BACKEND_CPU_ATTENTION_BLOCK];
    struct backend_cpu_tile_product product = {.a = head->block,
                                               .a_row = shape.padded_depth,
                                               .a_depth = 1,
                                               .b = head->keys,
                                               .b_stride = shape.padded_length,
                                               .c = head->scores,
                                               .c_stride = shape.padded_length,
                                               .rows = rows,
                                               .columns = (end + mask) & ~mask,
                                               .depth = shape.depth};
    backend_cpu_attention_load(cpu, &head->query, first, rows, head->block);
    cpu->tile->multiply(&product);
    exponentials(
        &(struct score_rows){head->scores, shape.padded_length, rows, first + 1, most, sums});
    product.a = head->scores;
    product.a_row = shape.padded_length;
    product.b = head->values;
    product.b_stride = shape.padded_depth;
    product.c = head->block;
    product.c_stride = shape.padded_depth;
    product.columns = shape.padded_depth;
    product.depth = end;
    cpu->tile->multiply(&product);
    for (uint64_t row = 0; row < rows; row++) {
        head->stats[first + row] = most[row] + logf(sums[row]);
        sums[row] = 1.0f / sums[row];
    }
    const struct backend_cpu_place place = {head->out, head->out_first + first * shape.width,
                                            shape.width};
    backend_cpu_attention_store(cpu, &place, head->block, rows, sums);
}

static void forward_head(const struct backend_cpu *cpu, const struct forward_head *head)
{
    const struct backend_cpu_attention shape = backend_cpu_attention_of(&cpu->base.request);
    backend_cpu_attention_transpose(cpu, &head->key, shape.scale, head->keys, head->block);
    backend_cpu_attention_load(cpu, &head->value, 0, shape.length, head->values);
    for (uint64_t first = 0; first < shape.length; first += BACKEND_CPU_ATTENTION_BLOCK) {
        const uint64_t rest = shape.length - first;
        forward_block(cpu, head, first,
                      rest < BACKEND_CPU_ATTENTION_BLOCK ? rest : BACKEND_CPU_ATTENTION_BLOCK);
    }
}

void backend_cpu_attention_forward(struct backend *backend, void *out, float *stats,
                                   const void *qkv)
{
    const struct backend_cpu *cpu = backend_cpu_of(backend);
    const struct backend_cpu_attention shape = backend_cpu_attention_of(&backend->request);
    const uint64_t heads = backend->request.shape.heads, stride = 3 * shape.width;
    const uint64_t tasks = backend->request.shape.micro_batch * heads;
#pragma omp parallel for schedule(dynamic) num_threads(backend->request.threads)
    for (uint64_t task = 0; task < tasks; task++) {
        const uint64_t row = task / heads * shape.length, column = task % heads * shape.depth;
        const uint64_t first = row * stride + column;
        float *keys = backend_cpu_scratch(cpu);
        float *values = keys + shape.depth * shape.padded_length;
        float *block = values + shape.length * shape.padded_depth;
        const struct forward_head head = {
            .query = {qkv, first, stride},
            .key = {qkv, first + shape.width, stride},
            .value = {qkv, first + 2 * shape.width, stride},
            .keys = keys,
            .values = values,
            .block = block,
            .scores = block + BACKEND_CPU_TILE_COLUMNS * shape.padded_depth,
            .stats = stats + task * shape.length,
            .out = out,
            .out_first = row * shape.width + column,
        };
        forward_head(cpu, &head);
    }
}
