#include "operator_reference.h"

#include <math.h>

void reference_embedding(const struct model_shape *shape, double *out, const int32_t *tokens,
                         const double *wte, const double *wpe)
{
    const size_t c = shape->width, t = shape->seq_len;
    for (size_t row = 0; row < shape->micro_batch * t; row++) {
        const size_t token = (size_t)tokens[row / t * (t + 1) + row % t];
        for (size_t i = 0; i < c; i++)
            out[row * c + i] = wte[token * c + i] + wpe[row % t * c + i];
    }
}

void reference_embedding_gradient(const struct model_shape *shape, double *dwte, double *dwpe,
                                  const double *dout, const int32_t *tokens)
{
    const size_t c = shape->width, t = shape->seq_len;
    for (size_t row = 0; row < shape->micro_batch * t; row++) {
        const size_t token = (size_t)tokens[row / t * (t + 1) + row % t];
        for (size_t i = 0; i < c; i++) {
            dwte[token * c + i] += dout[row * c + i];
            dwpe[row % t * c + i] += dout[row * c + i];
        }
    }
}

static void moments(const double *x, size_t width, double *mean, double *scale)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < width; i++)
        sum += x[i];
    *mean = sum / (double)width;
    for (size_t i = 0; i < width; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    *scale = 1 / sqrt(squares / (double)width + 1e-5);
}

void reference_norm(const struct reference_norm *norm, double *out, double *stats)
{
    const size_t c = norm->width;
    for (size_t row = 0; row < norm->rows; row++) {
        double mean, scale;
        moments(norm->x + row * c, c, &mean, &scale);
        for (size_t i = 0; i < c; i++)
            out[row * c + i] =
                (norm->x[row * c + i] - mean) * scale * norm->weight[i] + norm->bias[i];
        if (stats == NULL)
            continue;
        stats[row] = mean;
        stats[norm->rows + row] = scale;
    }
}

void reference_norm_gradient(const struct reference_norm *norm, const double *dout, double *dx,
                             double *dweight, double *dbias)
{
    const size_t c = norm->width;
    for (size_t row = 0; row < norm->rows; row++) {
        const double *x = norm->x + row * c, *d = dout + row * c;
        double mean, scale, plain = 0, along = 0;
        moments(x, c, &mean, &scale);
        for (size_t i = 0; i < c; i++) {
            dweight[i] += d[i] * (x[i] - mean) * scale;
            dbias[i] += d[i];
            plain += d[i] * norm->weight[i];
            along += d[i] * norm->weight[i] * (x[i] - mean);
        }
        /* d scale / d x_j = -scale^3 (x_j - mean) / c; d mean / d x_j = 1 / c */
        for (size_t j = 0; j < c; j++)
            dx[row * c + j] += scale * (d[j] * norm->weight[j] - plain / (double)c) -
                               scale * scale * scale * (x[j] - mean) * along / (double)c;
    }
}

void reference_linear(const struct reference_linear *linear, double *out)
{
    for (size_t row = 0; row < linear->rows; row++)
        for (size_t o = 0; o < linear->outputs; o++) {
            double sum = linear->bias == NULL ? 0 : linear->bias[o];
            if (linear->residual != NULL)
                sum += linear->residual[row * linear->outputs + o];
            for (size_t i = 0; i < linear->inputs; i++)
                sum += linear->x[row * linear->inputs + i] * linear->weight[o * linear->inputs + i];
            out[row * linear->outputs + o] = sum;
        }
}

void reference_linear_gradient(const struct reference_linear *linear, const double *dout,
                               double *dx, double *dweight, double *dbias)
{
    const size_t inputs = linear->inputs;
    for (size_t row = 0; row < linear->rows; row++)
        for (size_t o = 0; o < linear->outputs; o++) {
            const double d = dout[row * linear->outputs + o];
            dbias[o] += d;
            for (size_t i = 0; i < inputs; i++) {
                dx[row * inputs + i] += d * linear->weight[o * inputs + i];
                dweight[o * inputs + i] += d * linear->x[row * inputs + i];
            }
        }
}

static double gelu_argument(double x)
{
    return sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x);
}

double reference_gelu(double x)
{
    return x / 2 * (1 + tanh(gelu_argument(x)));
}

double reference_gelu_slope(double x)
{
    const double t = tanh(gelu_argument(x));
    return (1 + t) / 2 + x / 2 * (1 - t * t) * sqrt(2 / acos(-1)) * (1 + 3 * 0.044715 * x * x);
}

/* One row of one head: where its parts begin in qkv. */
struct query {
    const double *qkv;
    size_t batch, head, t, depth, width, length;
};

