#include "same_mathematics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *must_take(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL)
        abort();
    return memory;
}

static double tokens_of_step(const struct training *training)
{
    return (double)(training_global_batch(training) * training->schedule.shape.seq_len);
}

static enum status collect_gradients(struct trial *trial, struct same_mathematics_outcome *outcome,
                                     struct diag *diag)
{
    const struct model_shape *shape = &trial->training.schedule.shape;
    const uint64_t count = model_parameters(shape);
    float *values = must_take(count, sizeof *values);
    enum status status = trial_collect(trial, EXECUTOR_GRADIENTS, values, diag);
    if (status == STATUS_OK && trial->communicator->rank == 0) {
        outcome->gradients = must_take(count, sizeof *outcome->gradients);
        for (uint64_t i = 0; i < count; i++)
            outcome->gradients[i] = values[i];
    }
    free(values);
    return status;
}

/* On rank 0 the sum over all ranks. */
static enum status add_up(struct communicator *communicator, double *value, struct diag *diag)
{
    double *all = must_take(communicator->world_size, sizeof *all);
    enum status status = communicator_gather(communicator, value, sizeof *value, all, 0, diag);
    if (status == STATUS_OK && communicator->rank == 0) {
        *value = 0;
        for (uint64_t rank = 0; rank < communicator->world_size; rank++)
            *value += all[rank];
    }
    free(all);
    return status;
}

enum status same_mathematics_run(struct trial *trial, uint64_t steps,
                                 struct same_mathematics_outcome *outcome, struct diag *diag)
{
    struct communicator *communicator = trial->communicator;
    *outcome =
        (struct same_mathematics_outcome){.shape = trial->training.schedule.shape, .steps = steps};
    for (uint64_t i = 0; i < steps; i++) {
        struct executor_step step;
        enum status status = trial_step(trial, &step, diag);
        if (status == STATUS_OK)
            status = add_up(communicator, &step.loss_sum, diag);
        if (status == STATUS_OK && i == 0)
            status = collect_gradients(trial, outcome, diag);
        if (status != STATUS_OK)
            return status;
        outcome->losses[i] = step.loss_sum / tokens_of_step(&trial->training);
        outcome->norms[i] = step.grad_norm;
    }
    return STATUS_OK;
}

void same_mathematics_reference(const struct training *training, uint64_t steps,
                                struct same_mathematics_outcome *outcome)
{
    struct reference_model_result result = {0};
    const struct reference_model_request request = {
        .shape = training->schedule.shape,
        .seed = training->seed,
        .steps = steps,
        .global_batch = training_global_batch(training),
        .learning_rate = training->learning_rate,
        .max_grad_norm = training->max_grad_norm,
    };
    reference_model_run(&request, &result);
    *outcome = (struct same_mathematics_outcome){.shape = request.shape, .steps = steps};
    memcpy(outcome->losses, result.losses, steps * sizeof *result.losses);
    memcpy(outcome->norms, result.norms, steps * sizeof *result.norms);
    outcome->gradients = result.gradients;
    result.gradients = NULL;
    reference_model_free(&result);
}

void same_mathematics_fini(struct same_mathematics_outcome *outcome)
{
    free(outcome->gradients);
    outcome->gradients = NULL;
}

/* --- distances --- */

const struct same_mathematics_distance same_mathematics_limits[MODEL_DTYPE_COUNT] = {
    [MODEL_FP32] = {.gradient = 2.5e-6, .key_bias = 1e-10, .norm = 5e-7, .loss = 6e-8},
    [MODEL_BF16] = {.gradient = 3e-2, .key_bias = 1e-6, .norm = 2e-2, .loss = 1.2e-3},
};

static double larger(double a, double b)
{
    if (!isfinite(a) || !isfinite(b))
        return INFINITY;
    return a > b ? a : b;
}

/* Without the key biases, whose gradient is rounding alone. */
static double tensor_distance(const struct model_shape *shape, size_t index, const double *got,
                              const double *expected)
{
    const uint64_t count = model_tensor(shape, index).elements;
    uint64_t skip = 0, skipped = 0;
    double difference = 0, size = 0;
    if (!reference_model_key_bias(shape, index, &skip, &skipped))
        skipped = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (i >= skip && i < skip + skipped)
            continue;
        difference += (got[i] - expected[i]) * (got[i] - expected[i]);
        size += expected[i] * expected[i];
    }
    return sqrt(difference / size);
}

static double key_bias_size(const struct model_shape *shape, size_t index, const double *got)
{
    uint64_t first, count;
    double largest = 0;
    if (!reference_model_key_bias(shape, index, &first, &count))
        return 0;
    for (uint64_t i = first; i < first + count; i++)
        largest = larger(largest, fabs(got[i]));
    return largest;
}

struct same_mathematics_distance
same_mathematics_compare(const struct same_mathematics_outcome *got,
                         const struct same_mathematics_outcome *expected)
{
    struct same_mathematics_distance distance = {0};
    const struct model_shape *shape = &expected->shape;
    uint64_t steps = got->steps < expected->steps ? got->steps : expected->steps;
    for (uint64_t i = 0; i < steps; i++) {
        distance.norm =
            larger(distance.norm, fabs(got->norms[i] - expected->norms[i]) / expected->norms[i]);
        distance.loss =
            larger(distance.loss, fabs(got->losses[i] - expected->losses[i]) / expected->losses[i]);
    }
    for (size_t i = 0; i < model_tensor_count(shape); i++) {
        const uint64_t offset = reference_model_offset(shape, i);
        double apart =
            tensor_distance(shape, i, got->gradients + offset, expected->gradients + offset);
        if (!(apart <= distance.gradient))
            distance.worst = i;
        distance.gradient = larger(distance.gradient, apart);
        distance.key_bias =
            larger(distance.key_bias, key_bias_size(shape, i, got->gradients + offset));
    }
    return distance;
}

bool same_mathematics_within(const struct same_mathematics_distance *distance,
                             const struct same_mathematics_distance *limit)
{
    return distance->gradient <= limit->gradient && distance->key_bias <= limit->key_bias &&
           distance->norm <= limit->norm && distance->loss <= limit->loss;
}

void same_mathematics_widen(struct same_mathematics_distance *distance,
                            const struct same_mathematics_distance *other)
{
    if (other->gradient > distance->gradient)
        distance->worst = other->worst;
    distance->gradient = larger(distance->gradient, other->gradient);
    distance->key_bias = larger(distance->key_bias, other->key_bias);
    distance->norm = larger(distance->norm, other->norm);
    distance->loss = larger(distance->loss, other->loss);
}
