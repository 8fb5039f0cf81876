#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "backend_cuda.h"
#include "cuda_emulation.h"

/* What the backend is besides its operators: made, its memory, its moments, its failures. Criterion
 * runs each test in a process of its own, so that each has a device of its own. */

static const struct backend_request small = {
    .shape = {.width = 32, .layers = 1, .heads = 2, .vocab = 64, .seq_len = 8, .micro_batch = 2},
    .dtype = MODEL_BF16,
    .threads = 1,
};

static struct backend *create(void)
{
    struct diag diag = {0};
    struct backend *backend = NULL;
    enum status status = backend_cuda_create(&small, &backend, &diag);
    cr_assert_eq(status, STATUS_OK, "%s", diag.text);
    return backend;
}

static void *reserve(struct backend *backend, uint64_t bytes)
{
    struct diag diag = {0};
    void *base = NULL;
    enum status status = backend->operations->reserve(backend, bytes, &base, &diag);
    cr_assert_eq(status, STATUS_OK, "%s", diag.text);
    return base;
}

static void synchronise(struct backend *backend)
{
    struct diag diag = {0};
    enum status status = backend->operations->synchronise(backend, &diag);
    cr_assert_eq(status, STATUS_OK, "%s", diag.text);
}

static void expect_words(const struct diag *diag, const char *words)
{
    cr_assert(strstr(diag->text, words) != NULL, "\"%s\" in: %s", words, diag->text);
}

/* --- making --- */

Test(backend_cuda, plans_without_using_the_device)
{
    struct diag diag = {0};
    uint64_t bytes = 0;
    size_t left = 0, whole = 0;
    cr_assert_eq(backend_cuda_plan(&small, &bytes, &diag), STATUS_OK, "%s", diag.text);
    cr_assert_gt(bytes, 0);
    cr_assert_eq(cudaMemGetInfo(&left, &whole), cudaSuccess);
    cr_assert_eq(left, whole);
    struct backend *backend = create();
    cr_assert_eq(backend->workspace_bytes, bytes);
    cr_assert(!backend->operations->host_memory);
    backend->operations->destroy(backend);
}

Test(backend_cuda, refuses_sizes_that_products_cannot_count)
{
    struct diag diag = {0};
    uint64_t bytes = 0;
    struct backend_request request = small;
    request.shape.vocab = UINT64_C(1) << 31;
    cr_assert_eq(backend_cuda_plan(&request, &bytes, &diag), STATUS_USAGE);
    expect_words(&diag, "vocabulary is 2147483648");
}

Test(backend_cuda, refuses_a_device_that_is_not_there)
{
    struct diag diag = {0};
    uint64_t bytes = 0;
    struct backend_request request = small;
    request.device = 1;
    cr_assert_eq(backend_cuda_plan(&request, &bytes, &diag), STATUS_ENVIRONMENT);
    expect_words(&diag, "GPU 1 is asked for, and 1 can be seen here");
}

Test(backend_cuda, says_that_the_driver_is_too_old)
{
    struct diag diag = {0};
    uint64_t bytes = 0;
    setenv("CUDA_EMULATION_DRIVER", "12040", 1);
    cr_assert_eq(backend_cuda_plan(&small, &bytes, &diag), STATUS_ENVIRONMENT);
    expect_words(&diag, "CUDA 12.4");
}

Test(backend_cuda, tells_what_fails_while_it_is_made)
{
    static const char *const calls[] = {"cudaSetDevice", "cudaStreamCreateWithPriority",
                                        "cudaHostAlloc"};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        struct diag diag = {0};
        struct backend *backend = NULL;
        cuda_emulation_fail(-1, calls[i], 1, cudaErrorMemoryAllocation);
        cr_assert_eq(backend_cuda_create(&small, &backend, &diag), STATUS_ENVIRONMENT, "%s",
                     calls[i]);
        expect_words(&diag, "GPU 0 failed, noticed at preparing it: out of memory");
        cuda_emulation_heal();
        char alive[200];
        cr_assert_eq(cuda_emulation_alive(alive, sizeof alive), 0, "%s: %s", calls[i], alive);
    }
}

