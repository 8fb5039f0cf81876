/*
 * The backend's operators that are own kernels, asked for through backend.h: that shape, flags and
 * types reach the kernels, whose numbers test_cuda_{embedding,loss,norm,optimizer}.c try. B, T, C
 * and V differ, so that none can stand for another.
 */
#include <math.h>
#include <stdlib.h>

#include "operator_reference.h"
#include "operator_trial.h"

static const struct model_shape shape = {
    .micro_batch = 3, .seq_len = 17, .width = 36, .vocab = 101, .heads = 3, .layers = 1};

enum { ROWS = 3 * 17, WIDTH = 36, LENGTH = 17, VOCAB = 101, TOKENS = 3 * 18, MOST = 7 };

/* The backend's promise in fp32; what is stored in bf16 may be rounded once beside it. */
static const double relative = 1e-5;

/* What one operator works on: its tensors in the order of its parameters, and flags. */
struct step {
    struct operator_trial *operators;
    struct device_tensor tensors[MOST];
    size_t count;
    int accumulate, set, typed;
};

static struct device_trial *trial_of(const struct step *step)
{
    return step->operators->trial;
}

static void *at(const struct step *step, size_t index)
{
    return step->tensors[index].data;
}

static struct backend *backend_of(const struct operator_call *call)
{
    return &call->operators->cuda->base;
}

static void add_random(struct step *step, size_t count, double size, bool typed)
{
    step->tensors[step->count++] = device_tensor_random(trial_of(step), count, size, typed, 0);
}

static void add_values(struct step *step, enum device_type type, const double *values, size_t count)
{
    step->tensors[step->count++] = device_tensor_of(type, values, count, 0);
}

/* Runs; the first `changed` tensors may change. */
static void run(struct step *step, void (*operator)(const struct operator_call *call),
                size_t changed)
{
    const struct operator_call call = {step->operators, operator, step };
    struct device_tensor *tensors[MOST];
    for (size_t i = 0; i < changed; i++)
        tensors[i] = &step->tensors[i];
    operator_trial_run(&call, tensors, changed);
}

static void expect(struct step *step, size_t index, double *expected, const char *what)
{
    device_trial_expect(trial_of(step), &step->tensors[index], expected, relative, what);
    free(expected);
}

/* The values of a tensor before the run, or zeros. */
static double *begun(const struct step *step, size_t index, bool there)
{
    double *values = device_zeros(step->tensors[index].count);
    for (size_t i = 0; there && i < step->tensors[index].count; i++)
        values[i] = step->tensors[index].values[i];
    return values;
}

static void free_step(struct step *step)
{
    for (size_t i = 0; i < step->count; i++)
        device_tensor_free(&step->tensors[i]);
}

static void make_tokens(double values[TOKENS], int32_t tokens[TOKENS])
{
    for (size_t i = 0; i < TOKENS; i++) {
        tokens[i] = (int32_t)(i * i % VOCAB);
        values[i] = tokens[i];
    }
}

/* --- embedding --- */

static void embed(const struct operator_call *call)
{
    const struct step *step = call->context;
    call->operators->operations->embedding_forward(backend_of(call), at(step, 0), at(step, 3),
                                                   at(step, 1), at(step, 2));
}

static void embed_back(const struct operator_call *call)
{
    const struct step *step = call->context;
    call->operators->operations->embedding_backward(backend_of(call), at(step, 0), at(step, 1),
                                                    at(step, 2), at(step, 3), step->accumulate);
}

static void try_embedding(struct step step)
{
    double values[TOKENS];
    int32_t tokens[TOKENS];
    make_tokens(values, tokens);
    add_random(&step, ROWS * WIDTH, 1, true); /* out */
    add_random(&step, VOCAB * WIDTH, 1, true);
    add_random(&step, LENGTH * WIDTH, 1, true);
    add_values(&step, DEVICE_INT32, values, TOKENS);
    double *out = device_zeros(ROWS * WIDTH);
    reference_embedding(&shape, out, tokens, step.tensors[1].values, step.tensors[2].values);
    run(&step, embed, 1);
    expect(&step, 0, out, "embedding");
    free_step(&step);
}

static void try_embedding_gradient(struct step step)
{
    double values[TOKENS];
    int32_t tokens[TOKENS];
    make_tokens(values, tokens);
    add_random(&step, VOCAB * WIDTH, 1, true);  /* dwte */
    add_random(&step, LENGTH * WIDTH, 1, true); /* dwpe */
    add_random(&step, ROWS * WIDTH, 1, true);
    add_values(&step, DEVICE_INT32, values, TOKENS);
    double *dwte = begun(&step, 0, true), *dwpe = begun(&step, 1, step.accumulate != 0);
    reference_embedding_gradient(&shape, dwte, dwpe, step.tensors[2].values, tokens);
    run(&step, embed_back, 2);
    expect(&step, 0, dwte, "dwte");
    expect(&step, 1, dwpe, "dwpe");
    free_step(&step);
}

