#ifndef RANKLEDGER_BACKEND_CPU_TILE_H
#define RANKLEDGER_BACKEND_CPU_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Products of the small matrices that attention is made of. A BLAS copies both factors into panels
 * of its own first, which for a depth of one head costs half as much as the product; here the
 * factors lie in the cache already, in an order that can be used as it is.
 *
 * c[rows, columns] = a[rows, depth] b[depth, columns], or += with `add`. Element (row, k) of a is
 * a[row * a_row + k * a_depth], so that a may be stored transposed; rows of b and c are contiguous.
 * `columns` is a multiple of BACKEND_CPU_TILE_COLUMNS: whoever has fewer pads his rows.
 */
enum {
    BACKEND_CPU_TILE_COLUMNS = 16,
    BACKEND_CPU_TILE_ROWS = 12 /* a number of rows that every version does at full speed */
};

struct backend_cpu_tile_product {
    const float *a;
    uint64_t a_row, a_depth;
    const float *b;
    uint64_t b_stride;
    float *c;
    uint64_t c_stride;
    uint64_t rows, columns, depth;
    bool add;
};

/* One for each kind of processor, the best last. */
struct backend_cpu_tile_version {
    const char *name;
    bool (*supported)(void);
    void (*multiply)(const struct backend_cpu_tile_product *product);
};

extern const struct backend_cpu_tile_version backend_cpu_tile_versions[];
extern const size_t backend_cpu_tile_version_count;

/* The best version that this machine supports. */
const struct backend_cpu_tile_version *backend_cpu_tile_best(void);

void backend_cpu_tile_avx2(const struct backend_cpu_tile_product *product);
void backend_cpu_tile_avx512(const struct backend_cpu_tile_product *product);

#endif