static size_t place(const struct query *query, size_t part, size_t t)
{
    return (query->batch * query->length + t) * 3 * query->width + part * query->width +
           query->head * query->depth;
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The probabilities of keys 0..t; returns the logarithm of the sum of exponentials. */
static double probabilities(const struct query *query, double *p)
{
    const double *q = query->qkv + place(query, 0, query->t);
    double most = -INFINITY, sum = 0;
    for (size_t key = 0; key <= query->t; key++) {
        p[key] =
            dot(q, query->qkv + place(query, 1, key), query->depth) / sqrt((double)query->depth);
        most = fmax(most, p[key]);
    }
    for (size_t key = 0; key <= query->t; key++)
        sum += p[key] = exp(p[key] - most);
    for (size_t key = 0; key <= query->t; key++)
        p[key] /= sum;
    return most + log(sum);
}

enum { LONGEST = 1536 };

/* Calls for every row of every head. */
static void each_query(const struct model_shape *shape, const double *qkv,
                       void (*call)(void *context, const struct query *query, double *p),
                       void *context)
{
    double p[LONGEST];
    struct query query = {.qkv = qkv,
                          .depth = shape->width / shape->heads,
                          .width = shape->width,
                          .length = shape->seq_len};
    for (query.batch = 0; query.batch < shape->micro_batch; query.batch++)
        for (query.head = 0; query.head < shape->heads; query.head++)
            for (query.t = 0; query.t < shape->seq_len; query.t++)
                call(context, &query, p);
}

struct forward {
    double *out, *stats;
    size_t heads;
};

static void forward_row(void *context, const struct query *query, double *p)
{
    const struct forward *forward = context;
    const double logarithm = probabilities(query, p);
    double *out = forward->out + (query->batch * query->length + query->t) * query->width +
                  query->head * query->depth;
    if (forward->stats != NULL)
        forward->stats[(query->batch * forward->heads + query->head) * query->length + query->t] =
            logarithm;
    for (size_t i = 0; i < query->depth; i++) {
        out[i] = 0;
        for (size_t key = 0; key <= query->t; key++)
            out[i] += p[key] * query->qkv[place(query, 2, key) + i];
    }
}

void reference_attention(const struct model_shape *shape, const double *qkv, double *out,
                         double *stats)
{
    struct forward forward = {out, stats, shape->heads};
    each_query(shape, qkv, forward_row, &forward);
}

struct backward {
    const double *dout;
    double *dqkv;
};

static void backward_row(void *context, const struct query *query, double *p)
{
    const struct backward *backward = context;
    const double *dout = backward->dout + (query->batch * query->length + query->t) * query->width +
                         query->head * query->depth;
    const double *q = query->qkv + place(query, 0, query->t);
    double mean = 0;
    probabilities(query, p);
    for (size_t key = 0; key <= query->t; key++)
        mean += p[key] * dot(dout, query->qkv + place(query, 2, key), query->depth);
    for (size_t key = 0; key <= query->t; key++) {
        const double dp = dot(dout, query->qkv + place(query, 2, key), query->depth);
        const double ds = p[key] * (dp - mean) / sqrt((double)query->depth);
        for (size_t i = 0; i < query->depth; i++) {
            backward->dqkv[place(query, 2, key) + i] += p[key] * dout[i];
            backward->dqkv[place(query, 1, key) + i] += ds * q[i];
            backward->dqkv[place(query, 0, query->t) + i] +=
                ds * query->qkv[place(query, 1, key) + i];
        }
    }
}

void reference_attention_gradient(const struct model_shape *shape, const double *qkv,
                                  const double *dout, double *dqkv)
{
    struct backward backward = {dout, dqkv};
    each_query(shape, qkv, backward_row, &backward);
}

double reference_loss(const double *logits, size_t vocab, size_t target)
{
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < vocab; i++)
        most = fmax(most, logits[i]);
    for (size_t i = 0; i < vocab; i++)
        sum += exp(logits[i] - most);
    return log(sum) + (most - logits[target]);
}

void reference_loss_gradient(const double *logits, size_t vocab, size_t target, double *dlogits)
{
    /* d/dx_i log sum e^x = e^x_i / sum e^x */
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < vocab; i++)
        most = fmax(most, logits[i]);
    for (size_t i = 0; i < vocab; i++)
        sum += exp(logits[i] - most);
    for (size_t i = 0; i < vocab; i++)
        dlogits[i] += exp(logits[i] - most) / sum - (i == target ? 1 : 0);
}
