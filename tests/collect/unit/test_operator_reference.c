#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "operator_reference.h"

/*
 * The references' gradients against central differences: with a step of 1e-5 their error is of the
 * order of 1e-10 (the third derivative) plus 1e-11 (rounding of sums of about 1 over the step).
 */
static const double step = 1e-5, tolerance = 1e-7;

static double random_value(void)
{
    static unsigned state = 1;
    state = state * 1664525u + 1013904223u; /* Numerical Recipes' generator */
    return ldexp((double)(state >> 8), -23) - 1;
}

static void fill(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = random_value();
}

/* sum of weights * f(inputs): its gradient is what f's backward gives for dout = weights. */
struct probe {
    void (*forward)(void *context, double *out);
    void *context;
    const double *dout;
    size_t outputs;
};

static double probe_value(const struct probe *probe)
{
    double out[256], sum = 0;
    cr_assert(probe->outputs <= 256);
    probe->forward(probe->context, out);
    for (size_t i = 0; i < probe->outputs; i++)
        sum += out[i] * probe->dout[i];
    return sum;
}

static void expect_gradient(const struct probe *probe, double *input, const double *gradient,
                            size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++) {
        const double before = input[i];
        input[i] = before + step;
        const double above = probe_value(probe);
        input[i] = before - step;
        const double below = probe_value(probe);
        input[i] = before;
        const double difference = (above - below) / (2 * step);
        cr_assert(fabs(difference - gradient[i]) < tolerance, "%s[%zu]: %.12g, differences %.12g",
                  what, i, gradient[i], difference);
    }
}

static void forward_norm(void *context, double *out)
{
    reference_norm(context, out, NULL);
}

Test(operator_reference, norm_has_the_gradient_of_its_differences)
{
    enum { ROWS = 3, WIDTH = 5 };
    double x[ROWS * WIDTH], weight[WIDTH], bias[WIDTH], dout[ROWS * WIDTH];
    double dx[ROWS * WIDTH] = {0}, dweight[WIDTH] = {0}, dbias[WIDTH] = {0};
    fill(x, ROWS * WIDTH), fill(weight, WIDTH), fill(bias, WIDTH), fill(dout, ROWS * WIDTH);
    struct reference_norm norm = {ROWS, WIDTH, x, weight, bias};
    const struct probe probe = {forward_norm, &norm, dout, ROWS * WIDTH};
    reference_norm_gradient(&norm, dout, dx, dweight, dbias);
    expect_gradient(&probe, x, dx, ROWS * WIDTH, "dx");
    expect_gradient(&probe, weight, dweight, WIDTH, "dweight");
    expect_gradient(&probe, bias, dbias, WIDTH, "dbias");
}

static void forward_linear(void *context, double *out)
{
    reference_linear(context, out);
}

Test(operator_reference, linear_has_the_gradient_of_its_differences)
{
    enum { ROWS = 3, IN = 4, OUT = 5 };
    double x[ROWS * IN], weight[OUT * IN], bias[OUT], residual[ROWS * OUT], dout[ROWS * OUT];
    double dx[ROWS * IN] = {0}, dweight[OUT * IN] = {0}, dbias[OUT] = {0};
    fill(x, ROWS * IN), fill(weight, OUT * IN), fill(bias, OUT);
    fill(residual, ROWS * OUT), fill(dout, ROWS * OUT);
    struct reference_linear linear = {ROWS, IN, OUT, x, weight, bias, residual};
    const struct probe probe = {forward_linear, &linear, dout, ROWS * OUT};
    reference_linear_gradient(&linear, dout, dx, dweight, dbias);
    expect_gradient(&probe, x, dx, ROWS * IN, "dx");
    expect_gradient(&probe, weight, dweight, OUT * IN, "dweight");
    expect_gradient(&probe, bias, dbias, OUT, "dbias");
    expect_gradient(&probe, residual, dout, ROWS * OUT, "dresidual");
}

Test(operator_reference, gelu_is_that_of_its_paper_and_has_its_slope)
{
    cr_assert_eq(reference_gelu(0), 0);
    /* x Phi(x) at 1 is 0.8413447; the tanh form is within 5e-4 of it (arXiv:1606.08415) */
    cr_assert(fabs(reference_gelu(1) - 0.8413447) < 5e-4);
    for (double x = -4; x <= 4; x += 0.25) {
        const double difference =
            (reference_gelu(x + step) - reference_gelu(x - step)) / (2 * step);
        cr_assert(fabs(reference_gelu_slope(x) - difference) < tolerance, "at %g", x);
    }
}

