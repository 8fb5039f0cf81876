/* Compiled for x86-64-v4: AVX-512, 32 registers of 16 floats. */
#define BACKEND_CPU_TILE_WIDTH 16
#define BACKEND_CPU_TILE_SUMS 12
#include "backend_cpu_tile_body.h"

void backend_cpu_tile_avx512(const struct backend_cpu_tile_product *product)
{
    backend_cpu_tile_all(product);
}
