/* The layer norm's kernels against double. */
#include "cuda_norm.h"
#include "device_trial.h"
#include "operator_reference.h"

#include <stdlib.h>

/* fp32: sums over a row, in parts that a thread adds in order and of which few are added, and a
 * handful of roundings of 2^-24 each. */
static const double row_error = 3e-6;
/* dweight and dbias: sums over at most 1100 rows, in at most 512 parts. */
static const double sum_error = 5e-6;

/* Multiples of nothing; one warp, several, whole groups and none; more rows than blocks of the
 * backward pass. */
static const size_t sizes[][2] = {{1, 1},   {3, 7},    {51, 36},  {5, 64},
                                  {4, 768}, {2, 2048}, {3, 2049}, {600, 41}};
/* Rows that the threads of a block cannot hold, in fp32 and in bf16. */
static const size_t wide_forward[][2] = {{2, 16391}, {1, 32776}};
static const size_t wide_backward[][2] = {{3, 4101}, {2, 8200}};

struct inputs {
    struct device_tensor x, weight, bias, dout;
    struct reference_norm reference;
};

static void make_inputs(struct device_trial *trial, struct inputs *inputs, size_t rows,
                        size_t width, size_t offset)
{
    inputs->x = device_tensor_random(trial, rows * width, 3, true, offset);
    inputs->weight = device_tensor_random(trial, width, 1, true, 2 * offset);
    inputs->bias = device_tensor_random(trial, width, 1, true, 3 * offset);
    inputs->dout = device_tensor_random(trial, rows * width, 1, true, offset);
    inputs->reference = (struct reference_norm){rows, width, inputs->x.values,
                                                inputs->weight.values, inputs->bias.values};
}

static void free_inputs(struct inputs *inputs)
{
    device_tensor_free(&inputs->x);
    device_tensor_free(&inputs->weight);
    device_tensor_free(&inputs->bias);
    device_tensor_free(&inputs->dout);
}

static cudaError_t launch_forward(void *norm, cudaStream_t stream)
{
    return cuda_norm_forward(norm, stream);
}

static void try_forward(struct device_trial *trial, struct inputs *inputs, size_t offset)
{
    const size_t rows = inputs->reference.rows, count = inputs->x.count;
    struct device_tensor out = device_tensor_poisoned(trial, count, true, offset);
    struct device_tensor stats = device_tensor_poisoned(trial, 2 * rows, false, offset);
    struct cuda_norm_forward norm = {.bf16 = trial->bf16,
                                     .rows = rows,
                                     .width = inputs->reference.width,
                                     .out = out.data,
                                     .stats = stats.data,
                                     .x = inputs->x.data,
                                     .weight = inputs->weight.data,
                                     .bias = inputs->bias.data};
    double *expected = device_zeros(count), *moments = device_zeros(2 * rows);
    reference_norm(&inputs->reference, expected, moments);
    device_trial_run(trial, &(struct device_run){launch_forward, &norm, {&out, &stats}});
    device_trial_expect(trial, &out, expected, row_error, "out");
    device_trial_expect(trial, &stats, moments, row_error, "stats");
    free(expected);
    free(moments);
    device_tensor_free(&out);
    device_tensor_free(&stats);
}

static cudaError_t launch_backward(void *norm, cudaStream_t stream)
{
    return cuda_norm_backward(norm, stream);
}

/* The gradients of one trial: where they are put, and what is expected there. */
struct gradients {
    struct device_tensor dx, dweight, dbias, workspace;
    double *x, *weight, *bias;
};

static struct device_tensor make_gradient(struct device_trial *trial, size_t count, bool set,
                                          double *expected, size_t offset)
{
    if (set)
        return device_tensor_poisoned(trial, count, true, offset);
    struct device_tensor there = device_tensor_random(trial, count, 2, true, offset);
    for (size_t i = 0; i < count; i++)
        expected[i] = there.values[i];
    return there;
}

static void make_gradients(struct device_trial *trial, struct gradients *gradients,
                           const struct inputs *inputs, bool set, size_t offset)
{
    const size_t count = inputs->x.count, width = inputs->reference.width;
    const struct backend_request request = {
        .shape = {.width = width, .seq_len = inputs->reference.rows, .micro_batch = 1}};
    gradients->x = device_zeros(count);
    gradients->weight = device_zeros(width);
    gradients->bias = device_zeros(width);
    gradients->dx = make_gradient(trial, count, set, gradients->x, offset);
    gradients->dweight = make_gradient(trial, width, set, gradients->weight, offset);
    gradients->dbias = make_gradient(trial, width, set, gradients->bias, 2 * offset);
    gradients->workspace = device_tensor_scratch(cuda_norm_workspace_bytes(&request));
    reference_norm_gradient(&inputs->reference, inputs->dout.values, gradients->x,
                            gradients->weight, gradients->bias);
}

