/* The reference model proves itself here, before anything is compared to it. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model_data.h"
#include "reference_model.h"

static const struct model_shape shape = {6, 2, 2, 11, 5, 1};
#define SEQUENCES 3

/* Values far from the initial ones, so that no path is too weak to be seen; norm weights around 1,
 * all others, biases too, around 0. */
static void fill_parameters(double *parameters)
{
    for (size_t i = 0; i < model_tensor_count(&shape); i++) {
        const struct model_tensor tensor = model_tensor(&shape, i);
        const bool is_norm_weight = tensor.columns == 0 && !tensor.is_bias;
        for (uint64_t e = 0; e < tensor.elements; e++) {
            const uint32_t counter[4] = {(uint32_t)e, 0, (uint32_t)i, 9}, key[2] = {1, 2};
            uint32_t words[4];
            model_data_philox(counter, key, words);
            *parameters++ = (words[0] / 4294967296.0 - 0.5) * 1.2 + (is_norm_weight ? 1 : 0);
        }
    }
}

static double loss_beside(double *parameters, uint64_t e, double by, const int32_t *tokens)
{
    const double before = parameters[e];
    parameters[e] = before + by;
    const double loss = reference_model_loss(&shape, parameters, tokens, SEQUENCES, NULL);
    parameters[e] = before;
    return loss;
}

/* Central difference of fourth order: h^4 times the fifth derivative, and what rounding the loss
 * divided by h leaves (1e-11), are both far below the tolerance. */
static double difference(double *parameters, uint64_t e, const int32_t *tokens)
{
    const double h = 1e-4;
    return (8 * (loss_beside(parameters, e, h, tokens) - loss_beside(parameters, e, -h, tokens)) -
            (loss_beside(parameters, e, 2 * h, tokens) -
             loss_beside(parameters, e, -2 * h, tokens))) /
           (12 * h);
}

static double root_mean_square(const double *values, uint64_t count)
{
    double sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += values[i] * values[i];
    return sqrt(sum / (double)count);
}

/* Every element of the small model; relative to the tensor's gradient. */
Test(model_reference, gradients_are_finite_differences)
{
    const uint64_t count = model_parameters(&shape);
    double *parameters = calloc(count, sizeof *parameters), *gradients = calloc(count, 8);
    int32_t tokens[SEQUENCES * 6];
    fill_parameters(parameters);
    for (uint64_t i = 0; i < SEQUENCES; i++)
        model_data_tokens(&shape, 1, 0, i, tokens + i * 6);
    reference_model_loss(&shape, parameters, tokens, SEQUENCES, gradients);
    for (size_t i = 0; i < model_tensor_count(&shape); i++) {
        const uint64_t first = reference_model_offset(&shape, i);
        const uint64_t elements = model_tensor(&shape, i).elements;
        const double scale = root_mean_square(gradients + first, elements);
        char name[MODEL_TENSOR_NAME_SIZE];
        model_tensor_name(&shape, i, name);
        cr_assert(scale > 1e-4, "%s: its gradient is too small to be checked: %g", name, scale);
        for (uint64_t e = first; e < first + elements; e++) {
            const double expected = difference(parameters, e, tokens);
            cr_assert(fabs(gradients[e] - expected) < 1e-6 * scale,
                      "%s[%zu]: %.12g, expected %.12g", name, (size_t)(e - first), gradients[e],
                      expected);
        }
    }
    free(parameters);
    free(gradients);
}

/* Scores of a row shift alike with the key's bias, which softmax does not see. */
Test(model_reference, key_biases_have_no_gradient)
{
    const struct reference_model_request request = {shape, 1, 1, 2, 3e-4, 0, false};
    struct reference_model_result result;
    uint64_t first, count;
    const size_t index = model_tensor_index(&shape, MODEL_QKV, 1, true);
    reference_model_run(&request, &result);
    cr_assert(reference_model_key_bias(&shape, index, &first, &count));
    cr_assert_eq(first, 6);
    cr_assert_eq(count, 6);
    const double *bias = result.gradients + reference_model_offset(&shape, index);
    cr_assert(root_mean_square(bias, 6) > 1e-7);
    cr_assert(root_mean_square(bias + first, count) < 1e-15);
    reference_model_free(&result);
}

/* Logits near 0: every token is as likely as any other. */
Test(model_reference, first_loss_is_that_of_guessing)
{
    const struct reference_model_request request = {
        {36, 2, 3, 101, 17, 1}, 1, 1, 4, 3e-4, 1, false};
    struct reference_model_result result;
    reference_model_run(&request, &result);
    cr_assert_float_eq(result.losses[0], log(101), 0.05);
    reference_model_free(&result);
}

/* Adam's first step has the length of the learning rate, whatever the gradient; decay takes a tenth
 * of it times the value from matrices. */
Test(model_reference, first_step_is_a_sign_step_with_decay)
{
    struct reference_model_request request = {shape, 1, 1, 2, 0.01, 0, false};
    struct reference_model_result first, start;
    reference_model_run(&request, &first);
    request.steps = 0;
    reference_model_run(&request, &start);
    for (size_t i = 0; i < model_tensor_count(&shape); i++) {
        const struct model_tensor tensor = model_tensor(&shape, i);
        uint64_t e = reference_model_offset(&shape, i);
        for (const uint64_t end = e + tensor.elements; e < end; e++) {
            const double g = first.gradients[e], before = start.parameters[e];
            double expected = before - 0.01 * g / (fabs(g) + 1e-8);
            if (tensor.columns != 0)
                expected -= 0.01 * 0.1 * before;
            cr_assert_float_eq(first.parameters[e], expected, 1e-12);
        }
    }
    reference_model_free(&first);
    reference_model_free(&start);
}

/* A gradient scaled to max_norm changes nothing at Adam's first step, but the second one sees it.
 */
Test(model_reference, clipping_scales_to_the_norm)
{
    struct reference_model_request request = {shape, 1, 3, 2, 0.01, 0, false};
    struct reference_model_result free_run, loose, tight;
    reference_model_run(&request, &free_run);
    request.max_grad_norm = 1e9;
    reference_model_run(&request, &loose);
    request.max_grad_norm = 1e-7;
    reference_model_run(&request, &tight);
    cr_assert_eq(free_run.norms[2], loose.norms[2]);
    cr_assert_eq(free_run.norms[0], tight.norms[0]);
    cr_assert_neq(free_run.norms[2], tight.norms[2]);
    reference_model_free(&free_run);
    reference_model_free(&loose);
    reference_model_free(&tight);
}

Test(model_reference, loss_falls_towards_the_floor)
{
    const struct reference_model_request request = {
        {16, 1, 2, 13, 16, 1}, 1, 60, 8, 0.01, 1, false};
    struct reference_model_result result;
    reference_model_run(&request, &result);
    cr_log_info("losses %g, %g, ... %g", result.losses[0], result.losses[9], result.losses[59]);
    cr_assert(result.losses[9] < result.losses[0] - 0.2);
    cr_assert(result.losses[59] < 1.9);
    reference_model_free(&result);
}
