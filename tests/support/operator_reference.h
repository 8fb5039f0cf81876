#ifndef RANKLEDGER_OPERATOR_REFERENCE_H
#define RANKLEDGER_OPERATOR_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

#include "model.h"

/*
 * The operators of backend.h written down once more, in double and without any thought of speed:
 * what backends are tested against. test_operator_reference.c proves the gradients by differences.
 * Gradients are always added to what is there.
 */
void reference_embedding(const struct model_shape *shape, double *out, const int32_t *tokens,
                         const double *wte, const double *wpe);
void reference_embedding_gradient(const struct model_shape *shape, double *dwte, double *dwpe,
                                  const double *dout, const int32_t *tokens);

/* A norm of `rows` rows; stats [2, rows] may be NULL. */
struct reference_norm {
    size_t rows, width;
    const double *x, *weight, *bias;
};
void reference_norm(const struct reference_norm *norm, double *out, double *stats);
void reference_norm_gradient(const struct reference_norm *norm, const double *dout, double *dx,
                             double *dweight, double *dbias);

/* out[rows, outputs] = x weight^T + bias + residual; bias and residual may be NULL. */
struct reference_linear {
    size_t rows, inputs, outputs;
    const double *x, *weight, *bias, *residual;
};
void reference_linear(const struct reference_linear *linear, double *out);
void reference_linear_gradient(const struct reference_linear *linear, const double *dout,
                               double *dx, double *dweight, double *dbias);

double reference_gelu(double x);
double reference_gelu_slope(double x);

/* qkv [B T, 3C], out [B T, C], stats [B, H, T] (may be NULL). */
void reference_attention(const struct model_shape *shape, const double *qkv, double *out,
                         double *stats);
void reference_attention_gradient(const struct model_shape *shape, const double *qkv,
                                  const double *dout, double *dqkv);

/* Loss of a row of logits. */
double reference_loss(const double *logits, size_t vocab, size_t target);
void reference_loss_gradient(const double *logits, size_t vocab, size_t target, double *dlogits);

#endif
