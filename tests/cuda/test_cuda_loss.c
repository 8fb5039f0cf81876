/* The loss' kernels against double. */
#include "cuda_loss.h"
#include "device_trial.h"
#include "operator_reference.h"

#include <math.h>
#include <stdlib.h>

/* The exponential of x errs by about |x| 2^-23, the sums of a row by a few roundings. */
static const double loss_error = 5e-6;

/* B, T, V: multiples of nothing; fewer numbers than a group; one; as many as a row of threads takes
 * exactly; GPT-2's vocabulary, of which every row begins elsewhere in a group. */
static const struct model_shape shapes[] = {
    {.micro_batch = 3, .seq_len = 17, .vocab = 101},
    {.micro_batch = 2, .seq_len = 9, .vocab = 5},
    {.micro_batch = 1, .seq_len = 1, .vocab = 1},
    {.micro_batch = 1, .seq_len = 3, .vocab = 6144},
    {.micro_batch = 2, .seq_len = 4, .vocab = 257},
    {.micro_batch = 1, .seq_len = 2, .vocab = 50257},
};

struct inputs {
    struct device_tensor logits, losses, tokens;
    double *expected_loss, *expected_gradient;
    size_t rows;
};

/* Targets tokens[b, t + 1]; the last column of the first row is the last token. */
static void make_inputs(struct device_trial *trial, struct inputs *inputs,
                        const struct model_shape *shape, double size, size_t offset)
{
    const size_t count = shape->micro_batch * (shape->seq_len + 1);
    double *tokens = device_zeros(count);
    inputs->rows = shape->micro_batch * shape->seq_len;
    for (size_t i = 0; i < count; i++)
        tokens[i] = (double)(device_trial_random(trial) % shape->vocab);
    tokens[shape->seq_len] = (double)(shape->vocab - 1);
    inputs->tokens = device_tensor_of(DEVICE_INT32, tokens, count, 1);
    inputs->logits = device_tensor_random(trial, inputs->rows * shape->vocab, size, true, offset);
    inputs->losses = device_tensor_poisoned(trial, inputs->rows, false, offset);
    inputs->expected_loss = device_zeros(inputs->rows);
    inputs->expected_gradient = device_zeros(inputs->rows * shape->vocab);
    free(tokens);
}

static void free_inputs(struct inputs *inputs)
{
    device_tensor_free(&inputs->logits);
    device_tensor_free(&inputs->losses);
    device_tensor_free(&inputs->tokens);
    free(inputs->expected_loss);
    free(inputs->expected_gradient);
}

static size_t target_of(const struct inputs *inputs, const struct model_shape *shape, size_t row)
{
    return (size_t)inputs->tokens.values[row + row / shape->seq_len + 1];
}

static void expect_all(struct inputs *inputs, const struct model_shape *shape, double scale)
{
    for (size_t row = 0; row < inputs->rows; row++) {
        const double *logits = inputs->logits.values + row * shape->vocab;
        double *gradient = inputs->expected_gradient + row * shape->vocab;
        const size_t target = target_of(inputs, shape, row);
        inputs->expected_loss[row] = reference_loss(logits, shape->vocab, target);
        reference_loss_gradient(logits, shape->vocab, target, gradient);
        for (size_t i = 0; i < shape->vocab; i++)
            gradient[i] *= scale;
    }
}

static cudaError_t launch(void *loss, cudaStream_t stream)
{
    return cuda_loss_cross_entropy(loss, stream);
}

/* Runs on the inputs and compares; the logits are overwritten by their gradient. */
static void run(struct device_trial *trial, struct inputs *inputs, const struct model_shape *shape)
{
    struct cuda_loss loss = {.bf16 = trial->bf16,
                             .rows = inputs->rows,
                             .length = shape->seq_len,
                             .vocab = shape->vocab,
                             .losses = inputs->losses.data,
                             .logits = inputs->logits.data,
                             .tokens = inputs->tokens.data,
                             .scale = 0.125f};
    expect_all(inputs, shape, 0.125);
    device_trial_run(trial,
                     &(struct device_run){launch, &loss, {&inputs->logits, &inputs->losses}});
    device_trial_expect(trial, &inputs->losses, inputs->expected_loss, loss_error, "losses");
    device_trial_expect(trial, &inputs->logits, inputs->expected_gradient, loss_error, "gradient");
}

