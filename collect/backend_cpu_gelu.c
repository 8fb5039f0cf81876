#include "backend_cpu_clones.h"
#include "backend_cpu_math.h"
#include "backend_cpu_product.h"

BACKEND_CPU_CLONES void backend_cpu_gelu_slope_run(float *restrict to, const float *restrict input,
                                                   uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        to[i] *= backend_cpu_gelu_slope(input[i]);
}

BACKEND_CPU_CLONES void backend_cpu_gelu_run(float *restrict out, const float *restrict in,
                                             uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        out[i] = backend_cpu_gelu(in[i]);
}
