#include <criterion/criterion.h>
#include <stdlib.h>

#include "backend_fixture.h"
#include "operator_reference.h"

/*
 * fp32: the rounding errors of a sum of K terms grow at most like K 2^-24, at random like its root;
 * K is at most 1100 here, and 2e-6 of the largest element is 1100^0.5 2^-24.
 */
static const double fp32_sum = 4e-6;

struct sizes {
    size_t inputs, outputs;
};

static void each_size(struct backend_fixture *fixture,
                      void (*test)(struct backend_fixture *fixture, const struct sizes *sizes))
{
    const size_t c = fixture->shape.width, v = fixture->shape.vocab;
    const struct sizes sizes[] = {{c, 3 * c}, {c, c}, {4 * c, c}, {c, v}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        test(fixture, &sizes[i]);
}

struct inputs {
    struct fixture_tensor x, weight, bias, residual;
    struct reference_linear reference;
    double *expected;
};

static void make_inputs(struct backend_fixture *fixture, const struct sizes *sizes,
                        struct inputs *inputs)
{
    const size_t count = fixture->rows * sizes->outputs;
    inputs->x = fixture_random(fixture, fixture->rows * sizes->inputs, 1, true);
    inputs->weight = fixture_random(fixture, sizes->outputs * sizes->inputs, 1, true);
    inputs->bias = fixture_random(fixture, sizes->outputs, 1, true);
    inputs->residual = fixture_random(fixture, count, 2, true);
    inputs->reference = (struct reference_linear){
        fixture->rows,         sizes->inputs,       sizes->outputs,         inputs->x.values,
        inputs->weight.values, inputs->bias.values, inputs->residual.values};
    inputs->expected = fixture_zeros(count);
}

static void free_inputs(struct inputs *inputs)
{
    fixture_free(&inputs->x);
    fixture_free(&inputs->weight);
    fixture_free(&inputs->bias);
    fixture_free(&inputs->residual);
    free(inputs->expected);
}

static void forward(struct backend_fixture *fixture, const struct sizes *sizes)
{
    struct inputs inputs;
    make_inputs(fixture, sizes, &inputs);
    struct fixture_tensor out = fixture_poisoned(fixture, fixture->rows * sizes->outputs, true);
    fixture->operations->linear_residual_forward(fixture->backend, out.data, inputs.residual.data,
                                                 inputs.x.data, inputs.weight.data,
                                                 inputs.bias.data, sizes->inputs, sizes->outputs);
    reference_linear(&inputs.reference, inputs.expected);
    fixture_expect(&out, inputs.expected, fp32_sum, "with residual");

    inputs.reference.residual = NULL;
    fixture->operations->linear_forward(fixture->backend, out.data, inputs.x.data,
                                        inputs.weight.data, inputs.bias.data, sizes->inputs,
                                        sizes->outputs);
    reference_linear(&inputs.reference, inputs.expected);
    fixture_expect(&out, inputs.expected, fp32_sum, "with bias");

    inputs.reference.bias = NULL;
    fixture->operations->linear_forward(fixture->backend, out.data, inputs.x.data,
                                        inputs.weight.data, NULL, sizes->inputs, sizes->outputs);
    reference_linear(&inputs.reference, inputs.expected);
    fixture_expect(&out, inputs.expected, fp32_sum, "alone");
    fixture_free(&out);
    free_inputs(&inputs);
}

static void test_forward(struct backend_fixture *fixture)
{
    each_size(fixture, forward);
}

Test(backend_cpu_linear, adds_product_bias_and_residual)
{
    fixture_each(test_forward);
}

static void gelu_forward(struct backend_fixture *fixture, const struct sizes *sizes)
{
    struct inputs inputs;
    make_inputs(fixture, sizes, &inputs);
    const size_t count = fixture->rows * sizes->outputs;
    struct fixture_tensor out = fixture_poisoned(fixture, count, true);
    struct fixture_tensor gelu = fixture_poisoned(fixture, count, true);
    fixture->operations->linear_gelu_forward(fixture->backend, out.data, gelu.data, inputs.x.data,
                                             inputs.weight.data, inputs.bias.data, sizes->inputs,
                                             sizes->outputs);
    inputs.reference.residual = NULL;
    reference_linear(&inputs.reference, inputs.expected);
    fixture_expect(&out, inputs.expected, fp32_sum, "out");
    for (size_t i = 0; i < count; i++) /* of what is stored */
        inputs.expected[i] = reference_gelu(out.values[i]);
    fixture_expect(&gelu, inputs.expected, 1e-6, "gelu");
    fixture_free(&out);
    fixture_free(&gelu);
    free_inputs(&inputs);
}

static void test_gelu_forward(struct backend_fixture *fixture)
{
    each_size(fixture, gelu_forward);
}

Test(backend_cpu_linear, gives_gelu_of_what_it_stores)
{
    fixture_each(test_gelu_forward);
}

static void backward_input(struct backend_fixture *fixture, const struct sizes *sizes)
{
    struct inputs inputs;
    make_inputs(fixture, sizes, &inputs);
    const size_t count = fixture->rows * sizes->inputs;
    struct fixture_tensor dout = fixture_random(fixture, fixture->rows * sizes->outputs, 1, true);
    struct fixture_tensor gelu_input = fixture_random(fixture, count, 4, true);
    struct fixture_tensor dx = fixture_poisoned(fixture, count, true);
    double *expected = fixture_zeros(count);
    double *dweight = fixture_zeros(inputs.weight.count), *dbias = fixture_zeros(sizes->outputs);
    reference_linear_gradient(&inputs.reference, dout.values, expected, dweight, dbias);
    fixture->operations->linear_backward_input(fixture->backend, dx.data, dout.data,
                                               inputs.weight.data, NULL, sizes->inputs,
                                               sizes->outputs);
    fixture_expect(&dx, expected, fp32_sum, "dx");
    for (size_t i = 0; i < count; i++)
        expected[i] *= reference_gelu_slope(gelu_input.values[i]);
    fixture->operations->linear_backward_input(fixture->backend, dx.data, dout.data,
                                               inputs.weight.data, gelu_input.data, sizes->inputs,
                                               sizes->outputs);
    fixture_expect(&dx, expected, fp32_sum, "dx through gelu");
    fixture_free(&dout);
    fixture_free(&gelu_input);
    fixture_free(&dx);
    free(expected);
    free(dweight);
    free(dbias);
    free_inputs(&inputs);
}

static void test_backward_input(struct backend_fixture *fixture)
{
    each_size(fixture, backward_input);
}

Test(backend_cpu_linear, gives_the_gradient_of_its_input)
{
    fixture_each(test_backward_input);
}

static void backward_weight(struct backend_fixture *fixture, const struct sizes *sizes)
{
    struct inputs inputs;
    make_inputs(fixture, sizes, &inputs);
    struct fixture_tensor dout = fixture_random(fixture, fixture->rows * sizes->outputs, 1, true);
    struct fixture_tensor dweight = fixture_poisoned(fixture, inputs.weight.count, true);
    struct fixture_tensor dbias = fixture_poisoned(fixture, sizes->outputs, true);
    double *dx = fixture_zeros(inputs.x.count);
    for (int accumulate = 0; accumulate <= 1; accumulate++) {
        double *weight = fixture_zeros(dweight.count), *bias = fixture_zeros(dbias.count);
        for (size_t i = 0; accumulate && i < dweight.count; i++)
            weight[i] = dweight.values[i]; /* as stored by the first round */
        for (size_t i = 0; accumulate && i < dbias.count; i++)
            bias[i] = dbias.values[i];
        reference_linear_gradient(&inputs.reference, dout.values, dx, weight, bias);
        fixture->operations->linear_backward_weight(fixture->backend, dweight.data, dbias.data,
                                                    dout.data, inputs.x.data, sizes->inputs,
                                                    sizes->outputs, accumulate);
        fixture_expect(&dweight, weight, fp32_sum, accumulate ? "dweight added" : "dweight");
        fixture_expect(&dbias, bias, fp32_sum, accumulate ? "dbias added" : "dbias");
        free(weight);
        free(bias);
    }
    /* What is not wanted is not touched. */
    fixture->operations->linear_backward_weight(fixture->backend, NULL, NULL, dout.data,
                                                inputs.x.data, sizes->inputs, sizes->outputs, 0);
    free(dx);
    fixture_free(&dout);
    fixture_free(&dweight);
    fixture_free(&dbias);
    free_inputs(&inputs);
}

static void test_backward_weight(struct backend_fixture *fixture)
{
    each_size(fixture, backward_weight);
}

Test(backend_cpu_linear, gives_or_adds_the_gradients_of_its_weights)
{
    fixture_each(test_backward_weight);
}

static void gelu_extremes(struct backend_fixture *fixture)
{
    /* One row in, weight 0: out is the bias, of any size. */
    const size_t c = fixture->shape.width;
    static const double sizes[] = {-1e30, -100, -20, -16.5, -5, 5, 16.5, 20, 100, 1e30};
    const size_t count = sizeof sizes / sizeof sizes[0];
    if (c < 8)
        return;
    struct fixture_tensor x = fixture_random(fixture, fixture->rows * c, 0, true);
    struct fixture_tensor weight = fixture_random(fixture, count * c, 0, true);
    struct fixture_tensor bias = fixture_random(fixture, count, 0, true);
    struct fixture_tensor out = fixture_poisoned(fixture, fixture->rows * count, true);
    struct fixture_tensor gelu = fixture_poisoned(fixture, fixture->rows * count, true);
    for (size_t i = 0; i < count; i++)
        fixture_set(&bias, i, sizes[i]);
    fixture->operations->linear_gelu_forward(fixture->backend, out.data, gelu.data, x.data,
                                             weight.data, bias.data, c, count);
    fixture_fetch(&gelu);
    for (size_t i = 0; i < count; i++) {
        const double expected = bias.values[i] < 0 ? 0 : bias.values[i];
        /* 2e-6: gelu(-5) is -2e-7 */
        cr_assert(!(gelu.values[i] - expected > 2e-6 || expected - gelu.values[i] > 2e-6),
                  "gelu(%g) is %g", bias.values[i], gelu.values[i]);
    }
    fixture_free(&x);
    fixture_free(&weight);
    fixture_free(&bias);
    fixture_free(&out);
    fixture_free(&gelu);
}

Test(backend_cpu_linear, gelu_of_large_numbers_is_zero_or_the_number)
{
    fixture_each(gelu_extremes);
}
