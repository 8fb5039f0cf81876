#include "backend_cpu_attention.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "backend_cpu_run.h"

struct backend_cpu_attention backend_cpu_attention_of(const struct backend_request *request)
{
    const struct model_shape *shape = &request->shape;
    const uint64_t depth = shape->width / shape->heads;
    return (struct backend_cpu_attention){shape->seq_len, depth, shape->width,
                                          1.0f / sqrtf((float)depth)};
}

/* Two tiles of scores, a number a row, and under bf16 seven panels (the backward's). */
uint64_t backend_cpu_attention_thread_bytes(const struct backend_request *request)
{
    const struct backend_cpu_attention shape = backend_cpu_attention_of(request);
    const uint64_t tiles = 2 * BACKEND_CPU_ATTENTION_TILE * shape.length + shape.length;
    const uint64_t panels = request->dtype == MODEL_BF16 ? 7 * shape.length * shape.depth : 0;
    return (tiles + panels) * sizeof(float);
}

struct backend_cpu_panel backend_cpu_panel_read(const struct backend_cpu *cpu, const void *typed,
                                                uint64_t first, uint64_t stride, float *scratch)
{
    const struct backend_cpu_attention shape = backend_cpu_attention_of(&cpu->base.request);
    if (!cpu->bf16)
        return (struct backend_cpu_panel){(const float *)typed + first, stride};
    for (uint64_t row = 0; row < shape.length; row++)
        backend_cpu_run_widen(scratch + row * shape.depth,
                              (const uint16_t *)typed + first + row * stride, shape.depth);
    return (struct backend_cpu_panel){scratch, shape.depth};
}

struct backend_cpu_target backend_cpu_target_begin(const struct backend_cpu *cpu, void *typed,
                                                   uint64_t first, uint64_t stride, float *scratch)
{
    if (!cpu->bf16)
        return (struct backend_cpu_target){(float *)typed + first, stride};
    return (struct backend_cpu_target){scratch, backend_cpu_attention_of(&cpu->base.request).depth};
}

void backend_cpu_target_end(const struct backend_cpu *cpu, void *typed, uint64_t first,
                            uint64_t stride, const struct backend_cpu_target *target)
{
    const struct backend_cpu_attention shape = backend_cpu_attention_of(&cpu->base.request);
    if (!cpu->bf16)
        return;
    for (uint64_t row = 0; row < shape.length; row++)
        backend_cpu_run_narrow((uint16_t *)typed + first + row * stride,
                               target->values + row * target->stride, shape.depth);
}

/* The softmax of a row of `seen` scores, zero behind them up to `count`; returns the logarithm of
 * the sum of exponentials. */
static float softmax_row(float *scores, uint64_t seen, uint64_t count)
{
    const float most = backend_cpu_run_maximum(scores, seen);
    const float sum = backend_cpu_run_exponentials(scores, most, seen);
    backend_cpu_run_scale(scores, 1.0f / sum, seen);
    memset(scores + seen, 0, (count - seen) * sizeof *scores);
    return most + logf(sum);
}

struct forward_head {
    struct backend_cpu_panel query, key, value;
    struct backend_cpu_target out;
    float *scores, *stats;
};

static void forward_tile(const struct backend_cpu_attention *shape, const struct forward_head *head,
                         uint64_t first, uint64_t rows)
{
    const int m = (int)rows, seen = (int)(first + rows), depth = (int)shape->depth;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, seen, depth, shape->scale,
                head->query.values + first * head->query.stride, (int)head->query.stride,
                head->key.values, (int)head->key.stride, 0, head->scores, seen);
    for (uint64_t row = 0; row < rows; row++)
        head->stats[first + row] =
            softmax_row(head->scores + row * (first + rows), first + row + 1, first + rows);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, depth, seen, 1, head->scores, seen,
                head->value.values, (int)head->value.stride, 0,
                head->out.values + first * head->out.stride, (int)head->out.stride);
}

void backend_cpu_attention_forward(struct backend *backend, void *out, float *stats,
                                   const void *qkv)
{
    const struct backend_cpu *cpu = backend_cpu_of(backend);
    const struct backend_cpu_attention shape = backend_cpu_attention_of(&backend->request);
    const uint64_t heads = backend->request.shape.heads, width = shape.width;
    const uint64_t tasks = backend->request.shape.micro_batch * heads;
    const uint64_t panel = shape.length * shape.depth;
#pragma omp parallel for schedule(dynamic) num_threads(backend->request.threads)
    for (uint64_t task = 0; task < tasks; task++) {
        const uint64_t row = task / heads * shape.length, column = task % heads * shape.depth;
        const uint64_t at = row * 3 * width + column, at_out = row * width + column;
        float *scores = backend_cpu_scratch(cpu);
        float *panels = scores + 2 * BACKEND_CPU_ATTENTION_TILE * shape.length + shape.length;
        const struct forward_head head = {
            .query = backend_cpu_panel_read(cpu, qkv, at, 3 * width, panels),
            .key = backend_cpu_panel_read(cpu, qkv, at + width, 3 * width, panels + panel),
            .value =
                backend_cpu_panel_read(cpu, qkv, at + 2 * width, 3 * width, panels + 2 * panel),
            .out = backend_cpu_target_begin(cpu, out, at_out, width, panels + 3 * panel),
            .scores = scores,
            .stats = stats + task * shape.length,
        };
        for (uint64_t first = 0; first < shape.length; first += BACKEND_CPU_ATTENTION_TILE) {
            const uint64_t rest = shape.length - first;
            forward_tile(&shape, &head, first,
                         rest < BACKEND_CPU_ATTENTION_TILE ? rest : BACKEND_CPU_ATTENTION_TILE);
        }
        backend_cpu_target_end(cpu, out, at_out, width, &head.out);
    }
}
