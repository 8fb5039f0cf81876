#include "reference_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_data.h"
#include "reference_layers.h"

#define BETA1 0.9
#define BETA2 0.95
#define EPSILON 1e-8
#define DECAY 0.1
#define CLIP_EPSILON 1e-6

static double *numbers(uint64_t count)
{
    double *array = calloc(count + 1, sizeof *array);
    if (array == NULL) {
        fprintf(stderr, "reference model: no memory for %zu numbers\n", (size_t)count);
        abort();
    }
    return array;
}

uint64_t reference_model_offset(const struct model_shape *shape, size_t index)
{
    uint64_t offset = 0;
    for (size_t i = 0; i < index; i++)
        offset += model_tensor(shape, i).elements;
    return offset;
}

/* One block's values, or their gradients: T rows each. */
struct block {
    double *in, *n1, *qkv, *a, *middle, *projected, *n2, *up, *gelu, *down;
    double *probabilities; /* [H][T][T]; values only */
};

/* One sequence on its way. Index 0: values, 1: gradients. */
struct pass {
    const struct model_shape *shape;
    size_t rows, width;
    const double *parameters;
    double *gradients;
    struct block *blocks[2]; /* L + 1: of the last only `in` is used, the final norm's input */
    double *norm[2], *logits[2];
};

static void blocks_create(struct pass *pass, int which)
{
    const size_t n = pass->rows * pass->width, count = pass->shape->layers + 1;
    pass->blocks[which] = calloc(count, sizeof *pass->blocks[which]);
    if (pass->blocks[which] == NULL)
        abort();
    for (size_t l = 0; l < count; l++) {
        pass->blocks[which][l] = (struct block){
            numbers(n),
            numbers(n),
            numbers(3 * n),
            numbers(n),
            numbers(n),
            numbers(n),
            numbers(n),
            numbers(4 * n),
            numbers(4 * n),
            numbers(n),
            which == 0 ? numbers(pass->shape->heads * pass->rows * pass->rows) : NULL,
        };
    }
    pass->norm[which] = numbers(n);
    pass->logits[which] = numbers(pass->rows * pass->shape->vocab);
}

static void blocks_destroy(struct pass *pass, int which)
{
    for (size_t l = 0; pass->blocks[which] != NULL && l <= pass->shape->layers; l++) {
        struct block *b = &pass->blocks[which][l];
        double *arrays[] = {b->in, b->n1, b->qkv,  b->a,    b->middle,       b->projected,
                            b->n2, b->up, b->gelu, b->down, b->probabilities};
        for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
            free(arrays[i]);
    }
    free(pass->blocks[which]);
    free(pass->norm[which]);
    free(pass->logits[which]);
}

static uint64_t at(const struct pass *pass, enum model_module module, size_t block, bool is_bias)
{
    return reference_model_offset(pass->shape,
                                  model_tensor_index(pass->shape, module, block, is_bias));
}

static struct reference_norm norm_of(const struct pass *pass, enum model_module module,
                                     size_t block, const double *x)
{
    return (struct reference_norm){pass->rows, pass->width, x,
                                   pass->parameters + at(pass, module, block, false),
                                   pass->parameters + at(pass, module, block, true)};
}

static struct reference_linear linear_of(const struct pass *pass, enum model_module module,
                                         size_t block, const double *x)
{
    const struct model_tensor weight =
        model_tensor(pass->shape, model_tensor_index(pass->shape, module, block, false));
    return (struct reference_linear){
        pass->rows,
        (size_t)weight.columns,
        (size_t)weight.rows,
        x,
        pass->parameters + at(pass, module, block, false),
        module == MODEL_WTE ? NULL : pass->parameters + at(pass, module, block, true)};
}

static void norm_forward(const struct pass *pass, enum model_module module, size_t block,
                         const double *x, double *y)
{
    const struct reference_norm layer = norm_of(pass, module, block, x);
    reference_norm_forward(&layer, y);
}

