#include "backend_cpu_attention.h"

#include <math.h>
#include <stddef.h>

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
    const uint64_t at = head->first + row * head->stride;
    if (!cpu->bf16) {
        const struct backend_cpu_run_rows rows = {(const float *)head->typed + at,
                                                  panel,
                                                  head->stride,
                                                  shape.padded_depth,
                                                  count,
                                                  shape.depth};
        backend_cpu_run_copy_rows(&rows, NULL);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        backend_cpu_run_widen(panel + i * shape.padded_depth,
                              (const uint16_t *)head->typed + at + i * head->stride, shape.depth);
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

void backend_cpu_attention_store(const struct backend_cpu *cpu,
                                 const struct backend_cpu_place *place, float *panel,
                                 uint64_t count, const float *scales)
{
    const struct backend_cpu_attention shape = backend_cpu_attention_of(&cpu->base.request);
    if (!cpu->bf16) {
        const struct backend_cpu_run_rows rows = {panel,
                                                  (float *)place->typed + place->first,
                                                  shape.padded_depth,
                                                  place->stride,
                                                  count,
                                                  shape.depth};
        backend_cpu_run_copy_rows(&rows, scales);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        float *from = panel + i * shape.padded_depth;
        if (scales != NULL)
            backend_cpu_run_scale(from, scales[i], shape.depth);
        backend_cpu_run_narrow((uint16_t *)place->typed + place->first + i * place->stride, from,
                               shape.depth);
    }
}