/* --- layer norm --- */

static void normalise(const struct operator_call *call)
{
    const struct step *step = call->context;
    call->operators->operations->layer_norm_forward(backend_of(call), at(step, 0), at(step, 1),
                                                    at(step, 2), at(step, 3), at(step, 4));
}

static void try_norm(struct step step)
{
    add_random(&step, ROWS * WIDTH, 1, true); /* out */
    add_random(&step, 2 * ROWS, 1, false);    /* stats */
    add_random(&step, ROWS * WIDTH, 3, true);
    add_random(&step, WIDTH, 1, true);
    add_random(&step, WIDTH, 1, true);
    const struct reference_norm norm = {ROWS, WIDTH, step.tensors[2].values, step.tensors[3].values,
                                        step.tensors[4].values};
    double *out = device_zeros(ROWS * WIDTH), *stats = device_zeros(2 * ROWS);
    reference_norm(&norm, out, stats);
    run(&step, normalise, 2);
    expect(&step, 0, out, "norm");
    expect(&step, 1, stats, "stats");
    free_step(&step);
}

static void normalise_back(const struct operator_call *call)
{
    const struct step *step = call->context;
    call->operators->operations->layer_norm_backward(
        backend_of(call), at(step, 0), at(step, 1), at(step, 2), at(step, 3), at(step, 4),
        at(step, 5), at(step, 6), step->accumulate, step->set);
}

static void try_norm_gradient(struct step step)
{
    double out[ROWS * WIDTH], stats[2 * ROWS];
    add_random(&step, ROWS * WIDTH, 1, true); /* dx */
    add_random(&step, WIDTH, 1, true);        /* dweight */
    add_random(&step, WIDTH, 1, true);        /* dbias */
    add_random(&step, ROWS * WIDTH, 1, true);
    add_random(&step, ROWS * WIDTH, 3, true);
    const struct device_tensor weight = device_tensor_random(trial_of(&step), WIDTH, 1, true, 0);
    const struct reference_norm norm = {ROWS, WIDTH, step.tensors[4].values, weight.values,
                                        weight.values};
    reference_norm(&norm, out, stats);
    add_values(&step, DEVICE_FP32, stats, 2 * ROWS);
    step.tensors[step.count++] = weight;
    double *dx = begun(&step, 0, step.set == 0);
    double *dweight = begun(&step, 1, step.accumulate != 0);
    double *dbias = begun(&step, 2, step.accumulate != 0);
    reference_norm_gradient(&norm, step.tensors[3].values, dx, dweight, dbias);
    run(&step, normalise_back, 3);
    expect(&step, 0, dx, "dx");
    expect(&step, 1, dweight, "dweight");
    expect(&step, 2, dbias, "dbias");
    free_step(&step);
}

/* --- loss --- */

static void lose(const struct operator_call *call)
{
    const struct step *step = call->context;
    call->operators->operations->cross_entropy(backend_of(call), at(step, 0), at(step, 1),
                                               at(step, 3), 0.5f);
    call->operators->operations->loss_sum(backend_of(call), at(step, 2), at(step, 0));
}

static void try_loss(struct step step)
{
    double values[TOKENS], losses[ROWS], sum = 10;
    int32_t tokens[TOKENS];
    make_tokens(values, tokens);
    add_random(&step, ROWS, 1, false); /* losses */
    add_random(&step, ROWS * VOCAB, 4, true);
    add_values(&step, DEVICE_FP64, &sum, 1);
    add_values(&step, DEVICE_INT32, values, TOKENS);
    double *gradient = device_zeros(ROWS * VOCAB);
    for (size_t row = 0; row < ROWS; row++) {
        const double *logits = step.tensors[1].values + row * VOCAB;
        const size_t target = (size_t)tokens[row / LENGTH * (LENGTH + 1) + row % LENGTH + 1];
        losses[row] = reference_loss(logits, VOCAB, target);
        sum += losses[row];
        reference_loss_gradient(logits, VOCAB, target, gradient + row * VOCAB);
    }
    for (size_t i = 0; i < ROWS * VOCAB; i++)
        gradient[i] *= 0.5;
    run(&step, lose, 3);
    device_trial_expect(trial_of(&step), &step.tensors[0], losses, relative, "losses");
    expect(&step, 1, gradient, "gradient of logits");
    device_trial_expect(trial_of(&step), &step.tensors[2], &sum, relative, "sum of losses");
    free_step(&step);
}

/* --- optimizer; the flag `typed` is of the gradient --- */

static void sum_up(const struct operator_call *call)
{
    const struct step *step = call->context;
    call->operators->operations->accumulate(backend_of(call), at(step, 0), at(step, 1), WIDTH,
                                            step->typed, step->accumulate);
}