static void linear_forward(const struct pass *pass, enum model_module module, size_t block,
                           const double *x, double *y)
{
    const struct reference_linear layer = linear_of(pass, module, block, x);
    reference_linear_forward(&layer, y);
}

static struct reference_attention attention_of(const struct pass *pass, const struct block *block)
{
    return (struct reference_attention){pass->rows, pass->width, (size_t)pass->shape->heads,
                                        block->qkv, block->probabilities};
}

static void add(size_t count, const double *a, const double *b, double *sum)
{
    for (size_t i = 0; i < count; i++)
        sum[i] = a[i] + b[i];
}

static void block_forward(const struct pass *pass, size_t l)
{
    const struct block *b = &pass->blocks[0][l];
    const size_t n = pass->rows * pass->width;
    const struct reference_attention attention = attention_of(pass, b);
    norm_forward(pass, MODEL_LN1, l, b->in, b->n1);
    linear_forward(pass, MODEL_QKV, l, b->n1, b->qkv);
    reference_attention_forward(&attention, b->a);
    linear_forward(pass, MODEL_PROJECTION, l, b->a, b->projected);
    add(n, b->in, b->projected, b->middle);
    norm_forward(pass, MODEL_LN2, l, b->middle, b->n2);
    linear_forward(pass, MODEL_UP, l, b->n2, b->up);
    reference_gelu_forward(4 * n, b->up, b->gelu);
    linear_forward(pass, MODEL_DOWN, l, b->gelu, b->down);
    add(n, b->middle, b->down, b[1].in);
}

/* Sum of the sequence's losses; dlogits = scale times their gradient. */
static double forward(const struct pass *pass, const int32_t *tokens, double scale)
{
    const size_t c = pass->width, layers = (size_t)pass->shape->layers;
    const double *wte = pass->parameters + at(pass, MODEL_WTE, 0, false);
    const double *wpe = pass->parameters + at(pass, MODEL_WPE, 0, false);
    for (size_t t = 0; t < pass->rows; t++)
        add(c, wte + (size_t)tokens[t] * c, wpe + t * c, pass->blocks[0][0].in + t * c);
    for (size_t l = 0; l < layers; l++)
        block_forward(pass, l);
    norm_forward(pass, MODEL_LN_F, 0, pass->blocks[0][layers].in, pass->norm[0]);
    linear_forward(pass, MODEL_WTE, 0, pass->norm[0], pass->logits[0]);
    return reference_cross_entropy(pass->rows, (size_t)pass->shape->vocab, pass->logits[0],
                                   tokens + 1, scale, pass->logits[1]);
}

static void norm_backward(const struct pass *pass, enum model_module module, size_t block,
                          const double *x, const double *dy, double *dx)
{
    const struct reference_norm layer = norm_of(pass, module, block, x);
    reference_norm_backward(&layer, dy, dx, pass->gradients + at(pass, module, block, false),
                            pass->gradients + at(pass, module, block, true));
}

static void linear_backward(const struct pass *pass, enum model_module module, size_t block,
                            const double *x, const double *dy, double *dx)
{
    const struct reference_linear layer = linear_of(pass, module, block, x);
    reference_linear_backward(
        &layer, dy, dx, pass->gradients + at(pass, module, block, false),
        module == MODEL_WTE ? NULL : pass->gradients + at(pass, module, block, true));
}

