#include "reference_layers.h"

#include <math.h>

#define NORM_EPSILON 1e-5
#define PI 3.14159265358979323846

void reference_linear_forward(const struct reference_linear *layer, double *y)
{
    for (size_t r = 0; r < layer->rows; r++)
        for (size_t o = 0; o < layer->outputs; o++) {
            double sum = layer->bias == NULL ? 0 : layer->bias[o];
            for (size_t i = 0; i < layer->inputs; i++)
                sum += layer->x[r * layer->inputs + i] * layer->w[o * layer->inputs + i];
            y[r * layer->outputs + o] = sum;
        }
}

void reference_linear_backward(const struct reference_linear *layer, const double *dy, double *dx,
                               double *dw, double *dbias)
{
    for (size_t r = 0; r < layer->rows; r++)
        for (size_t o = 0; o < layer->outputs; o++) {
            const double d = dy[r * layer->outputs + o];
            if (dbias != NULL)
                dbias[o] += d;
            for (size_t i = 0; i < layer->inputs; i++) {
                dx[r * layer->inputs + i] += d * layer->w[o * layer->inputs + i];
                dw[o * layer->inputs + i] += d * layer->x[r * layer->inputs + i];
            }
        }
}

/* Mean of a row and the reciprocal of its deviation. */
static void moments(const double *x, size_t width, double *mean, double *reciprocal)
{
    double sum = 0, squares = 0;
    for (size_t c = 0; c < width; c++)
        sum += x[c];
    *mean = sum / (double)width;
    for (size_t c = 0; c < width; c++)
        squares += (x[c] - *mean) * (x[c] - *mean);
    *reciprocal = 1 / sqrt(squares / (double)width + NORM_EPSILON);
}

void reference_norm_forward(const struct reference_norm *layer, double *y)
{
    for (size_t r = 0; r < layer->rows; r++) {
        const double *x = layer->x + r * layer->width;
        double mean, reciprocal;
        moments(x, layer->width, &mean, &reciprocal);
        for (size_t c = 0; c < layer->width; c++)
            y[r * layer->width + c] = (x[c] - mean) * reciprocal * layer->w[c] + layer->bias[c];
    }
}

/* With n = (x - mean) / deviation and d = dy w:
 * dx = (d - mean(d) - n mean(d n)) / deviation. */
void reference_norm_backward(const struct reference_norm *layer, const double *dy, double *dx,
                             double *dw, double *dbias)
{
    const size_t width = layer->width;
    for (size_t r = 0; r < layer->rows; r++) {
        const double *x = layer->x + r * width, *dyr = dy + r * width;
        double mean, reciprocal, d_mean = 0, dn_mean = 0;
        moments(x, width, &mean, &reciprocal);
        for (size_t c = 0; c < width; c++) {
            const double n = (x[c] - mean) * reciprocal, d = dyr[c] * layer->w[c];
            dw[c] += dyr[c] * n;
            dbias[c] += dyr[c];
            d_mean += d / (double)width;
            dn_mean += d * n / (double)width;
        }
        for (size_t c = 0; c < width; c++) {
            const double n = (x[c] - mean) * reciprocal, d = dyr[c] * layer->w[c];
            dx[r * width + c] += (d - d_mean - n * dn_mean) * reciprocal;
        }
    }
}

void reference_gelu_forward(size_t count, const double *u, double *g)
{
    for (size_t i = 0; i < count; i++)
        g[i] = 0.5 * u[i] * (1 + tanh(sqrt(2 / PI) * (u[i] + 0.044715 * u[i] * u[i] * u[i])));
}

void reference_gelu_backward(size_t count, const double *u, const double *dg, double *du)
{
    for (size_t i = 0; i < count; i++) {
        const double t = tanh(sqrt(2 / PI) * (u[i] + 0.044715 * u[i] * u[i] * u[i]));
        const double inner = sqrt(2 / PI) * (1 + 3 * 0.044715 * u[i] * u[i]);
        du[i] += dg[i] * (0.5 * (1 + t) + 0.5 * u[i] * (1 - t * t) * inner);
    }
}

