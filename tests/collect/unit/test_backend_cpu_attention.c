#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend_fixture.h"
#include "operator_reference.h"

/* fp32: sums over at most 150 keys or 40 channels, exponentials within 2e-7. */
static const double fp32_forward = 3e-6, fp32_backward = 1e-5;
/* bf16 backward: dout . out takes the rounded output, 2^-8 of it. */
static const double bf16_backward = 8e-3;

struct attention {
    struct fixture_tensor qkv, out, stats, dout, dqkv;
};

static void make(struct backend_fixture *fixture, struct attention *attention, double size)
{
    const size_t count = fixture->rows * fixture->shape.width;
    attention->qkv = fixture_random(fixture, 3 * count, size, true);
    attention->dout = fixture_random(fixture, count, 1, true);
    attention->out = fixture_poisoned(fixture, count, true);
    attention->dqkv = fixture_poisoned(fixture, 3 * count, true);
    attention->stats = fixture_poisoned(fixture, fixture->rows * fixture->shape.heads, false);
}

static void run(struct backend_fixture *fixture, struct attention *attention)
{
    fixture->operations->attention_forward(fixture->backend, attention->out.data,
                                           attention->stats.data, attention->qkv.data);
    fixture->operations->attention_backward(fixture->backend, attention->dqkv.data,
                                            attention->dout.data, attention->out.data,
                                            attention->stats.data, attention->qkv.data);
}

static void unmake(struct attention *attention)
{
    fixture_free(&attention->qkv);
    fixture_free(&attention->out);
    fixture_free(&attention->stats);
    fixture_free(&attention->dout);
    fixture_free(&attention->dqkv);
}

static void expect(struct backend_fixture *fixture, struct attention *attention)
{
    double *out = fixture_zeros(attention->out.count), *dqkv = fixture_zeros(attention->qkv.count);
    double *stats = fixture_zeros(attention->stats.count);
    reference_attention(&fixture->shape, attention->qkv.values, out, stats);
    reference_attention_gradient(&fixture->shape, attention->qkv.values, attention->dout.values,
                                 dqkv);
    fixture_expect(&attention->out, out, fp32_forward, "out");
    fixture_expect(&attention->stats, stats, fp32_forward, "stats");
    /* With one key there is no gradient for query and key: then compare with that of the value. */
    fixture_expect(&attention->dqkv, dqkv, fixture->bf16 ? bf16_backward : fp32_backward, "dqkv");
    free(out);
    free(dqkv);
    free(stats);
}

static void test_small(struct backend_fixture *fixture)
{
    struct attention attention;
    make(fixture, &attention, 1);
    run(fixture, &attention);
    expect(fixture, &attention);
    unmake(&attention);
}

Test(backend_cpu_attention, agrees_with_the_reference)
{
    fixture_each(test_small);
}

static void test_lengths(size_t length, size_t width, size_t heads)
{
    const struct model_shape shape = {.width = width,
                                      .layers = 1,
                                      .heads = heads,
                                      .vocab = 2,
                                      .seq_len = length,
                                      .micro_batch = 1};
    struct backend_fixture fixture;
    fixture_init(&fixture, &shape, MODEL_FP32, 1);
    test_small(&fixture);
    fixture_fini(&fixture);
}

Test(backend_cpu_attention, agrees_at_every_border_of_its_tiles)
{
    static const size_t lengths[] = {2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 193};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        test_lengths(lengths[i], 64, 1);
        test_lengths(lengths[i], 32, 2);
        test_lengths(lengths[i], 33, 3);
        test_lengths(lengths[i], 160, 2);
    }
}

static void test_large(struct backend_fixture *fixture)
{
    /* Scores of some thousands: exponentials overflow unless the largest is taken away first. All
     * probabilities are 0 or 1 then, unless two scores are close: compared is whether it is finite
     * and within the values. */
    struct attention attention;
    make(fixture, &attention, 60);
    run(fixture, &attention);
    fixture_fetch(&attention.out);
    fixture_fetch(&attention.dqkv);
    for (size_t i = 0; i < attention.out.count; i++)
        cr_assert(fabs(attention.out.values[i]) <= 60.5, "out[%zu] is %g", i,
                  attention.out.values[i]);
    for (size_t i = 0; i < attention.dqkv.count; i++)
        cr_assert(isfinite(attention.dqkv.values[i]), "dqkv[%zu]", i);
    unmake(&attention);
}

Test(backend_cpu_attention, large_scores_do_not_overflow)
{
    fixture_each(test_large);
}

static void test_future(struct backend_fixture *fixture)
{
    /* What a row sees ends with itself: changing the last position leaves all before as they were,
     * to the bit. */
    struct attention attention;
    make(fixture, &attention, 1);
    const size_t c = fixture->shape.width, t = fixture->shape.seq_len;
    run(fixture, &attention);
    struct fixture_tensor before = fixture_copy(fixture, &attention.out);
    fixture_fetch(&before);
    for (size_t i = 0; i < 3 * c; i++)
        fixture_set(&attention.qkv, (t - 1) * 3 * c + i, 7);
    run(fixture, &attention);
    fixture_fetch(&attention.out);
    cr_assert_eq(memcmp(before.values, attention.out.values, (t - 1) * c * sizeof(double)), 0);
    fixture_free(&before);
    unmake(&attention);
}

Test(backend_cpu_attention, sees_nothing_of_the_future)
{
    fixture_each(test_future);
}

static void test_nan(struct backend_fixture *fixture)
{
    struct attention attention;
    make(fixture, &attention, 1);
    fixture_set(&attention.qkv, 0, NAN);
    run(fixture, &attention);
    fixture_fetch(&attention.out);
    cr_assert(isnan(attention.out.values[0]));
    unmake(&attention);
}

Test(backend_cpu_attention, passes_a_nan_on)
{
    fixture_each(test_nan);
}
