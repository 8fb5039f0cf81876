/* The product's stages on the CPU backend against the reference model. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference_model.h"
#include "stage_trial.h"

/* Nothing here is a multiple of a vector's or a tile's length. */
static const struct model_shape odd = {36, 2, 3, 101, 17, 2};

static struct reference_model_result reference_of(const struct stage_trial_request *request)
{
    const struct reference_model_request whole = {
        .shape = request->shape,
        .seed = request->seed,
        .steps = 1,
        .global_batch = request->shape.micro_batch * request->micro_batches,
        .learning_rate = 3e-4,
        .bf16_parameters = request->dtype == MODEL_BF16,
    };
    struct reference_model_result result;
    reference_model_run(&whole, &result);
    return result;
}

/* Key biases have no gradient of their own; what rounding leaves is compared to the whole bias. */
static double norm(const double *values, uint64_t count)
{
    double sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += values[i] * values[i];
    return sqrt(sum);
}

static void check_key_bias(const float *got, const double *expected, uint64_t first, uint64_t count,
                           double tolerance)
{
    double sum = 0;
    for (uint64_t i = first; i < first + count; i++)
        sum += (double)got[i] * got[i];
    cr_assert_leq(sqrt(sum), tolerance * norm(expected, 3 * count), "key bias: %g of %g", sqrt(sum),
                  norm(expected, 3 * count));
}

/* Returns the largest relative distance of any tensor's gradient. */
static double check(const struct stage_trial_request *request, double tolerance,
                    double loss_tolerance)
{
    struct stage_trial trial;
    struct diag diag = {0};
    struct reference_model_result expected = reference_of(request);
    double largest = 0;
    stage_trial_init(&trial, request);
    cr_assert_eq(stage_trial_run(&trial, &diag), STATUS_OK);
    cr_assert_float_eq(trial.loss / expected.losses[0], 1, loss_tolerance,
                       "loss %.9g, expected %.9g", trial.loss, expected.losses[0]);
    for (size_t i = 0; i < trial.tensor_count; i++) {
        const uint64_t offset = reference_model_offset(&request->shape, i);
        uint64_t key, count = model_tensor(&request->shape, i).elements, keys;
        const float *got = trial.gradients + offset;
        const double *true_gradient = expected.gradients + offset;
        char name[MODEL_TENSOR_NAME_SIZE];
        model_tensor_name(&request->shape, i, name);
        const double distance = reference_model_distance(got, true_gradient, count);
        cr_assert_leq(distance, tolerance, "%s: %g", name, distance);
        if (reference_model_key_bias(&request->shape, i, &key, &keys))
            check_key_bias(got, true_gradient, key, keys, tolerance);
        largest = fmax(largest, distance);
    }
    cr_log_info("largest distance %g, loss %g", largest, trial.loss / expected.losses[0] - 1);
    stage_trial_fini(&trial);
    reference_model_free(&expected);
    return largest;
}

/* The specification's tolerances. Measured: 5e-7 in fp32, 6e-3 in bf16, of losses 4e-8 and 2e-5. */
Test(model_stage, fp32_gradients_are_the_references)
{
    check(&(struct stage_trial_request){odd, MODEL_FP32, 1, 0, 1, false}, 1e-5, 1e-6);
}

Test(model_stage, micro_batches_add_up)
{
    check(&(struct stage_trial_request){odd, MODEL_FP32, 2, 0, 3, false}, 1e-5, 1e-6);
}

Test(model_stage, bf16_gradients_are_the_references)
{
    check(&(struct stage_trial_request){odd, MODEL_BF16, 1, 0, 1, false}, 1e-2, 1e-3);
}

Test(model_stage, shapes_at_the_borders_agree)
{
    const struct model_shape shapes[] = {
        {8, 1, 8, 3, 1, 5},
        {64, 1, 1, 16, 64, 1},
        {32, 3, 2, 257, 33, 1},
        {48, 1, 4, 31, 128, 1},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        check(&(struct stage_trial_request){shapes[i], MODEL_FP32, 1, 0, 2, false}, 1e-5, 1e-6);
}

/* Of one token nothing can be learned: loss and gradients are 0. */
Test(model_stage, one_token_has_no_loss)
{
    struct stage_trial trial;
    struct diag diag = {0};
    const struct model_shape shape = {8, 1, 2, 1, 4, 2};
    stage_trial_init(&trial, &(struct stage_trial_request){shape, MODEL_FP32, 1, 0, 1, false});
    cr_assert_eq(stage_trial_run(&trial, &diag), STATUS_OK);
    cr_assert_eq(trial.loss, 0);
    for (uint64_t i = 0; i < model_parameters(&shape); i++)
        cr_assert_eq(trial.gradients[i], 0);
    stage_trial_fini(&trial);
}

static void check_recomputation(enum model_dtype dtype)
{
    struct stage_trial kept, again;
    struct diag diag = {0};
    struct stage_trial_request request = {odd, dtype, 1, 0, 2, false};
    stage_trial_init(&kept, &request);
    request.checkpointing = true;
    stage_trial_init(&again, &request);
    cr_assert_eq(stage_trial_run(&kept, &diag), STATUS_OK);
    cr_assert_eq(stage_trial_run(&again, &diag), STATUS_OK);
    cr_assert_eq(kept.loss, again.loss);
    cr_assert_eq(memcmp(kept.gradients, again.gradients, model_parameters(&odd) * sizeof(float)),
                 0);
    stage_trial_fini(&kept);
    stage_trial_fini(&again);
}

Test(model_stage, recomputation_changes_no_bit)
{
    check_recomputation(MODEL_FP32);
    check_recomputation(MODEL_BF16);
}

/* 1 + 7 L + 3 operators forward, 3 + 11 L + 1 back. */
Test(model_stage, asks_between_operators_and_stops_when_told)
{
    struct stage_trial trial;
    struct diag diag = {0};
    stage_trial_init(&trial, &(struct stage_trial_request){odd, MODEL_FP32, 1, 0, 1, false});
    cr_assert_eq(stage_trial_run(&trial, &diag), STATUS_OK);
    const uint64_t operators = trial.pauses;
    cr_assert_eq(operators, 1 + 7 * 2 + 3 + 3 + 11 * 2 + 1);
    for (trial.stop_at = 1; trial.stop_at <= operators; trial.stop_at++) {
        struct diag stopped = {0};
        cr_assert_eq(stage_trial_run(&trial, &stopped), STATUS_ENVIRONMENT);
        cr_assert_eq(trial.pauses, trial.stop_at);
    }
    stage_trial_fini(&trial);
}
