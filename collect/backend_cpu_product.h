#ifndef RANKLEDGER_BACKEND_CPU_PRODUCT_H
#define RANKLEDGER_BACKEND_CPU_PRODUCT_H

#include "backend_cpu.h"

/*
 * out[m, n] = start + a[m, k] b[k, n], all typed and row-major. A factor that is stored transposed
 * says so. `start` is the sum of what is given: the bias of each column, a residual [m, n], and
 * with `accumulate` what `out` holds. With `gelu_input` [m, n] the result is multiplied by its
 * gelu'. Rounded once.
 */
struct backend_cpu_product {
    void *out;
    const void *a, *b;
    bool a_transposed, b_transposed;
    uint64_t m, n, k;
    const void *bias, *residual, *gelu_input;
    bool accumulate;
};

void backend_cpu_multiply(const struct backend_cpu *cpu, const struct backend_cpu_product *product);

#endif
