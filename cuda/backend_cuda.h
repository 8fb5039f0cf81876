#ifndef RANKLEDGER_BACKEND_CUDA_H
#define RANKLEDGER_BACKEND_CUDA_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda_runtime.h>

#include "backend.h"
#include "cuda_error.h"
#include "cuda_memory.h"
#include "cuda_timeline.h"

struct cuda_products; /* cuda_product.h */

/*
 * The CUDA backend's own structure and what its files share. All operators work on the stream
 * `compute`, one after another, and never wait; the collectives work on `communication`, and events
 * keep the two in order (communicator_nccl.h). An operator notes in `error` how each launch went,
 * success too: cuda_error_note(&cuda->error, "layer norm", code).
 *
 * bf16: typed memory is bf16, arithmetic fp32. fp32: no TF32.
 */
struct backend_cuda {
    struct backend base;
    bool bf16;
    uint64_t rows; /* B T */
    cudaStream_t compute, communication;
    struct cuda_error error;
    struct cuda_timeline timeline;
    struct cuda_staging staging;
    struct cuda_arena *arenas;      /* owned */
    struct cuda_products *products; /* owned */
    unsigned char *workspace;       /* in the arena; cuda_workspace.h has its parts */
    uint64_t attention_tile_bytes;  /* 0: cuda_attention.h's bound; smaller in tests */
    uint64_t used_before; /* bytes of the device, before this process used it; 0: unknown */
    /* How often the host has waited for everything, and error.noted at the last time: what was
     * asked for before is done, and nobody needs to be put in order with it. */
    uint64_t waits, noted_then;
};

static inline struct backend_cuda *backend_cuda_of(struct backend *backend)
{
    return (struct backend_cuda *)(void *)backend;
}

/* --- backend.h's row, with cuda_describe.h and communicator_nccl.h --- */
enum status backend_cuda_plan(const struct backend_request *request, uint64_t *workspace_bytes,
                              struct diag *diag) STATUS_CHECKED;
enum status backend_cuda_create(const struct backend_request *request, struct backend **backend,
                                struct diag *diag) STATUS_CHECKED;

/* --- the operators, as backend.h describes them --- */

/* cuda_memory.c */
enum status backend_cuda_reserve(struct backend *backend, uint64_t bytes, void **base,
                                 struct diag *diag);
void backend_cuda_unreserve(struct backend *backend, void *base, uint64_t bytes);
void backend_cuda_fill_zero(struct backend *backend, void *to, uint64_t bytes);
void backend_cuda_copy(struct backend *backend, void *to, const void *from, uint64_t bytes);
void backend_cuda_to_host(struct backend *backend, void *host, const void *from, uint64_t bytes);
void backend_cuda_from_host(struct backend *backend, void *to, const void *host, uint64_t bytes);
enum status backend_cuda_synchronise(struct backend *backend, struct diag *diag);
void backend_cuda_memory_used(struct backend *backend, uint64_t *before, uint64_t *now);

/* backend_cuda_operators.c: own kernels */
void backend_cuda_embedding_forward(struct backend *backend, void *out, const int32_t *tokens,
                                    const void *wte, const void *wpe);
void backend_cuda_embedding_backward(struct backend *backend, void *dwte, void *dwpe,
                                     const void *dout, const int32_t *tokens, int accumulate);
void backend_cuda_layer_norm_forward(struct backend *backend, void *out, float *stats,
                                     const void *x, const void *weight, const void *bias);
void backend_cuda_layer_norm_backward(struct backend *backend, void *dx, void *dweight, void *dbias,
                                      const void *dout, const void *x, const float *stats,
                                      const void *weight, int accumulate, int set);
void backend_cuda_cross_entropy(struct backend *backend, float *losses, void *logits,
                                const int32_t *tokens, float scale);
void backend_cuda_loss_sum(struct backend *backend, double *sum, const float *losses);
void backend_cuda_square_sum(struct backend *backend, double *sum, const void *gradient,
                             uint64_t count, int typed);
void backend_cuda_clip(struct backend *backend, float *scale, const double *square_sum,
                       double max_norm);
void backend_cuda_accumulate(struct backend *backend, void *to, const void *from, uint64_t count,
                             int typed, int add);
void backend_cuda_narrow(struct backend *backend, void *to, const float *from, uint64_t count);
void backend_cuda_adamw(struct backend *backend, const struct backend_update *update,
                        const struct backend_adamw *how);

/* cuda_linear.c */
void backend_cuda_linear_forward(struct backend *backend, void *out, const void *x,
                                 const void *weight, const void *bias, uint64_t inputs,
                                 uint64_t outputs);
void backend_cuda_linear_residual_forward(struct backend *backend, void *out, const void *residual,
                                          const void *x, const void *weight, const void *bias,
                                          uint64_t inputs, uint64_t outputs);
void backend_cuda_linear_gelu_forward(struct backend *backend, void *out, void *gelu_out,
                                      const void *x, const void *weight, const void *bias,
                                      uint64_t inputs, uint64_t outputs);
void backend_cuda_linear_backward_input(struct backend *backend, void *dx, const void *dout,
                                        const void *weight, const void *gelu_input, uint64_t inputs,
                                        uint64_t outputs);
void backend_cuda_linear_backward_weight(struct backend *backend, void *dweight, void *dbias,
                                         const void *dout, const void *x, uint64_t inputs,
                                         uint64_t outputs, int accumulate);

/* cuda_attention.c */
void backend_cuda_attention_forward(struct backend *backend, void *out, float *stats,
                                    const void *qkv);
void backend_cuda_attention_backward(struct backend *backend, void *dqkv, const void *dout,
                                     const void *out, const float *stats, const void *qkv);

/* cuda_rate.c */
double backend_cuda_matrix_product_rate(struct backend *backend, int repeats);

#endif