/* `d[1].in` is complete; makes `d->in`. Gradients of what was added are those of the sum. */
static void block_backward(const struct pass *pass, size_t l)
{
    const struct block *b = &pass->blocks[0][l], *d = &pass->blocks[1][l];
    const size_t n = pass->rows * pass->width;
    const struct reference_attention attention = attention_of(pass, b);
    memcpy(d->down, d[1].in, n * sizeof *d->down);
    memcpy(d->middle, d[1].in, n * sizeof *d->middle);
    linear_backward(pass, MODEL_DOWN, l, b->gelu, d->down, d->gelu);
    reference_gelu_backward(4 * n, b->up, d->gelu, d->up);
    linear_backward(pass, MODEL_UP, l, b->n2, d->up, d->n2);
    norm_backward(pass, MODEL_LN2, l, b->middle, d->n2, d->middle);
    memcpy(d->projected, d->middle, n * sizeof *d->projected);
    memcpy(d->in, d->middle, n * sizeof *d->in);
    linear_backward(pass, MODEL_PROJECTION, l, b->a, d->projected, d->a);
    reference_attention_backward(&attention, d->a, d->qkv);
    linear_backward(pass, MODEL_QKV, l, b->n1, d->qkv, d->n1);
    norm_backward(pass, MODEL_LN1, l, b->in, d->n1, d->in);
}

static void backward(const struct pass *pass, const int32_t *tokens)
{
    const size_t c = pass->width, layers = (size_t)pass->shape->layers;
    double *dwte = pass->gradients + at(pass, MODEL_WTE, 0, false);
    double *dwpe = pass->gradients + at(pass, MODEL_WPE, 0, false);
    linear_backward(pass, MODEL_WTE, 0, pass->norm[0], pass->logits[1], pass->norm[1]);
    norm_backward(pass, MODEL_LN_F, 0, pass->blocks[0][layers].in, pass->norm[1],
                  pass->blocks[1][layers].in);
    for (size_t l = layers; l-- > 0;)
        block_backward(pass, l);
    for (size_t t = 0; t < pass->rows; t++) {
        const double *d = pass->blocks[1][0].in + t * c;
        add(c, dwte + (size_t)tokens[t] * c, d, dwte + (size_t)tokens[t] * c);
        add(c, dwpe + t * c, d, dwpe + t * c);
    }
}

double reference_model_loss(const struct model_shape *shape, const double *parameters,
                            const int32_t *tokens, uint64_t sequences, double *gradients)
{
    const double count = (double)sequences * (double)shape->seq_len;
    double sum = 0;
    for (uint64_t i = 0; i < sequences; i++) {
        struct pass pass = {.shape = shape,
                            .rows = (size_t)shape->seq_len,
                            .width = (size_t)shape->width,
                            .parameters = parameters,
                            .gradients = gradients};
        blocks_create(&pass, 0);
        if (gradients != NULL)
            blocks_create(&pass, 1);
        sum += forward(&pass, tokens + i * (shape->seq_len + 1), 1 / count);
        if (gradients != NULL)
            backward(&pass, tokens + i * (shape->seq_len + 1));
        blocks_destroy(&pass, 0);
        blocks_destroy(&pass, 1);
    }
    return sum / count;
}

double reference_model_distance(const float *got, const double *expected, uint64_t count)
{
    double difference = 0, norm = 0;
    for (uint64_t i = 0; i < count; i++) {
        difference += (got[i] - expected[i]) * (got[i] - expected[i]);
        norm += expected[i] * expected[i];
    }
    return sqrt(difference / norm);
}

bool reference_model_key_bias(const struct model_shape *shape, size_t index, uint64_t *first,
                              uint64_t *count)
{
    const struct model_tensor tensor = model_tensor(shape, index);
    *first = *count = shape->width;
    return tensor.module == MODEL_QKV && tensor.is_bias;
}

/* --- training --- */

struct optimizer {
    uint64_t count;
    double *parameters, *gradients, *moment1, *moment2;
    double *used; /* parameters as forward and backward see them */
};

/* The nearest number with 8 significant bits; halfway to even. Denormal ones do not occur. */
static double rounded_to_bf16(double value)
{
    int exponent;
    const double fraction = frexp(value, &exponent);
    return ldexp(rint(ldexp(fraction, 8)), exponent - 8);
}

static void round_parameters(const struct reference_model_request *request,
                             struct optimizer *optimizer)
{
    for (uint64_t e = 0; e < optimizer->count; e++)
        optimizer->used[e] = request->bf16_parameters ? rounded_to_bf16(optimizer->parameters[e])
                                                      : optimizer->parameters[e];
}

