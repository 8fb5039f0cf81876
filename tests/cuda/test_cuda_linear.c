/* The linear layers' operators against double, as cuBLASLt fuses them and by own kernels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda_product.h"
#include "operator_reference.h"
#include "operator_trial.h"

/* Multiples of nothing; single rows, columns and tokens; rows for several slices of a bias'
 * gradient; multiples of eight, for which cuBLASLt fuses everything. */
static const struct model_shape shapes[] = {
    {.width = 36, .layers = 1, .heads = 3, .vocab = 101, .seq_len = 17, .micro_batch = 3},
    {.width = 5, .layers = 1, .heads = 1, .vocab = 1, .seq_len = 1, .micro_batch = 1},
    {.width = 20, .layers = 1, .heads = 1, .vocab = 303, .seq_len = 150, .micro_batch = 4},
    {.width = 64, .layers = 1, .heads = 4, .vocab = 96, .seq_len = 32, .micro_batch = 2},
};

/* Elements that activations, weights and biases begin behind an aligned address. */
enum { ACTIVATIONS, WEIGHTS, BIASES, OFFSETS };
static const size_t offsets[][OFFSETS] = {{0, 0, 0}, {0, 0, 3}, {0, 1, 0}, {1, 2, 3}};

struct layer {
    struct operator_trial *operators;
    size_t rows, inputs, outputs;
    const size_t *offsets;
    struct device_tensor x, weight, bias, residual, dout;
    double *expected; /* [rows, outputs] */
    struct reference_linear reference;
    int accumulate;
    struct device_tensor *out, *second; /* of the call */
    const void *gelu_input;
};

static void make_layer(struct layer *layer)
{
    struct device_trial *trial = layer->operators->trial;
    const size_t count = layer->rows * layer->outputs, offset = layer->offsets[ACTIVATIONS];
    layer->x = device_tensor_random(trial, layer->rows * layer->inputs, 1, true, offset);
    layer->weight = device_tensor_random(trial, layer->outputs * layer->inputs, 1, true,
                                         layer->offsets[WEIGHTS]);
    layer->bias = device_tensor_random(trial, layer->outputs, 2, true, layer->offsets[BIASES]);
    layer->residual = device_tensor_random(trial, count, 2, true, offset);
    layer->dout = device_tensor_random(trial, count, 1, true, offset);
    layer->expected = device_zeros(count);
    layer->reference = (struct reference_linear){
        layer->rows, layer->inputs, layer->outputs, layer->x.values, layer->weight.values,
        NULL,        NULL};
}

static void free_layer(struct layer *layer)
{
    device_tensor_free(&layer->x);
    device_tensor_free(&layer->weight);
    device_tensor_free(&layer->bias);
    device_tensor_free(&layer->residual);
    device_tensor_free(&layer->dout);
    free(layer->expected);
}

static struct device_tensor poisoned(const struct layer *layer, size_t count)
{
    return device_tensor_poisoned(layer->operators->trial, count, true,
                                  layer->offsets[ACTIVATIONS]);
}

static void run(struct layer *layer, void (*call)(const struct operator_call *call),
                struct device_tensor *first, struct device_tensor *second)
{
    struct device_tensor *changed[] = {first, second};
    const struct operator_call operation = {layer->operators, call, layer};
    layer->out = first;
    layer->second = second;
    operator_trial_run(&operation, changed, second == NULL ? 1 : 2);
}

static void expect(const struct layer *layer, const struct device_tensor *tensor,
                   const double *expected, const char *what)
{
    device_trial_expect(layer->operators->trial, tensor, expected,
                        operator_trial_relative(layer->operators), what);
}

/* --- forward --- */

static void call_forward(const struct operator_call *call)
{
    struct layer *layer = call->context;
    const bool bias = layer->reference.bias != NULL;
    struct backend *backend = &call->operators->cuda->base;
    if (layer->reference.residual != NULL)
        call->operators->operations->linear_residual_forward(
            backend, layer->out->data, layer->residual.data, layer->x.data, layer->weight.data,
            bias ? layer->bias.data : NULL, layer->inputs, layer->outputs);
    else
        call->operators->operations->linear_forward(
            backend, layer->out->data, layer->x.data, layer->weight.data,
            bias ? layer->bias.data : NULL, layer->inputs, layer->outputs);
}

