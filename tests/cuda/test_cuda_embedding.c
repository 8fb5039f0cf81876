/* The embedding's kernels against double. */
#include "cuda_embedding.h"
#include "device_trial.h"
#include "operator_reference.h"

#include <stdio.h>
#include <stdlib.h>

/* One addition. */
static const double forward_error = 2e-7;
/* Sums of at most 1500 rows, 32 at a time and then at most 47 of these. */
static const double sum_error = 5e-6;

/* B, T, C, V: multiples of nothing; one row; one token in all rows, whose run goes over all chunks;
 * few and many tokens over several tiles of the sort; rows wider than a block of the sums. */
static const struct model_shape shapes[] = {
    {.micro_batch = 3, .seq_len = 17, .width = 36, .vocab = 101},
    {.micro_batch = 1, .seq_len = 1, .width = 8, .vocab = 1},
    {.micro_batch = 2, .seq_len = 100, .width = 7, .vocab = 1},
    {.micro_batch = 4, .seq_len = 375, .width = 5, .vocab = 3},
    {.micro_batch = 1, .seq_len = 1100, .width = 8, .vocab = 50257},
    {.micro_batch = 2, .seq_len = 33, .width = 1032, .vocab = 7},
    {.micro_batch = 1, .seq_len = 64, .width = 2056, .vocab = 4},
};

/* Some of them several times, and the largest there is. */
static struct device_tensor make_tokens(struct device_trial *trial, const struct model_shape *shape,
                                        int32_t *tokens)
{
    const size_t count = shape->micro_batch * (shape->seq_len + 1);
    double *values = device_zeros(count);
    for (size_t i = 0; i < count; i++) {
        const uint64_t token = device_trial_random(trial) % shape->vocab;
        values[i] = (double)(i % 5 == 0 ? shape->vocab - 1 : token);
        tokens[i] = (int32_t)values[i];
    }
    const struct device_tensor tensor = device_tensor_of(DEVICE_INT32, values, count, 1);
    free(values);
    return tensor;
}

static cudaError_t launch_forward(void *embedding, cudaStream_t stream)
{
    return cuda_embedding_forward(embedding, stream);
}

static void try_forward(struct device_trial *trial, const struct model_shape *shape,
                        const struct device_tensor *tokens, const int32_t *values, size_t offset)
{
    const size_t rows = shape->micro_batch * shape->seq_len, width = shape->width;
    struct device_tensor wte = device_tensor_random(trial, shape->vocab * width, 1, true, offset);
    struct device_tensor wpe = device_tensor_random(trial, shape->seq_len * width, 1, true, 0);
    struct device_tensor out = device_tensor_poisoned(trial, rows * width, true, 2 * offset);
    struct cuda_embedding_forward embedding = {.bf16 = trial->bf16,
                                               .rows = rows,
                                               .length = shape->seq_len,
                                               .width = width,
                                               .tokens = tokens->data,
                                               .out = out.data,
                                               .wte = wte.data,
                                               .wpe = wpe.data};
    double *expected = device_zeros(rows * width);
    reference_embedding(shape, expected, values, wte.values, wpe.values);
    device_trial_run(trial, &(struct device_run){launch_forward, &embedding, {&out}});
    device_trial_expect(trial, &out, expected, forward_error, "out");
    free(expected);
    device_tensor_free(&wte);
    device_tensor_free(&wpe);
    device_tensor_free(&out);
}

static cudaError_t launch_backward(void *embedding, cudaStream_t stream)
{
    return cuda_embedding_backward(embedding, stream);
}

/* What is added to, and to be expected there. */
struct gradients {
    struct device_tensor dwte, dwpe, dout, workspace;
    double *wte, *wpe;
};