static void initial_parameters(const struct reference_model_request *request, double *parameters)
{
    for (size_t i = 0; i < model_tensor_count(&request->shape); i++) {
        const uint64_t count = model_tensor(&request->shape, i).elements;
        float *values = malloc(count * sizeof *values);
        if (values == NULL)
            abort();
        model_data_initial(&request->shape, request->seed, i, 0, count, values);
        for (uint64_t e = 0; e < count; e++)
            *parameters++ = values[e];
        free(values);
    }
}

/* Loshchilov and Hutter, arXiv:1711.05101, algorithm 2; decay on 2-D tensors alone. */
static void adamw(const struct reference_model_request *request, struct optimizer *optimizer,
                  uint64_t t, double scale)
{
    uint64_t e = 0;
    for (size_t i = 0; i < model_tensor_count(&request->shape); i++) {
        const struct model_tensor tensor = model_tensor(&request->shape, i);
        const double decay = tensor.columns == 0 ? 0 : DECAY;
        for (const uint64_t end = e + tensor.elements; e < end; e++) {
            const double g = scale * optimizer->gradients[e];
            double *m = &optimizer->moment1[e], *v = &optimizer->moment2[e];
            *m = BETA1 * *m + (1 - BETA1) * g;
            *v = BETA2 * *v + (1 - BETA2) * g * g;
            const double m_hat = *m / (1 - pow(BETA1, (double)t));
            const double v_hat = *v / (1 - pow(BETA2, (double)t));
            optimizer->parameters[e] -= request->learning_rate * (m_hat / (sqrt(v_hat) + EPSILON) +
                                                                  decay * optimizer->parameters[e]);
        }
    }
}

static void step(const struct reference_model_request *request, struct optimizer *optimizer,
                 uint64_t step, struct reference_model_result *result)
{
    const struct model_shape *shape = &request->shape;
    const uint64_t length = shape->seq_len + 1;
    int32_t *tokens = malloc(request->global_batch * length * sizeof *tokens);
    if (tokens == NULL)
        abort();
    for (uint64_t i = 0; i < request->global_batch; i++)
        model_data_tokens(shape, request->seed, step, i, tokens + i * length);
    memset(optimizer->gradients, 0, optimizer->count * sizeof(double));
    round_parameters(request, optimizer);
    result->losses[step] = reference_model_loss(shape, optimizer->used, tokens,
                                                request->global_batch, optimizer->gradients);
    free(tokens);
    double squares = 0;
    for (uint64_t e = 0; e < optimizer->count; e++)
        squares += optimizer->gradients[e] * optimizer->gradients[e];
    result->norms[step] = sqrt(squares);
    if (step == 0)
        memcpy(result->gradients, optimizer->gradients, optimizer->count * sizeof(double));
    double scale = request->max_grad_norm / (result->norms[step] + CLIP_EPSILON);
    if (request->max_grad_norm == 0 || scale > 1)
        scale = 1;
    adamw(request, optimizer, step + 1, scale);
}

void reference_model_run(const struct reference_model_request *request,
                         struct reference_model_result *result)
{
    const uint64_t count = model_parameters(&request->shape);
    *result = (struct reference_model_result){numbers(request->steps), numbers(request->steps),
                                              numbers(count), numbers(count)};
    struct optimizer optimizer = {count,          result->parameters, numbers(count),
                                  numbers(count), numbers(count),     numbers(count)};
    initial_parameters(request, optimizer.parameters);
    for (uint64_t t = 0; t < request->steps; t++)
        step(request, &optimizer, t, result);
    free(optimizer.gradients);
    free(optimizer.moment1);
    free(optimizer.moment2);
    free(optimizer.used);
}

void reference_model_free(struct reference_model_result *result)
{
    free(result->losses);
    free(result->norms);
    free(result->gradients);
    free(result->parameters);
}