Test(backend_cuda, gives_everything_back)
{
    char alive[200];
    struct backend *backend = create();
    void *base = reserve(backend, 10000);
    reserve(backend, 20000);
    timeline_restart(&backend->timeline);
    synchronise(backend);
    backend->operations->unreserve(backend, base, 10000);
    cr_assert_gt(cuda_emulation_alive(alive, sizeof alive), 0);
    backend->operations->destroy(backend);
    cr_assert_eq(cuda_emulation_alive(alive, sizeof alive), 0, "%s", alive);
}

/* --- memory --- */

Test(backend_cuda, reserves_zeroed_aligned_memory)
{
    enum { BYTES = 10000 };
    struct backend *backend = create();
    unsigned char *base = reserve(backend, BYTES);
    unsigned char host[BYTES];
    cr_assert_eq((uintptr_t)base % 4096, 0);
    backend->operations->to_host(backend, host, base, BYTES);
    synchronise(backend);
    for (size_t i = 0; i < BYTES; i++)
        cr_assert_eq(host[i], 0);
    backend->operations->unreserve(backend, base, BYTES);
    backend->operations->destroy(backend);
}

Test(backend_cuda, says_what_was_asked_and_what_is_free)
{
    struct diag diag = {0};
    struct backend *backend = create();
    void *base = NULL;
    cuda_emulation_set_memory(0, 1000000);
    cuda_emulation_set_others(0, 400000);
    enum status status = backend->operations->reserve(backend, 700000, &base, &diag);
    cr_assert_eq(status, STATUS_ENVIRONMENT);
    expect_words(&diag, "out of memory: an arena of 700000 bytes is needed, and GPU 0 has 600000 "
                        "of 1000000 free");
    cr_assert(!backend->lost);
    reserve(backend, 500000); /* the refusal is not found again */
    synchronise(backend);
    backend->operations->destroy(backend);
}

Test(backend_cuda, says_how_much_is_in_use)
{
    struct backend *backend = create();
    uint64_t before = 1, now = 0;
    cuda_emulation_set_memory(0, 1000000);
    cuda_emulation_set_others(0, 400000);
    reserve(backend, 100000);
    backend->operations->memory_used(backend, &before, &now);
    cr_assert_eq(before, 0); /* nobody can tell without the driver's library */
    cr_assert_geq(now, 500000);
    cr_assert_leq(now, 500000 + 4096); /* the arena begins at a multiple of 4096 */
    backend->operations->destroy(backend);
}

static void fill(unsigned char *bytes, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)((i * 7 + seed) % 251);
}

/* Small ones through pinned memory, large ones and the last of many past it. */
Test(backend_cuda, copies_of_every_size_arrive)
{
    enum { MOST = CUDA_STAGING_BYTES + 4096 };
    static const size_t sizes[] = {1, 64, 4097, CUDA_STAGING_BYTES - 8192, 8192, MOST};
    struct backend *backend = create();
    unsigned char *base = reserve(backend, MOST);
    unsigned char *from = malloc(MOST), *to = malloc(MOST);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        fill(from, sizes[i], (unsigned)i);
        memset(to, 0, sizes[i]);
        backend->operations->from_host(backend, base, from, sizes[i]);
        backend->operations->to_host(backend, to, base, sizes[i]);
        synchronise(backend);
        cr_assert_eq(memcmp(from, to, sizes[i]), 0, "%zu bytes", sizes[i]);
    }
    free(from);
    free(to);
    backend->operations->destroy(backend);
}

