#include "backend_cpu_run.h"

#include <stddef.h>

#include "backend_cpu_clones.h"
#include "backend_cpu_math.h"
#include "bfloat16.h"

BACKEND_CPU_CLONES void backend_cpu_run_widen(float *restrict to, const uint16_t *restrict from,
                                              uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = bfloat16_widen(from[i]);
}

BACKEND_CPU_CLONES void backend_cpu_run_narrow(uint16_t *restrict to, const float *restrict from,
                                               uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = bfloat16_narrow(from[i]);
}

BACKEND_CPU_CLONES void backend_cpu_run_copy_rows(const struct backend_cpu_run_rows *rows,
                                                  const float *scales)
{
    const uint64_t count = rows->count;
    for (uint64_t row = 0; row < rows->rows; row++) {
        const float *restrict from = rows->from + row * rows->from_stride;
        float *restrict to = rows->to + row * rows->to_stride;
        const float scale = scales == NULL ? 1.0f : scales[row];
        for (uint64_t i = 0; i < count; i++)
            to[i] = scale * from[i];
    }
}

BACKEND_CPU_CLONES void backend_cpu_run_add(float *restrict to, const float *restrict from,
                                            uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        to[i] += from[i];
}

BACKEND_CPU_CLONES float backend_cpu_run_maximum(const float *x, uint64_t count)
{
    float most = x[0];
#pragma omp simd reduction(max : most)
    for (uint64_t i = 0; i < count; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

BACKEND_CPU_CLONES float backend_cpu_run_exponentials(float *x, float most, uint64_t count)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (uint64_t i = 0; i < count; i++) {
        x[i] = backend_cpu_exp(x[i] - most);
        sum += x[i];
    }
    return sum;
}

BACKEND_CPU_CLONES void backend_cpu_run_scale(float *x, float scale, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        x[i] *= scale;
}

BACKEND_CPU_CLONES void backend_cpu_run_gelu(float *restrict out, const float *restrict in,
                                             uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        out[i] = backend_cpu_gelu(in[i]);
}

BACKEND_CPU_CLONES void backend_cpu_run_gelu_slope(float *restrict to, const float *restrict input,
                                                   uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        to[i] *= backend_cpu_gelu_slope(input[i]);
}
