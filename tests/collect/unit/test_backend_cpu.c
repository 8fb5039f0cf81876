#include <criterion/criterion.h>
#include <float.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "backend_fixture.h"

static const struct model_shape shape = {
    .width = 36, .layers = 1, .heads = 3, .vocab = 101, .seq_len = 17, .micro_batch = 3};

Test(backend_cpu, is_in_the_table_and_nothing_else_is_found)
{
    const struct backend_row *row = backend_find("cpu");
    cr_assert_not_null(row);
    cr_assert_null(row->unavailable());
    cr_assert_null(backend_find("cp"));
    cr_assert_null(backend_find("cpuu"));
    cr_assert_null(backend_find(""));
}

Test(backend_cpu, refuses_sizes_beyond_what_products_can_count)
{
    struct backend_request request = {.shape = shape, .threads = 1};
    struct backend *backend = NULL;
    struct diag diag = {0};
    request.shape.vocab = (uint64_t)1 << 31;
    cr_assert_eq(backend_find("cpu")->create(&request, &backend, &diag), STATUS_USAGE);
    cr_assert_not_null(strstr(diag.text, "vocabulary is 2147483648"), "%s", diag.text);
    cr_assert_null(backend);
}

Test(backend_cpu, reserves_zeroed_aligned_memory)
{
    struct backend_fixture fixture;
    struct diag diag = {0};
    fixture_init(&fixture, &shape, MODEL_FP32, 2);
    static const uint64_t sizes[] = {1, 4096, 3000000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        void *base = NULL;
        cr_assert_eq(fixture.operations->reserve(fixture.backend, sizes[i], &base, &diag),
                     STATUS_OK, "%s", diag.text);
        cr_assert_eq((uintptr_t)base % 4096, 0);
        for (uint64_t at = 0; at < sizes[i]; at++)
            cr_assert_eq(((unsigned char *)base)[at], 0);
        memset(base, 1, sizes[i]);
        fixture.operations->unreserve(fixture.backend, base, sizes[i]);
    }
    fixture_fini(&fixture);
}

Test(backend_cpu, says_what_is_available_when_the_arena_is_too_large)
{
    struct backend_fixture fixture;
    struct diag diag = {0};
    void *base = NULL;
    fixture_init(&fixture, &shape, MODEL_FP32, 1);
    cr_assert_eq(fixture.operations->reserve(fixture.backend, (uint64_t)1 << 50, &base, &diag),
                 STATUS_ENVIRONMENT);
    cr_assert_not_null(strstr(diag.text, "1125899906842624 bytes is needed"), "%s", diag.text);
    cr_assert_not_null(strstr(diag.text, "available"), "%s", diag.text);
    cr_assert_null(base);
    fixture_fini(&fixture);
}

Test(backend_cpu, flushes_denormals_in_every_thread)
{
#if defined(__x86_64__) || defined(__aarch64__)
    struct backend_fixture fixture;
    int started = 0, kept = 0;
    /* Threads that are there already do not inherit the setting. */
#pragma omp parallel num_threads(2) reduction(+ : started)
    started++;
    cr_assert_eq(started, 2);
    fixture_init(&fixture, &shape, MODEL_FP32, 2);
#pragma omp parallel num_threads(2) reduction(+ : kept)
    {
        volatile float small = FLT_MIN;
        kept += small / 2 != 0;
    }
    cr_assert_eq(kept, 0);
    fixture_fini(&fixture);
#endif
}

Test(backend_cpu, copies_and_clears)
{
    struct backend_fixture fixture;
    fixture_init(&fixture, &shape, MODEL_FP32, 1);
    char from[100], there[100], back[100];
    for (int i = 0; i < 100; i++)
        from[i] = (char)i;
    fixture.operations->from_host(fixture.backend, there, from, 100);
    fixture.operations->fill_zero(fixture.backend, there, 10);
    fixture.operations->copy(fixture.backend, there + 50, there + 10, 20);
    fixture.operations->to_host(fixture.backend, back, there, 100);
    struct diag diag = {0};
    cr_assert_eq(fixture.operations->synchronise(fixture.backend, &diag), STATUS_OK);
    for (int i = 0; i < 100; i++)
        cr_assert_eq(back[i], i < 10 ? 0 : i >= 50 && i < 70 ? i - 40 : i);
    fixture_fini(&fixture);
}

Test(backend_cpu, measures_a_rate_in_the_workspace)
{
    struct backend_fixture fixture;
    fixture_init(&fixture, &shape, MODEL_FP32, 1);
    const double rate = fixture.operations->matrix_product_rate(fixture.backend, 3);
    /* 1e8: the slowest machine that runs this at all; 1e14: no processor's */
    cr_assert(rate > 1e8 && rate < 1e14, "%g", rate);
    fixture_fini(&fixture);
}