static void try_shape(struct device_trial *trial, const struct model_shape *shape, double size,
                      size_t offset)
{
    struct inputs inputs;
    device_trial_case(trial, "loss of %zu rows of %zu up to %g, %s, offset %zu",
                      (size_t)(shape->micro_batch * shape->seq_len), (size_t)shape->vocab, size,
                      trial->bf16 ? "bf16" : "fp32", offset);
    make_inputs(trial, &inputs, shape, size, offset);
    run(trial, &inputs, shape);
    free_inputs(&inputs);
}

/* Row by row: one NaN; +inf; -inf at most places, so that whole groups and threads have nothing
 * else; -inf at the target; -inf everywhere; numbers near the largest. */
static void try_not_finite(struct device_trial *trial)
{
    enum { ROWS = 6, VOCAB = 300 };
    const struct model_shape shape = {.micro_batch = 1, .seq_len = ROWS, .vocab = VOCAB};
    struct inputs inputs;
    device_trial_case(trial, "loss of numbers that are not finite, %s",
                      trial->bf16 ? "bf16" : "fp32");
    make_inputs(trial, &inputs, &shape, 2, 0);
    const size_t target = target_of(&inputs, &shape, 3);
    double *x = inputs.logits.values;
    x[7] = NAN;
    x[VOCAB + 200] = INFINITY;
    for (size_t i = 0; i < VOCAB; i++) {
        x[2 * VOCAB + i] = i % 100 == 3 || i == target_of(&inputs, &shape, 2) ? 1 : -INFINITY;
        x[4 * VOCAB + i] = -INFINITY;
        x[5 * VOCAB + i] = i % 2 ? 3e38 : -3e38;
    }
    x[3 * VOCAB + target] = -INFINITY;
    x[5 * VOCAB + target_of(&inputs, &shape, 5)] = 3e38;
    struct device_tensor logits = device_tensor_of(inputs.logits.type, x, inputs.logits.count, 0);
    device_tensor_free(&inputs.logits);
    inputs.logits = logits;
    run(trial, &inputs, &shape);
    for (size_t i = 0; i < VOCAB; i++) /* a NaN in the row is everywhere */
        if (!isnan(logits.values[i]) || !isnan(logits.values[VOCAB + i]))
            device_trial_fault(trial, "the gradient at %zu of a row with NaN or inf is a number",
                               i);
    if (!isnan(inputs.losses.values[0]) || !isnan(inputs.losses.values[1]))
        device_trial_fault(trial, "the loss of a row with NaN or inf is a number");
    free_inputs(&inputs);
}

struct sum {
    struct device_tensor total, losses;
};

static cudaError_t launch_sum(void *context, cudaStream_t stream)
{
    const struct sum *sum = context;
    return cuda_loss_sum(sum->total.data, sum->losses.data, sum->losses.count, stream);
}

/* In fp64, so nothing is lost of 5000 numbers of fp32. */
static void try_sum(struct device_trial *trial, size_t rows)
{
    const double begin = 1e6;
    struct sum sum = {device_tensor_of(DEVICE_FP64, &begin, 1, 0),
                      device_tensor_random(trial, rows, 11, false, 1)};
    double expected = begin;
    device_trial_case(trial, "sum of %zu losses", rows);
    for (size_t i = 0; i < rows; i++)
        expected += sum.losses.values[i];
    device_trial_run(trial, &(struct device_run){launch_sum, &sum, {&sum.total}});
    device_trial_expect(trial, &sum.total, &expected, 1e-14, "sum");
    device_tensor_free(&sum.total);
    device_tensor_free(&sum.losses);
}

int main(void)
{
    struct device_trial trial;
    device_trial_init(&trial);
    for (int bf16 = 0; bf16 < 2; bf16++) {
        trial.bf16 = bf16 != 0;
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
            try_shape(&trial, &shapes[i], 4, i % 4);
            try_shape(&trial, &shapes[i], 90, 0);
        }
        try_not_finite(&trial);
    }
    try_sum(&trial, 1);
    try_sum(&trial, 1023);
    try_sum(&trial, 5000);
    return device_trial_fini(&trial);
}
