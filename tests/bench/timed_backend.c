#include "timed_backend.h"

#include <time.h>

static const char *const names[TIMED_COUNT] = {"embedding",          "layer norm forward",
                                               "linear forward",     "linear + residual",
                                               "linear + gelu",      "attention forward",
                                               "cross-entropy",      "input gradient",
                                               "input grad. gelu'",  "weight gradient",
                                               "attention backward", "layer norm backward",
                                               "square sum",         "adamw"};

const char *timed_operator_name(enum timed_operator which)
{
    return names[which];
}

double timed_backend_now(const struct timed_backend *timed)
{
    struct timespec now;
    clock_gettime(timed->clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct timed_backend *timed_of(struct backend *backend)
{
    return (struct timed_backend *)backend;
}

static void note(struct timed_backend *timed, enum timed_operator which, double start, double flops)
{
    const double seconds = timed_backend_now(timed) - start;
    if (timed->count == timed->capacity)
        return;
    struct timed_call *call = &timed->calls[timed->count++];
    call->which = which;
    call->flops = flops;
    if (call->seconds <= 0 || seconds < call->seconds)
        call->seconds = seconds;
}

static double product(const struct backend *backend, uint64_t inputs, uint64_t outputs)
{
    const struct model_shape *shape = &backend->request.shape;
    return 2.0 * (double)(shape->micro_batch * shape->seq_len) * (double)inputs * (double)outputs;
}

/* Of one of attention's products, causal or not. */
static double attention_product(const struct backend *backend)
{
    return product(backend, backend->request.shape.width, backend->request.shape.seq_len);
}

static void embedding_forward(struct backend *backend, void *out, const int32_t *tokens,
                              const void *wte, const void *wpe)
{
    struct timed_backend *timed = timed_of(backend);
    const double start = timed_backend_now(timed);
    timed->inner->operations->embedding_forward(timed->inner, out, tokens, wte, wpe);
    note(timed, TIMED_EMBEDDING, start, 0);
}

static void embedding_backward(struct backend *backend, void *dwte, void *dwpe, const void *dout,
                               const int32_t *tokens, int accumulate)
{
    struct timed_backend *timed = timed_of(backend);
    const double start = timed_backend_now(timed);
    timed->inner->operations->embedding_backward(timed->inner, dwte, dwpe, dout, tokens,
                                                 accumulate);
    note(timed, TIMED_EMBEDDING, start, 0);
}

static void layer_norm_forward(struct backend *backend, void *out, float *stats, const void *x,
                               const void *weight, const void *bias)
{
    struct timed_backend *timed = timed_of(backend);
    const double start = timed_backend_now(timed);
    timed->inner->operations->layer_norm_forward(timed->inner, out, stats, x, weight, bias);
    note(timed, TIMED_NORM_FORWARD, start, 0);
}

static void layer_norm_backward(struct backend *backend, void *dx, void *dweight, void *dbias,
                                const void *dout, const void *x, const float *stats,
                                const void *weight, int accumulate, int set)
{
    struct timed_backend *timed = timed_of(backend);
    const double start = timed_backend_now(timed);
    timed->inner->operations->layer_norm_backward(timed->inner, dx, dweight, dbias, dout, x, stats,
                                                  weight, accumulate, set);
    note(timed, TIMED_NORM_BACKWARD, start, 0);
}

static void linear_forward(struct backend *backend, void *out, const void *x, const void *weight,
                           const void *bias, uint64_t inputs, uint64_t outputs)
{
    struct timed_backend *timed = timed_of(backend);
    const double start = timed_backend_now(timed);
    timed->inner->operations->linear_forward(timed->inner, out, x, weight, bias, inputs, outputs);
    note(timed, TIMED_LINEAR_FORWARD, start, product(backend, inputs, outputs));
}

static void linear_residual_forward(struct backend *backend, void *out, const void *residual,
                                    const void *x, const void *weight, const void *bias,
                                    uint64_t inputs, uint64_t outputs)
{
    struct timed_backend *timed = timed_of(backend);
    const double start = timed_backend_now(timed);
    timed->inner->operations->linear_residual_forward(timed->inner, out, residual, x, weight, bias,
                                                      inputs, outputs);
    note(timed, TIMED_RESIDUAL_FORWARD, start, product(backend, inputs, outputs));
}

static void linear_gelu_forward(struct backend *backend, void *out, void *gelu_out, const void *x,
                                const void *weight, const void *bias, uint64_t inputs,
                                uint64_t outputs)
{
    struct timed_backend *timed = timed_of(backend);
    const double start = timed_backend_now(timed);
    timed->inner->operations->linear_gelu_forward(timed->inner, out, gelu_out, x, weight, bias,
                                                  inputs, outputs);
    note(timed, TIMED_GELU_FORWARD, start, product(backend, inputs, outputs));
}

static void linear_backward_input(struct backend *backend, void *dx, const void *dout,
                                  const void *weight, const void *gelu_input, uint64_t inputs,
                                  uint64_t outputs)
{
    struct timed_backend *timed = timed_of(backend);
    const double start = timed_backend_now(timed);
    timed->inner->operations->linear_backward_input(timed->inner, dx, dout, weight, gelu_input,
                                                    inputs, outputs);
    note(timed, gelu_input == NULL ? TIMED_INPUT_GRADIENT : TIMED_GELU_GRADIENT, start,
         product(backend, inputs, outputs));
}

static void linear_backward_weight(struct backend *backend, void *dweight, void *dbias,
                                   const void *dout, const void *x, uint64_t inputs,
                                   uint64_t outputs, int accumulate)
{
    struct timed_backend *timed = timed_of(backend);
    const double start = timed_backend_now(timed);
    timed->inner->operations->linear_backward_weight(timed->inner, dweight, dbias, dout, x, inputs,
                                                     outputs, accumulate);
    note(timed, TIMED_WEIGHT_GRADIENT, start, product(backend, inputs, outputs));
}

static void attention_forward(struct backend *backend, void *out, float *stats, const void *qkv)
{
    struct timed_backend *timed = timed_of(backend);
    const double start = timed_backend_now(timed);
    timed->inner->operations->attention_forward(timed->inner, out, stats, qkv);
    note(timed, TIMED_ATTENTION_FORWARD, start, 2 * attention_product(backend));
}

static void attention_backward(struct backend *backend, void *dqkv, const void *dout,
                               const void *out, const float *stats, const void *qkv)
{
    struct timed_backend *timed = timed_of(backend);
    const double start = timed_backend_now(timed);
    timed->inner->operations->attention_backward(timed->inner, dqkv, dout, out, stats, qkv);
    note(timed, TIMED_ATTENTION_BACKWARD, start, 4 * attention_product(backend));
}

static void cross_entropy(struct backend *backend, float *losses, void *logits,
                          const int32_t *tokens, float scale)
{
    struct timed_backend *timed = timed_of(backend);
    const double start = timed_backend_now(timed);
    timed->inner->operations->cross_entropy(timed->inner, losses, logits, tokens, scale);
    note(timed, TIMED_CROSS_ENTROPY, start, 0);
}

static void loss_sum(struct backend *backend, double *sum, const float *losses)
{
    struct timed_backend *timed = timed_of(backend);
    timed->inner->operations->loss_sum(timed->inner, sum, losses);
}

static void square_sum(struct backend *backend, double *sum, const void *gradient, uint64_t count,
                       int typed)
{
    struct timed_backend *timed = timed_of(backend);
    const double start = timed_backend_now(timed);
    timed->inner->operations->square_sum(timed->inner, sum, gradient, count, typed);
    note(timed, TIMED_SQUARE_SUM, start, 0);
}

static void adamw(struct backend *backend, const struct backend_update *update,
                  const struct backend_adamw *how)
{
    struct timed_backend *timed = timed_of(backend);
    const double start = timed_backend_now(timed);
    timed->inner->operations->adamw(timed->inner, update, how);
    note(timed, TIMED_ADAMW, start, 0);
}

void timed_backend_init(struct timed_backend *timed, struct backend *inner,
                        struct timed_call *calls, unsigned capacity)
{
    *timed =
        (struct timed_backend){.operations = {.name = inner->operations->name,
                                              .embedding_forward = embedding_forward,
                                              .embedding_backward = embedding_backward,
                                              .layer_norm_forward = layer_norm_forward,
                                              .layer_norm_backward = layer_norm_backward,
                                              .linear_forward = linear_forward,
                                              .linear_residual_forward = linear_residual_forward,
                                              .linear_gelu_forward = linear_gelu_forward,
                                              .linear_backward_input = linear_backward_input,
                                              .linear_backward_weight = linear_backward_weight,
                                              .attention_forward = attention_forward,
                                              .attention_backward = attention_backward,
                                              .cross_entropy = cross_entropy,
                                              .loss_sum = loss_sum,
                                              .square_sum = square_sum,
                                              .adamw = adamw},
                               .inner = inner,
                               .clock = CLOCK_MONOTONIC,
                               .calls = calls,
                               .capacity = capacity};
    timed->backend = (struct backend){.operations = &timed->operations, .request = inner->request};
}

void timed_backend_begin_step(struct timed_backend *timed)
{
    timed->count = 0;
}