static void free_gradients(struct gradients *gradients)
{
    device_tensor_free(&gradients->dx);
    device_tensor_free(&gradients->dweight);
    device_tensor_free(&gradients->dbias);
    device_tensor_free(&gradients->workspace);
    free(gradients->x);
    free(gradients->weight);
    free(gradients->bias);
}

/* `wanted`: a bit each for dx, dweight, dbias. */
static void try_backward(struct device_trial *trial, struct inputs *inputs, bool set,
                         unsigned wanted, size_t offset)
{
    const size_t rows = inputs->reference.rows, count = inputs->x.count;
    struct gradients gradients;
    double *out = device_zeros(count), *moments = device_zeros(2 * rows);
    reference_norm(&inputs->reference, out, moments);
    struct device_tensor stats = device_tensor_of(DEVICE_FP32, moments, 2 * rows, offset);
    make_gradients(trial, &gradients, inputs, set, offset);
    struct cuda_norm_backward norm = {.bf16 = trial->bf16,
                                      .rows = rows,
                                      .width = inputs->reference.width,
                                      .dx = wanted & 1 ? gradients.dx.data : NULL,
                                      .dweight = wanted & 2 ? gradients.dweight.data : NULL,
                                      .dbias = wanted & 4 ? gradients.dbias.data : NULL,
                                      .dout = inputs->dout.data,
                                      .x = inputs->x.data,
                                      .weight = inputs->weight.data,
                                      .stats = stats.data,
                                      .accumulate = !set,
                                      .set = set,
                                      .workspace = gradients.workspace.data};
    device_trial_run(trial, &(struct device_run){launch_backward,
                                                 &norm,
                                                 {&gradients.dx, &gradients.dweight,
                                                  &gradients.dbias, &gradients.workspace}});
    struct device_tensor *const tensors[] = {&gradients.dx, &gradients.dweight, &gradients.dbias};
    double *const expected[] = {gradients.x, gradients.weight, gradients.bias};
    static const char *const names[] = {"dx", "dweight", "dbias"};
    for (unsigned i = 0; i < 3; i++)
        if (wanted >> i & 1)
            device_trial_expect(trial, tensors[i], expected[i], i == 0 ? row_error : sum_error,
                                names[i]);
        else
            device_trial_unchanged(trial, tensors[i], names[i]);
    device_tensor_free(&stats);
    free_gradients(&gradients);
    free(out);
    free(moments);
}

enum passes { FORWARD = 1, BACKWARD = 2 };

static void try_size(struct device_trial *trial, const size_t size[2], size_t offset,
                     unsigned passes)
{
    const size_t rows = size[0], width = size[1];
    struct inputs inputs;
    device_trial_case(trial, "norm of %zu rows of %zu, %s, offset %zu", rows, width,
                      trial->bf16 ? "bf16" : "fp32", offset);
    make_inputs(trial, &inputs, rows, width, offset);
    if (passes & FORWARD)
        try_forward(trial, &inputs, offset);
    if (passes & BACKWARD) {
        try_backward(trial, &inputs, true, 7, offset);
        try_backward(trial, &inputs, false, 7, offset);
    }
    for (unsigned wanted = 1; rows == 51 && wanted < 7; wanted++)
        try_backward(trial, &inputs, true, wanted, offset);
    free_inputs(&inputs);
}

/* 10000 +- 1: the mean of squares less the square of the mean would lose the variance 1 in fp32. */
static void try_far_from_zero(struct device_trial *trial)
{
    enum { WIDTH = 64 };
    double x[WIDTH], weight[WIDTH], bias[WIDTH] = {0};
    trial->bf16 = false;
    device_trial_case(trial, "norm of a row far from zero");
    for (size_t i = 0; i < WIDTH; i++) {
        x[i] = i % 2 ? 10001 : 9999;
        weight[i] = 1;
    }
    struct inputs inputs = {.x = device_tensor_of(DEVICE_FP32, x, WIDTH, 0),
                            .weight = device_tensor_of(DEVICE_FP32, weight, WIDTH, 0),
                            .bias = device_tensor_of(DEVICE_FP32, bias, WIDTH, 0),
                            .dout = device_tensor_of(DEVICE_FP32, x, WIDTH, 0),
                            .reference = {1, WIDTH, x, weight, bias}};
    try_forward(trial, &inputs, 0);
    free_inputs(&inputs);
}

int main(void)
{
    struct device_trial trial;
    device_trial_init(&trial);
    for (int bf16 = 0; bf16 < 2; bf16++) {
        trial.bf16 = bf16 != 0;
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            for (size_t offset = 0; offset < 2; offset++)
                try_size(&trial, sizes[i], offset, FORWARD | BACKWARD);
        for (size_t i = 0; i < 2; i++) {
            try_size(&trial, wide_forward[i], i, FORWARD);
            try_size(&trial, wide_backward[i], 1 - i, BACKWARD);
        }
    }
    try_far_from_zero(&trial);
    return device_trial_fini(&trial);
}
