#include <math.h>
#include <string.h>

#include "backend_cpu_attention.h"
#include "backend_cpu_run.h"

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

/* Exponentials of a row's `seen` scores, zero behind them up to `end`; the sum's reciprocal. */
static float exponentials(float *scores, uint64_t seen, uint64_t end, float *logarithm)
{
    const float most = backend_cpu_run_maximum(scores, seen);
    const float sum = backend_cpu_run_exponentials(scores, most, seen);
    memset(scores + seen, 0, (end - seen) * sizeof *scores);
    *logarithm = most + logf(sum);
    return 1.0f / sum;
}

static void forward_block(const struct backend_cpu *cpu, const struct forward_head *head,
                          uint64_t first, uint64_t rows)
{
    const struct backend_cpu_attention shape = backend_cpu_attention_of(&cpu->base.request);
    const uint64_t end = first + rows, mask = BACKEND_CPU_TILE_COLUMNS - 1;
    float reciprocals[BACKEND_CPU_ATTENTION_BLOCK];
    backend_cpu_attention_load(cpu, &head->query, first, rows, head->block);
    cpu->tile->multiply(&(struct backend_cpu_tile_product){.a = head->block,
                                                           .a_row = shape.padded_depth,
                                                           .a_depth = 1,
                                                           .b = head->keys,
                                                           .b_stride = shape.padded_length,
                                                           .c = head->scores,
                                                           .c_stride = shape.padded_length,
                                                           .rows = rows,
                                                           .columns = (end + mask) & ~mask,
                                                           .depth = shape.depth});
    for (uint64_t row = 0; row < rows; row++)
        reciprocals[row] = exponentials(head->scores + row * shape.padded_length, first + row + 1,
                                        end, &head->stats[first + row]);
    cpu->tile->multiply(&(struct backend_cpu_tile_product){.a = head->scores,
                                                           .a_row = shape.padded_length,
                                                           .a_depth = 1,
                                                           .b = head->values,
                                                           .b_stride = shape.padded_depth,
                                                           .c = head->block,
                                                           .c_stride = shape.padded_depth,
                                                           .rows = rows,
                                                           .columns = shape.padded_depth,
                                                           .depth = end});
    for (uint64_t row = 0; row < rows; row++)
        backend_cpu_run_scale(head->block + row * shape.padded_depth, reciprocals[row],
                              shape.depth);
    backend_cpu_attention_store(cpu, head->out, head->out_first + first * shape.width, shape.width,
                                rows, head->block);
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
