/* Compiled for x86-64-v3: AVX2 and FMA, 16 registers of 8 floats. */
#define BACKEND_CPU_TILE_WIDTH 8
#define BACKEND_CPU_TILE_SUMS 6
#include "backend_cpu_tile_body.h"

void backend_cpu_tile_avx2(const struct backend_cpu_tile_product *product)
{
    backend_cpu_tile_all(product);
}
