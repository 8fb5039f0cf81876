#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "backend_fixture.h"

/* Sizes around the chunks in which the operators work. */
static const size_t counts[] = {1, 7, 1023, 1024, 1025, 5000};
enum { COUNTS = sizeof counts / sizeof counts[0] };

static void test_square_sum(struct backend_fixture *fixture)
{
    for (size_t i = 0; i < COUNTS; i++)
        for (int typed = 0; typed <= 1; typed++) {
            struct fixture_tensor x = fixture_random(fixture, counts[i], 1, typed);
            double expected = 0;
            for (size_t at = 0; at < counts[i]; at++)
                expected += x.values[at] * x.values[at];
            const double found = fixture_square_sum(fixture, x.data, counts[i], typed);
            /* the products are exact in double; only the order of the sum differs */
            cr_assert(fabs(found - expected) <= 1e-12 * expected, "%.17g instead of %.17g", found,
                      expected);
            fixture_set(&x, counts[i] - 1, NAN);
            cr_assert(isnan(fixture_square_sum(fixture, x.data, counts[i], typed)));
            fixture_set(&x, counts[i] - 1, 3e38); /* its square is beyond fp32 */
            cr_assert(isfinite(fixture_square_sum(fixture, x.data, counts[i], typed)));
            fixture_free(&x);
        }
    cr_assert_eq(fixture_square_sum(fixture, NULL, 0, false), 0);
    double sum = 3;
    const float two = 2;
    fixture->operations->square_sum(fixture->backend, &sum, &two, 1, 0);
    cr_assert_eq(sum, 7, "added to what was there: %g", sum);
}

Test(backend_cpu_optimizer, adds_squares_in_double)
{
    fixture_each(test_square_sum);
}

static void test_accumulate(struct backend_fixture *fixture)
{
    for (size_t i = 0; i < COUNTS; i++)
        for (int typed = 0; typed <= 1; typed++) {
            struct fixture_tensor from = fixture_random(fixture, counts[i], 1, true);
            struct fixture_tensor to = fixture_poisoned(fixture, counts[i], typed);
            fixture->operations->accumulate(fixture->backend, to.data, from.data, counts[i], typed,
                                            0);
            fixture_expect(&to, from.values, 0, "copied");
            for (size_t at = 0; at < counts[i]; at++)
                fixture_set(&to, at, from.values[at] / 3);
            double *expected = fixture_zeros(counts[i]);
            for (size_t at = 0; at < counts[i]; at++)
                expected[at] = to.values[at] + from.values[at];
            fixture->operations->accumulate(fixture->backend, to.data, from.data, counts[i], typed,
                                            1);
            fixture_expect(&to, expected, 6e-8, "added");
            free(expected);
            fixture_free(&from);
            fixture_free(&to);
        }
}

Test(backend_cpu_optimizer, copies_or_adds_runs)
{
    fixture_each(test_accumulate);
}

static void test_narrow(struct backend_fixture *fixture)
{
    for (size_t i = 0; i < COUNTS; i++) {
        struct fixture_tensor from = fixture_random(fixture, counts[i], 1, false);
        struct fixture_tensor to = fixture_poisoned(fixture, counts[i], true);
        struct fixture_tensor expected = fixture_poisoned(fixture, counts[i], true);
        for (size_t at = 0; at < counts[i]; at++)
            fixture_set(&expected, at, from.values[at]);
        fixture->operations->narrow(fixture->backend, to.data, (const float *)from.data, counts[i]);
        fixture_fetch(&to);
        for (size_t at = 0; at < counts[i]; at++)
            cr_assert_eq(to.values[at], expected.values[at]);
        fixture_free(&from);
        fixture_free(&to);
        fixture_free(&expected);
    }
}

Test(backend_cpu_optimizer, narrows_to_the_dtype)
{
    fixture_each(test_narrow);
}

static const struct backend_adamw how = {.learning_rate = 3e-4F,
                                         .beta1 = 0.9F,
                                         .beta2 = 0.95F,
                                         .epsilon = 1e-8F,
                                         .weight_decay = 0.1F,
                                         .correction1 = 1 - 0.9F * 0.9F,
                                         .correction2 = 1 - 0.95F * 0.95F};

static const float gradient_scale = 0.25F;

/* arXiv:1711.05101, algorithm 2 (with the schedule multiplier in the learning rate). */
static void reference_adamw(double *weight, double *moment1, double *moment2, double gradient)
{
    const double g = gradient * (double)gradient_scale;
    const double beta1 = (double)how.beta1, beta2 = (double)how.beta2;
    *moment1 = beta1 * *moment1 + (1 - beta1) * g;
    *moment2 = beta2 * *moment2 + (1 - beta2) * g * g;
    const double m = *moment1 / (double)how.correction1, v = *moment2 / (double)how.correction2;
    *weight -= (double)how.learning_rate *
               (m / (sqrt(v) + (double)how.epsilon) + (double)how.weight_decay * *weight);
}

struct state {
    struct fixture_tensor weight, moment1, moment2, gradient, copy;
};