Test(backend_cuda, many_small_answers_arrive_together)
{
    enum { COUNT = 3 * CUDA_STAGING_ANSWERS };
    struct backend *backend = create();
    unsigned char *base = reserve(backend, COUNT);
    unsigned char from[COUNT], to[COUNT] = {0};
    fill(from, COUNT, 3);
    backend->operations->from_host(backend, base, from, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        backend->operations->to_host(backend, to + i, base + i, 1);
    synchronise(backend);
    cr_assert_eq(memcmp(from, to, COUNT), 0);
    backend->operations->destroy(backend);
}

Test(backend_cuda, fills_and_copies_on_the_device)
{
    struct backend *backend = create();
    unsigned char *base = reserve(backend, 256);
    unsigned char from[128], to[128];
    fill(from, sizeof from, 1);
    backend->operations->from_host(backend, base, from, sizeof from);
    backend->operations->copy(backend, base + 128, base, 128);
    backend->operations->fill_zero(backend, base + 128 + 64, 64);
    backend->operations->fill_zero(backend, base, 0);
    backend->operations->to_host(backend, to, base + 128, 128);
    synchronise(backend);
    cr_assert_eq(memcmp(from, to, 64), 0);
    for (size_t i = 64; i < 128; i++)
        cr_assert_eq(to[i], 0);
    backend->operations->destroy(backend);
}

/* --- moments --- */

Test(backend_cuda, marks_are_moments_in_order)
{
    struct backend *backend = create();
    const struct timeline *timeline = &backend->timeline;
    unsigned char *base = reserve(backend, 1 << 20);
    enum { MARKS = 1000 };
    uint64_t marks[MARKS];
    size_t events = 0;
    for (int step = 0; step < 2; step++) {
        timeline_restart(timeline);
        for (size_t i = 0; i < MARKS; i++) {
            backend->operations->fill_zero(backend, base, 1 << 10);
            marks[i] =
                timeline_mark(timeline, i % 2 == 0 ? TIMELINE_COMPUTE : TIMELINE_COMMUNICATION);
        }
        synchronise(backend);
        for (size_t i = 1; i < MARKS; i++)
            cr_assert_geq(timeline_ns(timeline, marks[i]), timeline_ns(timeline, marks[i - 1]));
        cr_assert_gt(timeline_ns(timeline, marks[MARKS - 1]), 0);
        if (step > 0) /* no events are made after the first step */
            cr_assert_eq(backend_cuda_of(backend)->timeline.count, events);
        events = backend_cuda_of(backend)->timeline.count;
    }
    backend->operations->destroy(backend);
}

/* --- failures --- */

Test(backend_cuda, the_first_failure_stays)
{
    struct diag diag = {0};
    struct backend *backend = create();
    unsigned char *base = reserve(backend, 4096);
    cuda_emulation_fail(-1, "cudaMemsetAsync", 2, cudaErrorIllegalAddress);
    backend->operations->fill_zero(backend, base, 64);
    backend->operations->fill_zero(backend, base, 64);
    cuda_emulation_fail(-1, "cudaMemcpyAsync", 1, cudaErrorLaunchFailure);
    backend->operations->copy(backend, base + 64, base, 64);
    cr_assert_eq(backend->operations->synchronise(backend, &diag), STATUS_ENVIRONMENT);
    expect_words(&diag, "GPU 0 failed, noticed at zeroing memory: an illegal memory access was "
                        "encountered (cudaErrorIllegalAddress)");
    cr_assert(backend->lost);
    cuda_emulation_heal();
    backend->operations->destroy(backend);
}

Test(backend_cuda, a_lost_device_is_called_lost)
{
    struct diag diag = {0};
    struct backend *backend = create();
    unsigned char *base = reserve(backend, 4096);
    backend->operations->fill_zero(backend, base, 64);
    cuda_emulation_lose(0, cudaErrorECCUncorrectable);
    cr_assert_eq(backend->operations->synchronise(backend, &diag), STATUS_ENVIRONMENT);
    expect_words(&diag, "GPU 0 was lost, noticed at waiting for the operators");
    expect_words(&diag, "CUDA_VISIBLE_DEVICES");
    cr_assert(backend->lost);
    cuda_emulation_heal();
    backend->operations->destroy(backend);
}
