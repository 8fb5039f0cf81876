#include <criterion/criterion.h>
#include <stdlib.h>

#include "backend_cpu_tile.h"

enum { MOST = 64, STRIDE = 80 };

/* Small integers, so that every product and sum is exact. */
static void fill(float *values, size_t count, unsigned state)
{
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        values[i] = (float)(state >> 24) - 128;
    }
}

static void expect_product(const struct backend_cpu_tile_version *version,
                           struct backend_cpu_tile_product *product)
{
    static float before[MOST * STRIDE], c[MOST * STRIDE];
    fill(before, MOST * STRIDE, 3);
    for (size_t i = 0; i < MOST * STRIDE; i++)
        c[i] = before[i];
    product->c = c;
    version->multiply(product);
    for (size_t row = 0; row < MOST; row++)
        for (size_t column = 0; column < STRIDE; column++) {
            const bool inside = row < product->rows && column < product->columns;
            float expected = inside && !product->add ? 0 : before[row * STRIDE + column];
            for (size_t k = 0; inside && k < product->depth; k++)
                expected += product->a[row * product->a_row + k * product->a_depth] *
                            product->b[k * product->b_stride + column];
            if (c[row * STRIDE + column] != expected)
                cr_assert_fail("%s: [%zu, %zu] of %zu x %zu x %zu is %g instead of %g",
                               version->name, row, column, (size_t)product->rows,
                               (size_t)product->columns, (size_t)product->depth,
                               (double)c[row * STRIDE + column], (double)expected);
        }
}

static void expect_version(const struct backend_cpu_tile_version *version)
{
    static float a[MOST * STRIDE], b[MOST * STRIDE];
    fill(a, MOST * STRIDE, 1);
    fill(b, MOST * STRIDE, 2);
    for (uint64_t rows = 1; rows <= 30; rows++)
        for (uint64_t columns = 16; columns <= 64; columns += 16)
            for (uint64_t depth = 0; depth <= 17; depth += rows % 2 ? 1 : 17)
                for (int form = 0; form < 4; form++) {
                    struct backend_cpu_tile_product product = {.a = a,
                                                               .a_row = form & 1 ? 1 : STRIDE,
                                                               .a_depth = form & 1 ? STRIDE : 1,
                                                               .b = b,
                                                               .b_stride = STRIDE,
                                                               .c_stride = STRIDE,
                                                               .rows = rows,
                                                               .columns = columns,
                                                               .depth = depth,
                                                               .add = form & 2};
                    expect_product(version, &product);
                }
}

Test(backend_cpu_tile, every_version_multiplies_and_leaves_its_surroundings_alone)
{
    for (size_t i = 0; i < backend_cpu_tile_version_count; i++)
        if (backend_cpu_tile_versions[i].supported())
            expect_version(&backend_cpu_tile_versions[i]);
}

Test(backend_cpu_tile, the_first_version_runs_anywhere_and_the_best_one_here)
{
    cr_assert(backend_cpu_tile_versions[0].supported());
    cr_assert(backend_cpu_tile_best()->supported());
}