struct attention {
    struct model_shape shape;
    double *qkv;
};

static void forward_attention(void *context, double *out)
{
    const struct attention *attention = context;
    reference_attention(&attention->shape, attention->qkv, out, NULL);
}

Test(operator_reference, attention_has_the_gradient_of_its_differences)
{
    enum { B = 2, T = 5, H = 3, C = 6 };
    double qkv[B * T * 3 * C], dout[B * T * C], dqkv[B * T * 3 * C] = {0};
    fill(qkv, B * T * 3 * C), fill(dout, B * T * C);
    struct attention attention = {
        {.width = C, .heads = H, .seq_len = T, .micro_batch = B, .layers = 1, .vocab = 1}, qkv};
    const struct probe probe = {forward_attention, &attention, dout, B * T * C};
    reference_attention_gradient(&attention.shape, qkv, dout, dqkv);
    expect_gradient(&probe, qkv, dqkv, B * T * 3 * C, "dqkv");
}

Test(operator_reference, attention_is_causal_and_averages_equal_scores)
{
    enum { T = 4, C = 2 };
    double qkv[T * 3 * C] = {0}, out[T * C], stats[T];
    const struct model_shape shape = {
        .width = C, .heads = 1, .seq_len = T, .micro_batch = 1, .layers = 1, .vocab = 1};
    for (size_t t = 0; t < T; t++) /* query 0, so that all scores are 0; the value is t */
        qkv[t * 3 * C + 2 * C] = (double)t;
    reference_attention(&shape, qkv, out, stats);
    for (size_t t = 0; t < T; t++) {
        cr_assert(fabs(out[t * C] - (double)t / 2) < 1e-15); /* the mean of 0..t */
        cr_assert(fabs(stats[t] - log((double)t + 1)) < 1e-15);
    }
}

struct embedding {
    struct model_shape shape;
    const int32_t *tokens;
    double *wte, *wpe;
};

static void forward_embedding(void *context, double *out)
{
    const struct embedding *embedding = context;
    reference_embedding(&embedding->shape, out, embedding->tokens, embedding->wte, embedding->wpe);
}

Test(operator_reference, embedding_has_the_gradient_of_its_differences)
{
    enum { B = 2, T = 3, V = 4, C = 2 };
    static const int32_t tokens[B * (T + 1)] = {0, 2, 0, 3, 2, 2, 1, 0};
    double wte[V * C], wpe[T * C], dout[B * T * C], dwte[V * C] = {0}, dwpe[T * C] = {0};
    fill(wte, V * C), fill(wpe, T * C), fill(dout, B * T * C);
    struct embedding embedding = {
        {.width = C, .heads = 1, .seq_len = T, .micro_batch = B, .layers = 1, .vocab = V},
        tokens,
        wte,
        wpe};
    const struct probe probe = {forward_embedding, &embedding, dout, B * T * C};
    reference_embedding_gradient(&embedding.shape, dwte, dwpe, dout, tokens);
    expect_gradient(&probe, wte, dwte, V * C, "dwte");
    expect_gradient(&probe, wpe, dwpe, T * C, "dwpe");
}

enum { VOCAB = 7, TARGET = 2 };

static void forward_loss(void *context, double *out)
{
    out[0] = reference_loss(context, VOCAB, TARGET);
}

Test(operator_reference, loss_has_the_gradient_of_its_differences)
{
    double logits[VOCAB], dlogits[VOCAB] = {0};
    const double one = 1;
    fill(logits, VOCAB);
    const struct probe probe = {forward_loss, logits, &one, 1};
    reference_loss_gradient(logits, VOCAB, TARGET, dlogits);
    expect_gradient(&probe, logits, dlogits, VOCAB, "dlogits");
}

Test(operator_reference, loss_of_equal_logits_is_the_logarithm_of_their_number)
{
    const double logits[VOCAB] = {5, 5, 5, 5, 5, 5, 5};
    cr_assert(fabs(reference_loss(logits, VOCAB, TARGET) - log(VOCAB)) < 1e-15);
}
