#ifndef REFERENCE_LAYERS_H
#define REFERENCE_LAYERS_H

#include <stddef.h>

/*
 * The layers of the reference model in double, one sequence at a time, each a loop as the formula
 * reads. Written from the specification, sharing nothing with the product. Every backward adds to
 * the gradients it is given, so that what several layers contribute to one value meets there.
 */

/* y[rows, outputs] = x[rows, inputs] w[outputs, inputs]^T + bias (or NULL). */
struct reference_linear {
    size_t rows, inputs, outputs;
    const double *x, *w, *bias;
};
void reference_linear_forward(const struct reference_linear *layer, double *y);
/* dbias may be NULL. */
void reference_linear_backward(const struct reference_linear *layer, const double *dy, double *dx,
                               double *dw, double *dbias);

/* y = (x - mean) / sqrt(variance + 1e-5) * w + bias, over each row. */
struct reference_norm {
    size_t rows, width;
    const double *x, *w, *bias;
};
void reference_norm_forward(const struct reference_norm *layer, double *y);
void reference_norm_backward(const struct reference_norm *layer, const double *dy, double *dx,
                             double *dw, double *dbias);

/* 0.5 u (1 + tanh(sqrt(2 / pi) (u + 0.044715 u^3))). */
void reference_gelu_forward(size_t count, const double *u, double *g);
void reference_gelu_backward(size_t count, const double *u, const double *dg, double *du);

/* Causal attention over one sequence: qkv[rows, 3 width] to y[rows, width]; probabilities
 * [heads][rows][rows], 0 above the diagonal, are kept for the backward. */
struct reference_attention {
    size_t rows, width, heads;
    const double *qkv;
    double *probabilities;
};
void reference_attention_forward(const struct reference_attention *layer, double *y);
void reference_attention_backward(const struct reference_attention *layer, const double *dy,
                                  double *dqkv);

/* Sum of -ln softmax(logits)[target] over rows; dlogits (or NULL) = scale times its gradient. */
double reference_cross_entropy(size_t rows, size_t vocab, const double *logits, const int *targets,
                               double scale, double *dlogits);

#endif
