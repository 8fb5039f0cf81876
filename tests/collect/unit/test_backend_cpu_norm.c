#include <criterion/criterion.h>
#include <stdlib.h>

#include "backend_fixture.h"
#include "operator_reference.h"

/* fp32: sums of at most 40 numbers and a handful of roundings, 2^-24 each. */
static const double fp32_row = 2e-6;
/* dweight and dbias are sums over at most 600 rows. */
static const double fp32_sum = 4e-6;

struct inputs {
    struct fixture_tensor x, weight, bias, dout;
    struct reference_norm reference;
};

static void make_inputs(struct backend_fixture *fixture, struct inputs *inputs)
{
    const size_t c = fixture->shape.width, count = fixture->rows * c;
    inputs->x = fixture_random(fixture, count, 3, true);
    inputs->weight = fixture_random(fixture, c, 1, true);
    inputs->bias = fixture_random(fixture, c, 1, true);
    inputs->dout = fixture_random(fixture, count, 1, true);
    inputs->reference = (struct reference_norm){fixture->rows, c, inputs->x.values,
                                                inputs->weight.values, inputs->bias.values};
}

static void free_inputs(struct inputs *inputs)
{
    fixture_free(&inputs->x);
    fixture_free(&inputs->weight);
    fixture_free(&inputs->bias);
    fixture_free(&inputs->dout);
}

static void test_forward(struct backend_fixture *fixture)
{
    struct inputs inputs;
    make_inputs(fixture, &inputs);
    struct fixture_tensor out = fixture_poisoned(fixture, inputs.x.count, true);
    struct fixture_tensor stats = fixture_poisoned(fixture, 2 * fixture->rows, false);
    double *expected = fixture_zeros(out.count), *moments = fixture_zeros(stats.count);
    reference_norm(&inputs.reference, expected, moments);
    fixture->operations->layer_norm_forward(fixture->backend, out.data, stats.data, inputs.x.data,
                                            inputs.weight.data, inputs.bias.data);
    fixture_expect(&out, expected, fp32_row, "out");
    fixture_expect(&stats, moments, fp32_row, "stats");
    free(expected);
    free(moments);
    fixture_free(&out);
    fixture_free(&stats);
    free_inputs(&inputs);
}

Test(backend_cpu_norm, normalises_and_keeps_mean_and_reciprocal_deviation)
{
    fixture_each(test_forward);
}

static void test_backward(struct backend_fixture *fixture)
{
    struct inputs inputs;
    make_inputs(fixture, &inputs);
    const size_t c = fixture->shape.width, count = inputs.x.count;
    struct fixture_tensor stats = fixture_random(fixture, 2 * fixture->rows, 0, false);
    struct fixture_tensor dx = fixture_poisoned(fixture, count, true);
    struct fixture_tensor dweight = fixture_poisoned(fixture, c, true);
    struct fixture_tensor dbias = fixture_poisoned(fixture, c, true);
    double *moments = fixture_zeros(stats.count), *out = fixture_zeros(count);
    reference_norm(&inputs.reference, out, moments);
    for (size_t i = 0; i < stats.count; i++)
        fixture_set(&stats, i, moments[i]);
    for (int round = 0; round < 2; round++) { /* set all, then add to it */
        double *x = fixture_zeros(count), *weight = fixture_zeros(c), *bias = fixture_zeros(c);
        for (size_t i = 0; round == 1 && i < count; i++)
            x[i] = dx.values[i];
        for (size_t i = 0; round == 1 && i < c; i++)
            weight[i] = dweight.values[i], bias[i] = dbias.values[i];
        reference_norm_gradient(&inputs.reference, inputs.dout.values, x, weight, bias);
        fixture->operations->layer_norm_backward(fixture->backend, dx.data, dweight.data,
                                                 dbias.data, inputs.dout.data, inputs.x.data,
                                                 stats.data, inputs.weight.data, round, round == 0);
        fixture_expect(&dx, x, fp32_row, round ? "dx added" : "dx");
        fixture_expect(&dweight, weight, fp32_sum, round ? "dweight added" : "dweight");
        fixture_expect(&dbias, bias, fp32_sum, round ? "dbias added" : "dbias");
        free(x);
        free(weight);
        free(bias);
    }
    free(moments);
    free(out);
    fixture_free(&stats);
    fixture_free(&dx);
    fixture_free(&dweight);
    fixture_free(&dbias);
    free_inputs(&inputs);
}

Test(backend_cpu_norm, gives_or_adds_its_gradients)
{
    fixture_each(test_backward);
}

static void test_unwanted(struct backend_fixture *fixture)
{
    struct inputs inputs;
    make_inputs(fixture, &inputs);
    const size_t c = fixture->shape.width, count = inputs.x.count;
    struct fixture_tensor stats = fixture_random(fixture, 2 * fixture->rows, 1, false);
    struct fixture_tensor dx = fixture_poisoned(fixture, count, true);
    struct fixture_tensor other = fixture_poisoned(fixture, count, true);
    struct fixture_tensor sums = fixture_poisoned(fixture, c, true);
    void (*backward)(struct backend *, void *, void *, void *, const void *, const void *,
                     const float *, const void *, int, int) =
        fixture->operations->layer_norm_backward;
    backward(fixture->backend, dx.data, NULL, NULL, inputs.dout.data, inputs.x.data, stats.data,
             inputs.weight.data, 0, 1);
    backward(fixture->backend, other.data, sums.data, NULL, inputs.dout.data, inputs.x.data,
             stats.data, inputs.weight.data, 0, 1);
    fixture_fetch(&dx);
    fixture_expect(&other, dx.values, 0, "dx without gradients of weights"); /* the same bits */
    fixture_free(&stats);
    fixture_free(&dx);
    fixture_free(&other);
    fixture_free(&sums);
    free_inputs(&inputs);
}

Test(backend_cpu_norm, leaves_out_gradients_that_nobody_wants)
{
    fixture_each(test_unwanted);
}

Test(backend_cpu_norm, keeps_the_variance_of_a_row_far_from_zero)
{
    /* 10000 +- 1: E x^2 - (E x)^2 in fp32 would lose all of the variance 1 */
    const struct model_shape shape = {
        .width = 64, .layers = 1, .heads = 1, .vocab = 2, .seq_len = 1, .micro_batch = 1};
    struct backend_fixture fixture;
    fixture_init(&fixture, &shape, MODEL_FP32, 1);
    struct fixture_tensor x = fixture_random(&fixture, 64, 0, true);
    struct fixture_tensor weight = fixture_random(&fixture, 64, 0, true);
    struct fixture_tensor bias = fixture_random(&fixture, 64, 0, true);
    struct fixture_tensor out = fixture_poisoned(&fixture, 64, true);
    struct fixture_tensor stats = fixture_poisoned(&fixture, 2, false);
    double expected[64];
    for (size_t i = 0; i < 64; i++) {
        fixture_set(&x, i, i % 2 ? 10001 : 9999);
        fixture_set(&weight, i, 1);
        expected[i] = i % 2 ? 1 : -1;
    }
    fixture.operations->layer_norm_forward(fixture.backend, out.data, stats.data, x.data,
                                           weight.data, bias.data);
    fixture_expect(&out, expected, 1e-5, "out"); /* eps makes it 1 - 5e-6 */
    fixture_free(&x);
    fixture_free(&weight);
    fixture_free(&bias);
    fixture_free(&out);
    fixture_free(&stats);
    fixture_fini(&fixture);
}
