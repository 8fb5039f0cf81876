#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "backend_fixture.h"
#include "operator_reference.h"

static const double scale = 1.0 / 64;

static size_t target_of(const struct backend_fixture *fixture, const int32_t *tokens, size_t row)
{
    const size_t t = fixture->shape.seq_len;
    return (size_t)tokens[row / t * (t + 1) + row % t + 1];
}

/* Losses and gradients of logits of `size`; 2e-6: exponentials within 2e-7, a sum of 1100. */
static void expect_losses(struct backend_fixture *fixture, double size)
{
    const size_t v = fixture->shape.vocab;
    int32_t *tokens = fixture_tokens(fixture);
    struct fixture_tensor logits = fixture_random(fixture, fixture->rows * v, size, true);
    struct fixture_tensor losses = fixture_poisoned(fixture, fixture->rows, false);
    double *gradient = fixture_zeros(logits.count), *expected = fixture_zeros(fixture->rows);
    double sum = 0;
    for (size_t row = 0; row < fixture->rows; row++) {
        const size_t target = target_of(fixture, tokens, row);
        sum += expected[row] = reference_loss(logits.values + row * v, v, target);
        reference_loss_gradient(logits.values + row * v, v, target, gradient + row * v);
    }
    for (size_t i = 0; i < logits.count; i++)
        gradient[i] *= scale;
    fixture->operations->cross_entropy(fixture->backend, losses.data, logits.data, tokens,
                                       (float)scale);
    fixture_expect(&losses, expected, 2e-6, "losses");
    fixture_expect(&logits, gradient, 2e-6, "gradient");
    const double found = fixture_loss_sum(fixture, losses.data);
    cr_assert(fabs(found - sum) <= 2e-6 * sum, "%.9g instead of %.9g", found, sum);
    free(tokens);
    free(gradient);
    free(expected);
    fixture_free(&logits);
    fixture_free(&losses);
}

static void test_losses(struct backend_fixture *fixture)
{
    expect_losses(fixture, 3);
}

Test(backend_cpu_loss, agrees_with_the_reference)
{
    fixture_each(test_losses);
}

static void test_large(struct backend_fixture *fixture)
{
    expect_losses(fixture, 3e4);
    expect_losses(fixture, 1e30);
}

Test(backend_cpu_loss, large_logits_do_not_overflow)
{
    fixture_each(test_large);
}

static void spoil(struct backend_fixture *fixture, double value, size_t at)
{
    int32_t *tokens = fixture_tokens(fixture);
    struct fixture_tensor logits =
        fixture_random(fixture, fixture->rows * fixture->shape.vocab, 1, true);
    struct fixture_tensor losses = fixture_poisoned(fixture, fixture->rows, false);
    fixture_set(&logits, at, value);
    fixture->operations->cross_entropy(fixture->backend, losses.data, logits.data, tokens, 1);
    fixture_fetch(&losses);
    fixture_fetch(&logits);
    const size_t row = at / fixture->shape.vocab;
    cr_assert(!isfinite(losses.values[row]), "the loss of %g is %g", value, losses.values[row]);
    for (size_t i = 0; i < fixture->rows; i++)
        cr_assert(i == row || isfinite(losses.values[i]));
    cr_assert(!isfinite(fixture_loss_sum(fixture, losses.data)));
    cr_assert(!isfinite(fixture_square_sum(fixture, logits.data, logits.count, true)));
    free(tokens);
    fixture_free(&logits);
    fixture_free(&losses);
}

static void test_spoiled(struct backend_fixture *fixture)
{
    /* First, last and middle: vector loops treat their ends apart. */
    const size_t count = fixture->rows * fixture->shape.vocab;
    const size_t places[] = {0, count - 1, count / 2};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        spoil(fixture, NAN, places[i]);
        spoil(fixture, -NAN, places[i]);
        spoil(fixture, INFINITY, places[i]);
    }
}

Test(backend_cpu_loss, a_nan_or_infinite_logit_reaches_the_loss_and_the_square_sum)
{
    fixture_each(test_spoiled);
}