static void make_gradients(struct device_trial *trial, struct gradients *gradients,
                           const struct model_shape *shape, bool accumulate, size_t offset)
{
    const size_t rows = shape->micro_batch * shape->seq_len, width = shape->width;
    const size_t tokens = shape->vocab * width, positions = shape->seq_len * width;
    const struct backend_request request = {.shape = *shape};
    gradients->dwte = device_tensor_random(trial, tokens, 1, true, offset);
    gradients->dwpe = accumulate ? device_tensor_random(trial, positions, 1, true, offset)
                                 : device_tensor_poisoned(trial, positions, true, offset);
    gradients->dout = device_tensor_random(trial, rows * width, 1, true, offset);
    gradients->workspace = device_tensor_scratch(cuda_embedding_workspace_bytes(&request));
    gradients->wte = device_zeros(tokens);
    gradients->wpe = device_zeros(positions);
    for (size_t i = 0; i < tokens; i++)
        gradients->wte[i] = gradients->dwte.values[i];
    for (size_t i = 0; accumulate && i < positions; i++)
        gradients->wpe[i] = gradients->dwpe.values[i];
}

static void free_gradients(struct gradients *gradients)
{
    device_tensor_free(&gradients->dwte);
    device_tensor_free(&gradients->dwpe);
    device_tensor_free(&gradients->dout);
    device_tensor_free(&gradients->workspace);
    free(gradients->wte);
    free(gradients->wpe);
}

/* `wanted`: a bit each for dwte, dwpe. */
static void try_backward(struct device_trial *trial, const struct model_shape *shape,
                         const struct cuda_embedding_backward *how, const int32_t *values,
                         unsigned wanted)
{
    struct gradients gradients;
    make_gradients(trial, &gradients, shape, how->accumulate, wanted == 3 ? 0 : 1);
    struct cuda_embedding_backward embedding = *how;
    embedding.dwte = wanted & 1 ? gradients.dwte.data : NULL;
    embedding.dwpe = wanted & 2 ? gradients.dwpe.data : NULL;
    embedding.dout = gradients.dout.data;
    embedding.workspace = gradients.workspace.data;
    reference_embedding_gradient(shape, gradients.wte, gradients.wpe, gradients.dout.values,
                                 values);
    device_trial_run(
        trial, &(struct device_run){launch_backward,
                                    &embedding,
                                    {&gradients.dwte, &gradients.dwpe, &gradients.workspace}});
    if (wanted & 1)
        device_trial_expect(trial, &gradients.dwte, gradients.wte, sum_error, "dwte");
    else
        device_trial_unchanged(trial, &gradients.dwte, "dwte");
    if (wanted & 2)
        device_trial_expect(trial, &gradients.dwpe, gradients.wpe, sum_error, "dwpe");
    else
        device_trial_unchanged(trial, &gradients.dwpe, "dwpe");
    free_gradients(&gradients);
}

static void try_shape(struct device_trial *trial, const struct model_shape *shape)
{
    int32_t *values = calloc(shape->micro_batch * (shape->seq_len + 1), sizeof *values);
    if (values == NULL)
        exit(1);
    struct device_tensor tokens = make_tokens(trial, shape, values);
    device_trial_case(trial, "embedding of %zu x %zu rows of %zu, %zu tokens, %s",
                      (size_t)shape->micro_batch, (size_t)shape->seq_len, (size_t)shape->width,
                      (size_t)shape->vocab, trial->bf16 ? "bf16" : "fp32");
    try_forward(trial, shape, &tokens, values, 0);
    try_forward(trial, shape, &tokens, values, 1);
    struct cuda_embedding_backward embedding = {.bf16 = trial->bf16,
                                                .rows = shape->micro_batch * shape->seq_len,
                                                .length = shape->seq_len,
                                                .width = shape->width,
                                                .tokens = tokens.data};
    for (unsigned wanted = 1; wanted <= 3; wanted++) {
        embedding.accumulate = wanted == 3;
        try_backward(trial, shape, &embedding, values, wanted);
    }
    device_tensor_free(&tokens);
    free(values);
}

int main(void)
{
    struct device_trial trial;
    device_trial_init(&trial);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int bf16 = 0; bf16 < 2; bf16++) {
            trial.bf16 = bf16 != 0;
            try_shape(&trial, &shapes[i]);
        }
    return device_trial_fini(&trial);
}