static void try_forward(struct layer *layer, bool bias, bool residual)
{
    struct device_tensor out = poisoned(layer, layer->rows * layer->outputs);
    layer->reference.bias = bias ? layer->bias.values : NULL;
    layer->reference.residual = residual ? layer->residual.values : NULL;
    reference_linear(&layer->reference, layer->expected);
    run(layer, call_forward, &out, NULL);
    expect(layer, &out, layer->expected, "out");
    device_tensor_free(&out);
}

static void call_gelu(const struct operator_call *call)
{
    struct layer *layer = call->context;
    call->operators->operations->linear_gelu_forward(
        &call->operators->cuda->base, layer->out->data, layer->second->data, layer->x.data,
        layer->weight.data, layer->bias.data, layer->inputs, layer->outputs);
}

static void try_gelu(struct layer *layer)
{
    const size_t count = layer->rows * layer->outputs;
    struct device_tensor out = poisoned(layer, count), gelu = poisoned(layer, count);
    layer->reference.bias = layer->bias.values;
    layer->reference.residual = NULL;
    reference_linear(&layer->reference, layer->expected);
    run(layer, call_gelu, &out, &gelu);
    expect(layer, &out, layer->expected, "gelu's input");
    for (size_t i = 0; i < count; i++)
        layer->expected[i] = reference_gelu(layer->expected[i]);
    expect(layer, &gelu, layer->expected, "gelu");
    device_tensor_free(&out);
    device_tensor_free(&gelu);
}

/* --- backward --- */

struct gradients {
    double *x, *weight, *bias;
};

static struct gradients reference_gradients(const struct layer *layer)
{
    const struct gradients gradients = {device_zeros(layer->x.count),
                                        device_zeros(layer->weight.count),
                                        device_zeros(layer->outputs)};
    reference_linear_gradient(&layer->reference, layer->dout.values, gradients.x, gradients.weight,
                              gradients.bias);
    return gradients;
}

static void free_gradients(struct gradients *gradients)
{
    free(gradients->x);
    free(gradients->weight);
    free(gradients->bias);
}

static void call_input(const struct operator_call *call)
{
    struct layer *layer = call->context;
    call->operators->operations->linear_backward_input(
        &call->operators->cuda->base, layer->out->data, layer->dout.data, layer->weight.data,
        layer->gelu_input, layer->inputs, layer->outputs);
}

static void try_input(struct layer *layer, bool gelu)
{
    struct gradients gradients = reference_gradients(layer);
    struct device_tensor dx = poisoned(layer, layer->x.count);
    struct device_tensor input = device_tensor_random(layer->operators->trial, layer->x.count, 6,
                                                      true, layer->offsets[ACTIVATIONS]);
    layer->gelu_input = gelu ? input.data : NULL;
    for (size_t i = 0; gelu && i < layer->x.count; i++)
        gradients.x[i] *= reference_gelu_slope(input.values[i]);
    run(layer, call_input, &dx, NULL);
    expect(layer, &dx, gradients.x, gelu ? "dx through gelu" : "dx");
    device_tensor_free(&dx);
    device_tensor_free(&input);
    free_gradients(&gradients);
}

/* Which of the two are wanted. */
enum { WEIGHT = 1, BIAS = 2 };

static void call_weight(const struct operator_call *call)
{
    struct layer *layer = call->context;
    call->operators->operations->linear_backward_weight(
        &call->operators->cuda->base, layer->out == NULL ? NULL : layer->out->data,
        layer->second == NULL ? NULL : layer->second->data, layer->dout.data, layer->x.data,
        layer->inputs, layer->outputs, layer->accumulate);
}

static struct device_tensor make_gradient(const struct layer *layer, size_t count, size_t offset,
                                          double *expected)
{
    struct device_trial *trial = layer->operators->trial;
    if (!layer->accumulate)
        return device_tensor_poisoned(trial, count, true, offset);
    struct device_tensor there = device_tensor_random(trial, count, 2, true, offset);
    for (size_t i = 0; i < count; i++)
        expected[i] += there.values[i];
    return there;
}

