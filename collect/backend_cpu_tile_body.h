#ifndef RANKLEDGER_BACKEND_CPU_TILE_BODY_H
#define RANKLEDGER_BACKEND_CPU_TILE_BODY_H

#include <string.h>

#include "backend_cpu_tile.h"

/*
 * The body of every version of the tile product. A file that includes it is compiled for one kind
 * of processor and says how many floats its vectors have and how many rows of sums its registers
 * hold, beside two vectors of b: with 16 registers 6 rows of 2, with 32 of them 12. (Vectors are
 * written out because a loop's sums do not stay in registers otherwise; that is also why the
 * processor is chosen for a whole file: a function's clones are made after vectors are taken
 * apart.)
 */
#ifndef BACKEND_CPU_TILE_WIDTH
#define BACKEND_CPU_TILE_WIDTH 4
#define BACKEND_CPU_TILE_SUMS 6
#endif

typedef float backend_cpu_tile_vector
    __attribute__((vector_size(BACKEND_CPU_TILE_WIDTH * sizeof(float))));

/* `rows` and `vectors` are constants where this is called, so that all loops over them unroll. */
static inline __attribute__((always_inline)) void
backend_cpu_tile_block(const struct backend_cpu_tile_product *product, uint64_t row,
                       uint64_t column, const int rows, const int vectors)
{
    backend_cpu_tile_vector sums[BACKEND_CPU_TILE_SUMS][2];
    float *c = product->c + row * product->c_stride + column;
    const float *a = product->a + row * product->a_row;
    const float *b = product->b + column;
    const size_t size = sizeof sums[0][0];
#pragma GCC unroll 12
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++)
            sums[i][v] = (backend_cpu_tile_vector){0};
    for (uint64_t k = 0; k < product->depth; k++) {
        backend_cpu_tile_vector factor[2];
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++)
            memcpy(&factor[v], b + v * BACKEND_CPU_TILE_WIDTH, size);
#pragma GCC unroll 12
        for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
            for (int v = 0; v < vectors; v++)
                sums[i][v] += a[(uint64_t)i * product->a_row] * factor[v];
        a += product->a_depth;
        b += product->b_stride;
    }
#pragma GCC unroll 12
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++) {
            float *to = c + (uint64_t)i * product->c_stride + v * BACKEND_CPU_TILE_WIDTH;
            backend_cpu_tile_vector before = {0};
            if (product->add)
                memcpy(&before, to, size);
            before += sums[i][v];
            memcpy(to, &before, size);
        }
}

static inline __attribute__((always_inline)) void
backend_cpu_tile_columns(const struct backend_cpu_tile_product *product, uint64_t column,
                         const int vectors)
{
    uint64_t row = 0;
    for (; product->rows - row >= BACKEND_CPU_TILE_SUMS; row += BACKEND_CPU_TILE_SUMS)
        backend_cpu_tile_block(product, row, column, BACKEND_CPU_TILE_SUMS, vectors);
    for (; product->rows - row >= 4; row += 4)
        backend_cpu_tile_block(product, row, column, 4, vectors);
    for (; row < product->rows; row++)
        backend_cpu_tile_block(product, row, column, 1, vectors);
}

static inline void backend_cpu_tile_all(const struct backend_cpu_tile_product *product)
{
    uint64_t column = 0;
    for (; product->columns - column >= 2 * BACKEND_CPU_TILE_WIDTH;
         column += 2 * BACKEND_CPU_TILE_WIDTH)
        backend_cpu_tile_columns(product, column, 2);
    if (column < product->columns)
        backend_cpu_tile_columns(product, column, 1);
}

#endif
