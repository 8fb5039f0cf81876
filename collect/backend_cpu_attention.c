#include "backend_cpu_attention.h"

#include <math.h>
#include <string.h>

#include "backend_cpu_clones.h"
#include "backend_cpu_run.h"

static uint64_t padded(uint64_t count)
{
    const uint64_t mask = BACKEND_CPU_TILE_COLUMNS - 1;
    return (count + mask) & ~mask;
}

struct backend_cpu_attention backend_cpu_attention_of(const struct backend_request *request)
{
    const struct model_shape *shape = &request->shape;
    const uint64_t depth = shape->width / shape->heads;
    return (struct backend_cpu_attention){.length = shape->seq_len,
                                          .depth = depth,
                                          .width = shape->width,
                                          .padded_length = padded(shape->seq_len),
                                          .padded_depth = padded(depth),
                                          .scale = 1.0f / sqrtf((float)depth)};
}

void backend_cpu_attention_load(const struct backend_cpu *cpu, const struct backend_cpu_head *head,
                                uint64_t row, uint64_t count, float *panel)
{
    const struct backend_cpu_attention shape = backend_cpu_attention_of(&cpu->base.request);
    for (uint64_t i = 0; i < count; i++) {
        float *to = panel + i * shape.padded_depth;
        const float *from = backend_cpu_read(
            cpu, head->typed, head->first + (row + i) * head->stride, shape.depth, to);
        if (from != to)
            memcpy(to, from, shape.depth * sizeof *to);
    }
}

/* to[d, 0..15] = scale * from[0..15, d] */
BACKEND_CPU_CLONES static void transpose_rows(float *restrict to, uint64_t to_stride,
                                              const float *restrict from, uint64_t from_stride,
                                              uint64_t depth, float scale)
{
    for (uint64_t d = 0; d < depth; d++)
        for (uint64_t t = 0; t < BACKEND_CPU_TILE_COLUMNS; t++)
            to[d * to_stride + t] = scale * from[t * from_stride + d];
}

void backend_cpu_attention_transpose(const struct backend_cpu *cpu,
                                     const struct backend_cpu_head *head, float scale, float *panel,
                                     float *scratch)
{
    const struct backend_cpu_attention shape = backend_cpu_attention_of(&cpu->base.request);
    for (uint64_t row = 0; row < shape.length; row += BACKEND_CPU_TILE_COLUMNS) {
        const uint64_t rest = shape.length - row;
        const uint64_t count = rest < BACKEND_CPU_TILE_COLUMNS ? rest : BACKEND_CPU_TILE_COLUMNS;
        backend_cpu_attention_load(cpu, head, row, count, scratch);
        transpose_rows(panel + row, shape.padded_length, scratch, shape.padded_depth, shape.depth,
                       scale);
    }
}

void backend_cpu_attention_store(const struct backend_cpu *cpu, void *typed, uint64_t first,
                                 uint64_t stride, uint64_t count, const float *panel)
{
    const struct backend_cpu_attention shape = backend_cpu_attention_of(&cpu->base.request);
    for (uint64_t i = 0; i < count; i++) {
        const float *from = panel + i * shape.padded_depth;
        if (cpu->bf16)
            backend_cpu_run_narrow((uint16_t *)typed + first + i * stride, from, shape.depth);
        else
            memcpy((float *)typed + first + i * stride, from, shape.depth * sizeof *from);
    }
}