static void try_accumulate(struct step step)
{
    add_random(&step, WIDTH, 1, step.typed != 0);
    add_random(&step, WIDTH, 1, true);
    double *sum = begun(&step, 0, step.accumulate != 0);
    for (size_t i = 0; i < WIDTH; i++)
        sum[i] += step.tensors[1].values[i];
    run(&step, sum_up, 1);
    expect(&step, 0, sum, "accumulated");
    free_step(&step);
}

static void narrow(const struct operator_call *call)
{
    const struct step *step = call->context;
    call->operators->operations->narrow(backend_of(call), at(step, 0), at(step, 1), WIDTH);
}

static void try_narrow(struct step step)
{
    add_random(&step, WIDTH, 1, true);
    add_random(&step, WIDTH, 1, false);
    double *values = begun(&step, 1, true);
    run(&step, narrow, 1);
    expect(&step, 0, values, "narrowed");
    free_step(&step);
}

/* Squares, the scale from them, and the update with it, as a step does it. */
static void update(const struct operator_call *call)
{
    const struct step *step = call->context;
    const struct backend_operations *operations = call->operators->operations;
    static const struct backend_adamw how = {.learning_rate = 0.5f,
                                             .beta1 = 0.5f,
                                             .beta2 = 0.75f,
                                             .epsilon = 1e-8f,
                                             .weight_decay = 0.25f,
                                             .correction1 = 0.5f,
                                             .correction2 = 0.25f};
    const struct backend_update run = {.weight = at(step, 0),
                                       .moment1 = at(step, 1),
                                       .moment2 = at(step, 2),
                                       .typed_copy = at(step, 3),
                                       .gradient = at(step, 6),
                                       .typed = step->typed,
                                       .count = WIDTH,
                                       .scale = at(step, 4)};
    operations->square_sum(backend_of(call), at(step, 5), at(step, 6), WIDTH, step->typed);
    operations->clip(backend_of(call), at(step, 4), at(step, 5), 1);
    operations->adamw(backend_of(call), &run, &how);
}

/* The moments begin with 0, so that after the corrections above the step is learning rate times the
 * sign of the gradient, and the decay an eighth of the weight. */
static void try_update(struct step step)
{
    double zeros[WIDTH] = {0}, weights[WIDTH], moments[WIDTH], squares = 0;
    add_random(&step, WIDTH, 1, false);
    add_values(&step, DEVICE_FP32, zeros, WIDTH);
    add_values(&step, DEVICE_FP32, zeros, WIDTH);
    add_random(&step, WIDTH, 1, true);
    add_random(&step, 1, 1, false);
    add_values(&step, DEVICE_FP64, zeros, 1);
    add_random(&step, WIDTH, 3, step.typed != 0);
    const double *gradient = step.tensors[6].values;
    for (size_t i = 0; i < WIDTH; i++)
        squares += gradient[i] * gradient[i];
    double scale = 1 / (sqrt(squares) + 1e-6);
    for (size_t i = 0; i < WIDTH; i++) {
        moments[i] = gradient[i] * scale / 2;
        weights[i] = step.tensors[0].values[i] * 0.875 - (gradient[i] > 0 ? 0.5 : -0.5);
    }
    run(&step, update, 6);
    device_trial_expect(trial_of(&step), &step.tensors[0], weights, relative, "weight");
    device_trial_expect(trial_of(&step), &step.tensors[1], moments, relative, "first moment");
    device_trial_expect(trial_of(&step), &step.tensors[3], weights, relative, "typed copy");
    device_trial_expect(trial_of(&step), &step.tensors[4], &scale, relative, "scale");
    device_trial_expect(trial_of(&step), &step.tensors[5], &squares, relative, "squares");
    free_step(&step);
}

static void try_all(struct operator_trial *operators)
{
    struct step step = {.operators = operators};
    try_embedding(step);
    try_norm(step);
    try_loss(step);
    try_narrow(step);
    for (int flags = 0; flags < 4; flags++) {
        step.accumulate = flags & 1;
        step.set = step.typed = flags >> 1;
        device_trial_case(operators->trial, "%s, accumulate %d, set or typed %d",
                          operators->cuda->bf16 ? "bf16" : "fp32", step.accumulate, step.set);
        try_embedding_gradient(step);
        try_norm_gradient(step);
        try_accumulate(step);
        try_update(step);
    }
}

int main(void)
{
    struct device_trial trial;
    device_trial_init(&trial);
    for (int bf16 = 0; bf16 < 2; bf16++) {
        struct operator_trial operators;
        operator_trial_init(&operators, &trial, &shape, bf16 != 0);
        device_trial_case(&trial, "%s", bf16 ? "bf16" : "fp32");
        try_all(&operators);
        operator_trial_fini(&operators);
    }
    return device_trial_fini(&trial);
}