static void expect_update(struct backend_fixture *fixture, size_t count, bool typed, bool copied)
{
    struct state state = {
        .weight = fixture_random(fixture, count, 1, false),
        .moment1 = fixture_random(fixture, count, 0.1, false),
        .moment2 = fixture_random(fixture, count, 0.1, false),
        .gradient = fixture_random(fixture, count, 1, typed),
        .copy = fixture_poisoned(fixture, count, true),
    };
    for (size_t i = 0; i < count; i++)
        fixture_set(&state.moment2, i, fabs(state.moment2.values[i]));
    double *weight = fixture_zeros(count), *change = fixture_zeros(count);
    double *moment1 = fixture_zeros(count), *moment2 = fixture_zeros(count);
    for (size_t i = 0; i < count; i++) {
        weight[i] = state.weight.values[i];
        moment1[i] = state.moment1.values[i];
        moment2[i] = state.moment2.values[i];
        reference_adamw(&weight[i], &moment1[i], &moment2[i], state.gradient.values[i]);
        change[i] = weight[i] - state.weight.values[i];
    }
    const struct backend_update update = {
        .weight = state.weight.data,
        .moment1 = state.moment1.data,
        .moment2 = state.moment2.data,
        .typed_copy = copied ? state.copy.data : NULL,
        .gradient = state.gradient.data,
        .typed = typed,
        .count = count,
        .scale = &gradient_scale,
    };
    fixture->operations->adamw(fixture->backend, &update, &how);
    fixture_expect(&state.weight, weight, 1.2e-7, "weight"); /* one rounding of 1, another of it */
    fixture_expect(&state.moment1, moment1, 3e-7, "moment1");
    fixture_expect(&state.moment2, moment2, 3e-7, "moment2");
    if (copied)
        fixture_expect(&state.copy, state.weight.values, 0, "copy");
    free(weight);
    free(change);
    free(moment1);
    free(moment2);
    fixture_free(&state.weight);
    fixture_free(&state.moment1);
    fixture_free(&state.moment2);
    fixture_free(&state.gradient);
    fixture_free(&state.copy);
}

static void test_adamw(struct backend_fixture *fixture)
{
    for (size_t i = 0; i < COUNTS; i++)
        for (int which = 0; which < 4; which++)
            expect_update(fixture, counts[i], which & 1, which & 2);
}

Test(backend_cpu_optimizer, updates_as_adamw)
{
    fixture_each(test_adamw);
}

static void test_change(struct backend_fixture *fixture)
{
    /* Weights of 0, where the change is all there is and its digits can be seen; and padding, all
     * zero, stays zero. */
    enum { COUNT = 100 };
    struct fixture_tensor weight = fixture_random(fixture, COUNT, 0, false);
    struct fixture_tensor moment1 = fixture_random(fixture, COUNT, 0, false);
    struct fixture_tensor moment2 = fixture_random(fixture, COUNT, 0, false);
    struct fixture_tensor gradient = fixture_random(fixture, COUNT, 1, false);
    double expected[COUNT];
    fixture_set(&gradient, 3, 0);
    for (size_t i = 0; i < COUNT; i++) {
        double m = 0, v = 0;
        expected[i] = 0;
        reference_adamw(&expected[i], &m, &v, gradient.values[i]);
    }
    const struct backend_update update = {
        .weight = weight.data,
        .moment1 = moment1.data,
        .moment2 = moment2.data,
        .gradient = gradient.data,
        .count = COUNT,
        .scale = &gradient_scale,
    };
    fixture->operations->adamw(fixture->backend, &update, &how);
    fixture_expect(&weight, expected, 1e-6, "change");
    cr_assert_eq(weight.values[3], 0);
    fixture_free(&weight);
    fixture_free(&moment1);
    fixture_free(&moment2);
    fixture_free(&gradient);
}

Test(backend_cpu_optimizer, changes_weights_by_the_right_amount_and_zeros_not_at_all)
{
    fixture_each(test_change);
}

Test(backend_cpu_optimizer, a_scale_that_is_not_finite_changes_nothing)
{
    static const float scales[] = {NAN, INFINITY, -INFINITY};
    struct backend_fixture fixture;
    const struct model_shape shape = {
        .width = 8, .layers = 1, .heads = 1, .vocab = 4, .seq_len = 2, .micro_batch = 1};
    fixture_init(&fixture, &shape, MODEL_BF16, 1);
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        float weight = 1, moment1 = 2, moment2 = 3, gradient = 4;
        uint16_t copy = 5;
        const struct backend_update update = {.weight = &weight,
                                              .moment1 = &moment1,
                                              .moment2 = &moment2,
                                              .typed_copy = &copy,
                                              .gradient = &gradient,
                                              .count = 1,
                                              .scale = &scales[i]};
        fixture.operations->adamw(fixture.backend, &update, &how);
        cr_assert(weight == 1 && moment1 == 2 && moment2 == 3 && copy == 5);
    }
    fixture_fini(&fixture);
}

Test(backend_cpu_optimizer, clips_to_the_largest_norm)
{
    static const struct {
        double squares, most, scale;
    } cases[] = {
        {4, 1, 1 / (2 + 1e-6)}, {0.25, 1, 1},       {4, 0, 1},         {4, -1, 1}, {0, 1, 1},
        {NAN, 1, NAN},          {INFINITY, 1, NAN}, {INFINITY, 0, NAN}};
    struct backend_fixture fixture;
    const struct model_shape shape = {
        .width = 8, .layers = 1, .heads = 1, .vocab = 4, .seq_len = 2, .micro_batch = 1};
    fixture_init(&fixture, &shape, MODEL_FP32, 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float scale = 7;
        fixture.operations->clip(fixture.backend, &scale, &cases[i].squares, cases[i].most);
        cr_assert(isnan(cases[i].scale) ? isnan(scale) : scale == (float)cases[i].scale,
                  "case %zu: %g instead of %g", i, (double)scale, cases[i].scale);
    }
    fixture_fini(&fixture);
}