/* One head's row of probabilities over the positions up to its own. */
static void probabilities_of_row(const struct reference_attention *layer, size_t h, size_t t,
                                 double *row)
{
    const size_t size = layer->width / layer->heads, stride = 3 * layer->width;
    const double *q = layer->qkv + t * stride + h * size;
    double largest = -INFINITY, sum = 0;
    for (size_t s = 0; s < layer->rows; s++) {
        const double *k = layer->qkv + s * stride + layer->width + h * size;
        row[s] = s <= t ? 0 : -INFINITY;
        for (size_t i = 0; s <= t && i < size; i++)
            row[s] += q[i] * k[i] / sqrt((double)size);
        largest = fmax(largest, row[s]);
    }
    for (size_t s = 0; s < layer->rows; s++)
        sum += row[s] = exp(row[s] - largest);
    for (size_t s = 0; s < layer->rows; s++)
        row[s] /= sum;
}

void reference_attention_forward(const struct reference_attention *layer, double *y)
{
    const size_t size = layer->width / layer->heads, stride = 3 * layer->width;
    for (size_t h = 0; h < layer->heads; h++)
        for (size_t t = 0; t < layer->rows; t++) {
            double *row = layer->probabilities + (h * layer->rows + t) * layer->rows;
            probabilities_of_row(layer, h, t, row);
            for (size_t i = 0; i < size; i++) {
                double sum = 0;
                for (size_t s = 0; s < layer->rows; s++)
                    sum += row[s] * layer->qkv[s * stride + 2 * layer->width + h * size + i];
                y[t * layer->width + h * size + i] = sum;
            }
        }
}

/* p = softmax(z), z = q k / sqrt(size): dp_s = dy v_s, dz_s = p_s (dp_s - sum_j p_j dp_j). */
static void attention_row_backward(const struct reference_attention *layer, size_t h, size_t t,
                                   const double *dy, double *dqkv)
{
    const size_t size = layer->width / layer->heads, stride = 3 * layer->width;
    const double *p = layer->probabilities + (h * layer->rows + t) * layer->rows;
    const double *dyt = dy + t * layer->width + h * size;
    const size_t q = t * stride + h * size;
    double mean = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t s = 0; s <= t; s++) {
            const size_t k = s * stride + layer->width + h * size, v = k + layer->width;
            double dp = 0;
            for (size_t i = 0; i < size; i++)
                dp += dyt[i] * layer->qkv[v + i];
            if (pass == 0) {
                mean += p[s] * dp;
                continue;
            }
            const double dz = p[s] * (dp - mean) / sqrt((double)size);
            for (size_t i = 0; i < size; i++) {
                dqkv[v + i] += p[s] * dyt[i];
                dqkv[q + i] += dz * layer->qkv[k + i];
                dqkv[k + i] += dz * layer->qkv[q + i];
            }
        }
}

void reference_attention_backward(const struct reference_attention *layer, const double *dy,
                                  double *dqkv)
{
    for (size_t h = 0; h < layer->heads; h++)
        for (size_t t = 0; t < layer->rows; t++)
            attention_row_backward(layer, h, t, dy, dqkv);
}

double reference_cross_entropy(size_t rows, size_t vocab, const double *logits, const int *targets,
                               double scale, double *dlogits)
{
    double loss = 0;
    for (size_t r = 0; r < rows; r++) {
        const double *row = logits + r * vocab;
        double largest = -INFINITY, sum = 0;
        for (size_t v = 0; v < vocab; v++)
            largest = fmax(largest, row[v]);
        for (size_t v = 0; v < vocab; v++)
            sum += exp(row[v] - largest);
        loss += log(sum) + largest - row[targets[r]];
        for (size_t v = 0; dlogits != NULL && v < vocab; v++)
            dlogits[r * vocab + v] =
                scale * (exp(row[v] - largest) / sum - (v == (size_t)targets[r] ? 1 : 0));
    }
    return loss;
}