static void try_weight(struct layer *layer, int accumulate, unsigned wanted)
{
    struct gradients gradients = reference_gradients(layer);
    layer->accumulate = accumulate;
    struct device_tensor dweight =
        make_gradient(layer, layer->weight.count, layer->offsets[WEIGHTS], gradients.weight);
    struct device_tensor dbias =
        make_gradient(layer, layer->outputs, layer->offsets[BIASES], gradients.bias);
    struct device_tensor *changed[] = {&dweight, &dbias};
    const struct operator_call operation = {layer->operators, call_weight, layer};
    layer->out = wanted & WEIGHT ? &dweight : NULL;
    layer->second = wanted & BIAS ? &dbias : NULL;
    operator_trial_run(&operation, changed, 2);
    if (wanted & WEIGHT)
        expect(layer, &dweight, gradients.weight, "dweight");
    else
        device_trial_unchanged(layer->operators->trial, &dweight, "dweight");
    if (wanted & BIAS)
        expect(layer, &dbias, gradients.bias, "dbias");
    else
        device_trial_unchanged(layer->operators->trial, &dbias, "dbias");
    device_tensor_free(&dweight);
    device_tensor_free(&dbias);
    free_gradients(&gradients);
}

/* --- every layer of the model, as the model uses it --- */

enum use { BIASED, RESIDUAL, INTO_GELU, BEHIND_GELU, HEAD };

static void try_layer(struct layer *layer, enum use use)
{
    make_layer(layer);
    try_forward(layer, use != HEAD, use == RESIDUAL || use == BEHIND_GELU);
    try_forward(layer, false, false);
    if (use == INTO_GELU)
        try_gelu(layer);
    try_input(layer, false);
    if (use == BEHIND_GELU)
        try_input(layer, true);
    for (int accumulate = 0; accumulate <= 1; accumulate++) {
        try_weight(layer, accumulate, WEIGHT);
        if (use == HEAD)
            continue;
        try_weight(layer, accumulate, WEIGHT | BIAS);
        try_weight(layer, accumulate, BIAS);
    }
    free_layer(layer);
}

static void try_layers(struct operator_trial *operators, const size_t *offset)
{
    const struct model_shape *shape = &operators->cuda->base.request.shape;
    const size_t c = shape->width, v = shape->vocab, rows = operators->cuda->rows;
    const size_t sizes[][2] = {[BIASED] = {c, 3 * c},
                               [RESIDUAL] = {c, c},
                               [INTO_GELU] = {c, 4 * c},
                               [BEHIND_GELU] = {4 * c, c},
                               [HEAD] = {c, v}};
    for (enum use use = BIASED; use <= HEAD; use++) {
        struct layer layer = {.operators = operators,
                              .rows = rows,
                              .inputs = sizes[use][0],
                              .outputs = sizes[use][1],
                              .offsets = offset};
        device_trial_case(
            operators->trial, "%s, B %d T %d, %zu to %zu, offsets %zu %zu %zu, fused %x",
            operators->cuda->bf16 ? "bf16" : "fp32", (int)shape->micro_batch, (int)shape->seq_len,
            layer.inputs, layer.outputs, offset[ACTIVATIONS], offset[WEIGHTS], offset[BIASES],
            cuda_products_allowed(operators->cuda->products));
        try_layer(&layer, use);
    }
}

/* With everything fused that is offered, in fp32 without gelu (cuda_product.c), and with nothing.
 */
static void try_shape(struct device_trial *trial, const struct model_shape *shape, bool bf16)
{
    const uint32_t everything = (1u << CUDA_PRODUCT_AFTER_COUNT) - 1;
    struct operator_trial operators;
    operator_trial_init(&operators, trial, shape, bf16);
    const uint32_t allowed = cuda_products_allowed(operators.cuda->products);
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        if (shape->width % 8 != 0 && i > 0 && offsets[i][ACTIVATIONS] == 0)
            continue; /* hardly anything is aligned anyway */
        cuda_products_restrict(operators.cuda->products, bf16 ? everything : allowed);
        try_layers(&operators, offsets[i]);
        cuda_products_restrict(operators.cuda->products, 0);
        try_layers(&operators, offsets[i]);
    }
    const double rate = operators.operations->matrix_product_rate(&operators.cuda->base, 3);
    if (!(rate > 0) || !isfinite(rate))
        device_trial_fault(trial, "the rate of matrix products is %g", rate);
    operator_trial_fini(&operators);
}

int main(void)
{
    struct device_trial trial;
    device_trial_init(&trial);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int bf16 = 0; bf16 <= 1; bf16++)
            try_shape(&trial, &shapes[i], bf16 != 0);
    return device_trial_fini(&trial);
}
