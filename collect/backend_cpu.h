#ifndef RANKLEDGER_BACKEND_CPU_H
#define RANKLEDGER_BACKEND_CPU_H

#include <stdbool.h>

#include "backend.h"
#include "backend_cpu_tile.h"

/*
 * The CPU backend's own structure and what its files share. fp32 products are OpenBLAS' sgemm on
 * the tensors themselves. bf16 is emulated: rows or tiles are widened to fp32 in the workspace,
 * worked on, and rounded once when stored.
 *
 * The workspace: `shared_bytes` that one operator at a time uses, then `thread_bytes` a thread.
 */
struct backend_cpu {
    struct backend base;
    unsigned char *workspace;
    uint64_t rows; /* B T */
    uint64_t shared_bytes, thread_bytes;
    bool bf16;
    const struct backend_cpu_tile_version *tile;
};

static inline struct backend_cpu *backend_cpu_of(struct backend *backend)
{
    return (struct backend_cpu *)backend;
}

/* The front of the workspace, and the calling thread's own part (inside a parallel region). */
void *backend_cpu_shared(const struct backend_cpu *cpu);
float *backend_cpu_scratch(const struct backend_cpu *cpu);

/* --- typed memory as fp32 (backend_cpu_typed.c); offsets and counts in elements --- */

/* `count` elements from `offset` on: in place, or widened into `scratch`. */
const float *backend_cpu_read(const struct backend_cpu *cpu, const void *typed, uint64_t offset,
                              uint64_t count, float *scratch);
/* Where to write elements from `offset` on: in place, or `scratch`. */
float *backend_cpu_begin_write(const struct backend_cpu *cpu, void *typed, uint64_t offset,
                               float *scratch);
/* The same, and the elements are there to be changed. */
float *backend_cpu_begin_change(const struct backend_cpu *cpu, void *typed, uint64_t offset,
                                uint64_t count, float *scratch);
/* Stores what begin_write's place holds (fp32: it is there already). */
void backend_cpu_end_write(const struct backend_cpu *cpu, void *typed, uint64_t offset,
                           uint64_t count, const float *written);

/* --- workspace that each operator needs, for threads or shared --- */
uint64_t backend_cpu_product_shared_bytes(const struct backend_request *request);
uint64_t backend_cpu_norm_shared_bytes(const struct backend_request *request);
uint64_t backend_cpu_embedding_shared_bytes(const struct backend_request *request);
uint64_t backend_cpu_rate_shared_bytes(const struct backend_request *request);
uint64_t backend_cpu_attention_forward_thread_bytes(const struct backend_request *request);
uint64_t backend_cpu_attention_backward_thread_bytes(const struct backend_request *request);

/* --- the operators, as backend.h describes them --- */
enum status backend_cpu_reserve(struct backend *backend, uint64_t bytes, void **base,
                                struct diag *diag);
void backend_cpu_unreserve(struct backend *backend, void *base, uint64_t bytes);
void backend_cpu_embedding_forward(struct backend *backend, void *out, const int32_t *tokens,
                                   const void *wte, const void *wpe);
void backend_cpu_embedding_backward(struct backend *backend, void *dwte, void *dwpe,
                                    const void *dout, const int32_t *tokens, int accumulate);
void backend_cpu_layer_norm_forward(struct backend *backend, void *out, float *stats, const void *x,
                                    const void *weight, const void *bias);
void backend_cpu_layer_norm_backward(struct backend *backend, void *dx, void *dweight, void *dbias,
                                     const void *dout, const void *x, const float *stats,
                                     const void *weight, int accumulate, int set);
void backend_cpu_linear_forward(struct backend *backend, void *out, const void *x,
                                const void *weight, const void *bias, uint64_t inputs,
                                uint64_t outputs);
void backend_cpu_linear_residual_forward(struct backend *backend, void *out, const void *residual,
                                         const void *x, const void *weight, const void *bias,
                                         uint64_t inputs, uint64_t outputs);
void backend_cpu_linear_gelu_forward(struct backend *backend, void *out, void *gelu_out,
                                     const void *x, const void *weight, const void *bias,
                                     uint64_t inputs, uint64_t outputs);
void backend_cpu_linear_backward_input(struct backend *backend, void *dx, const void *dout,
                                       const void *weight, const void *gelu_input, uint64_t inputs,
                                       uint64_t outputs);
void backend_cpu_linear_backward_weight(struct backend *backend, void *dweight, void *dbias,
                                        const void *dout, const void *x, uint64_t inputs,
                                        uint64_t outputs, int accumulate);
void backend_cpu_attention_forward(struct backend *backend, void *out, float *stats,
                                   const void *qkv);
void backend_cpu_attention_backward(struct backend *backend, void *dqkv, const void *dout,
                                    const void *out, const float *stats, const void *qkv);
void backend_cpu_cross_entropy(struct backend *backend, float *losses, void *logits,
                               const int32_t *tokens, float scale);
void backend_cpu_loss_sum(struct backend *backend, double *sum, const float *losses);
void backend_cpu_square_sum(struct backend *backend, double *sum, const void *gradient,
                            uint64_t count, int typed);
void backend_cpu_clip(struct backend *backend, float *scale, const double *square_sum,
                      double max_norm);
void backend_cpu_accumulate(struct backend *backend, void *to, const void *from, uint64_t count,
                            int typed, int add);
void backend_cpu_narrow_all(struct backend *backend, void *to, const float *from, uint64_t count);
void backend_cpu_adamw(struct backend *backend, const struct backend_update *update,
                       const struct backend_adamw *how);
double backend_cpu_matrix_product_rate(struct backend *backend, int repeats);

/* backend_table.c's row. */
const char *backend_cpu_unavailable(void);
enum status backend_cpu_plan(const struct backend_request *request, uint64_t *workspace_bytes,
                             struct diag *diag) STATUS_CHECKED;
enum status backend_cpu_create(const struct backend_request *request, struct backend **backend,
                               struct diag *diag) STATUS_CHECKED;

#endif
