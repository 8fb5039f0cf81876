#ifndef RANKLEDGER_BACKEND_H
#define RANKLEDGER_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "communicator.h"
#include "device_description.h"
#include "diag.h"
#include "model.h"
#include "timeline.h"

/*
 * The contract of a backend: the operators that the model's stages, the optimizer and the executor
 * are made of, on one device of one rank. A backend is a file that fills `struct
 * backend_operations` and a row of backend_table.c.
 *
 * Pointers are device memory unless a comment says host. "Typed" memory holds elements of the
 * backend's dtype (what activations, parameters in use and gradients on their way are stored as);
 * all else is fp32. Sums inside an operator, softmax, norms and the loss are at least fp32.
 * Operators may be asynchronous, one after another in the order of the calls: `synchronise` waits
 * for all, and tells of the first that failed. The shape letters are model.h's; rows = B T.
 *
 * Gradients of weights: `accumulate` adds to what is there, otherwise the operator sets it. Where a
 * gradient pointer is NULL that gradient is not wanted.
 */
struct backend;

/* How AdamW changes a run of parameters (Loshchilov and Hutter, arXiv:1711.05101). */
struct backend_adamw {
    float learning_rate, beta1, beta2, epsilon, weight_decay;
    float correction1, correction2; /* 1 - beta1^t, 1 - beta2^t */
};

/* A run of `count` parameters; see the operator `adamw`. */
struct backend_update {
    float *weight, *moment1, *moment2;
    void *typed_copy;
    const void *gradient;
    int typed;
    uint64_t count;
    const float *scale;
};

struct backend_operations {
    const char *name; /* "cpu", "cuda" */
    bool host_memory; /* device memory is the host's: it may be read and written directly */

    /* --- memory --- */

    /* Reserves `bytes` (aligned to 4096, every page touched once, zero) for the rank's arena;
     * STATUS_ENVIRONMENT if the machine has not that much. */
    enum status (*reserve)(struct backend *backend, uint64_t bytes, void **base, struct diag *diag);
    void (*unreserve)(struct backend *backend, void *base, uint64_t bytes);
    /* Scratch of the operators below, `workspace_bytes` of struct backend; given once, before the
     * first of them (64-byte aligned, inside the arena). */
    void (*set_workspace)(struct backend *backend, void *workspace);
    void (*fill_zero)(struct backend *backend, void *to, uint64_t bytes);
    void (*copy)(struct backend *backend, void *to, const void *from, uint64_t bytes);
    /* `host` holds the bytes after `synchronise`. */
    void (*to_host)(struct backend *backend, void *host, const void *from, uint64_t bytes);
    /* `host` must stay as it is until `synchronise`. */
    void (*from_host)(struct backend *backend, void *to, const void *host, uint64_t bytes);
    /* Waits until everything asked for is done. STATUS_ENVIRONMENT if the device failed at any of
     * it; then `lost` is set and nothing it holds can be used any more. */
    enum status (*synchronise)(struct backend *backend, struct diag *diag);
    /* Bytes of the device's memory that are in use, by everybody: before this process used it (0
     * where that cannot be known), and now. NULL where device memory is the process' own. */
    void (*memory_used)(struct backend *backend, uint64_t *before, uint64_t *now);

    /* --- model; x, out, residual: typed --- */

    /* out[b,t,:] = wte[tokens[b,t],:] + wpe[t,:]. tokens: int32, [B, T+1] (the last column is only
     * a target). */
    void (*embedding_forward)(struct backend *backend, void *out, const int32_t *tokens,
                              const void *wte, const void *wpe);
    /* wte's gradient always adds (the head has set it); dwpe as `accumulate` says. */
    void (*embedding_backward)(struct backend *backend, void *dwte, void *dwpe, const void *dout,
                               const int32_t *tokens, int accumulate);
    /* Layer norm of `rows` rows of C, eps 1e-5. stats: fp32 [2, rows], mean then 1/deviation. */
    void (*layer_norm_forward)(struct backend *backend, void *out, float *stats, const void *x,
                               const void *weight, const void *bias);
    /* dx[rows, C] += the gradient through the norm (with `set`: = ); x is what was normalised. */
    void (*layer_norm_backward)(struct backend *backend, void *dx, void *dweight, void *dbias,
                                const void *dout, const void *x, const float *stats,
                                const void *weight, int accumulate, int set);
    /* out[rows, outputs] = x[rows, inputs] weight[outputs, inputs]^T + bias (none if NULL). */
    void (*linear_forward)(struct backend *backend, void *out, const void *x, const void *weight,
                           const void *bias, uint64_t inputs, uint64_t outputs);
    /* The same plus residual[rows, outputs] (not `out` itself), all added before rounding: the
     * residual stream behind attention and MLP. */
    void (*linear_residual_forward)(struct backend *backend, void *out, const void *residual,
                                    const void *x, const void *weight, const void *bias,
                                    uint64_t inputs, uint64_t outputs);
    /* As linear_forward, and gelu_out = gelu(out), tanh form. */
    void (*linear_gelu_forward)(struct backend *backend, void *out, void *gelu_out, const void *x,
                                const void *weight, const void *bias, uint64_t inputs,
                                uint64_t outputs);
    /* dx[rows, inputs] = dout[rows, outputs] weight; with `gelu_input` [rows, inputs] it is also
     * multiplied by gelu'(gelu_input). */
    void (*linear_backward_input)(struct backend *backend, void *dx, const void *dout,
                                  const void *weight, const void *gelu_input, uint64_t inputs,
                                  uint64_t outputs);
    /* dweight[outputs, inputs] = dout^T x, dbias[outputs] = sum of rows of dout. */
    void (*linear_backward_weight)(struct backend *backend, void *dweight, void *dbias,
                                   const void *dout, const void *x, uint64_t inputs,
                                   uint64_t outputs, int accumulate);
    /* Causal attention of H heads, scale 1/sqrt(C/H). qkv [rows, 3C], out [rows, C], stats fp32
     * [B, H, T]: the logarithm of each row's sum of exponentials of scaled scores. */
    void (*attention_forward)(struct backend *backend, void *out, float *stats, const void *qkv);
    void (*attention_backward)(struct backend *backend, void *dqkv, const void *dout,
                               const void *out, const float *stats, const void *qkv);
    /* losses[rows] (fp32) of the targets tokens[b, t+1]; the logits [rows, V] become `scale` times
     * the loss' gradient. */
    void (*cross_entropy)(struct backend *backend, float *losses, void *logits,
                          const int32_t *tokens, float scale);
    /* *sum += sum of losses[rows], in fp64. */
    void (*loss_sum)(struct backend *backend, double *sum, const float *losses);

    /* --- optimizer; `typed` says whether a gradient is of the backend's dtype or fp32 --- */

    /* *sum += sum of squares, in fp64. */
    void (*square_sum)(struct backend *backend, double *sum, const void *gradient, uint64_t count,
                       int typed);
    /* *scale = min(1, max_norm / (sqrt(*square_sum) + TRAINING_CLIP_EPSILON)), 1 if max_norm is not
     * positive; NaN if the norm is not finite. */
    void (*clip)(struct backend *backend, float *scale, const double *square_sum, double max_norm);
    /* to[i] = from[i] or += ; from typed, to typed or fp32. */
    void (*accumulate)(struct backend *backend, void *to, const void *from, uint64_t count,
                       int typed, int add);
    /* fp32 to typed. */
    void (*narrow)(struct backend *backend, void *to, const float *from, uint64_t count);
    /* `count` parameters: weight (fp32; changed), moments fp32, gradient typed or fp32,
     * multiplied by *scale (of clip); `typed_copy` (or NULL) receives the new weight in the
     * backend's dtype. Nothing changes if *scale is not finite. */
    void (*adamw)(struct backend *backend, const struct backend_update *update,
                  const struct backend_adamw *how);

    /* FLOP/s of the device's own matrix product in fp32 (cuda: in the dtype), `repeats` of
     * size^3, the median; uses the workspace only. */
    double (*matrix_product_rate)(struct backend *backend, int repeats);

    void (*destroy)(struct backend *backend);
};

/* What a backend is made for. */
struct backend_request {
    struct model_shape shape;
    enum model_dtype dtype;
    int threads; /* of this rank; at least 1 */
    int device;  /* index among the host's visible ones; of no meaning on CPUs */
};

/* The first member of every backend's own structure. */
struct backend {
    const struct backend_operations *operations;
    struct backend_request request;
    uint64_t workspace_bytes;
    struct timeline timeline;
    bool lost; /* the device failed (synchronise) */
};

/* One row a backend; backend_table.c has the list. */
struct backend_row {
    const char *name;
    /* NULL if this machine can run it, or why not, in words. */
    const char *(*unavailable)(void);
    /* Whether it can do what is asked for, and the operators' scratch, without using the device:
     * STATUS_USAGE for a shape it cannot, STATUS_ENVIRONMENT for what the machine has not. */
    enum status (*plan)(const struct backend_request *request, uint64_t *workspace_bytes,
                        struct diag *diag);
    /* Heap; STATUS_ENVIRONMENT without memory or device. Freed by operations->destroy. */
    enum status (*create)(const struct backend_request *request, struct backend **backend,
                          struct diag *diag);
    /*
     * A communicator whose collectives work in the backend's memory and order themselves with its
     * operators, made of one over MPI, which then belongs to it and serves what is the host's
     * (barrier, broadcast, gather). NULL: the one over MPI does everything.
     */
    enum status (*connect)(struct backend *backend, struct communicator *host, size_t ticket_count,
                           struct communicator **communicator, struct diag *diag);
    /* What there is of devices and libraries, for preflight and evidence; NULL: nothing beside the
     * host. `free_memory`: measure that too, which uses the devices. */
    enum status (*describe)(bool free_memory, struct device_description *description,
                            struct diag *diag);
};

extern const struct backend_row backend_table[];
extern const size_t backend_table_count;

/* The row of a name; NULL if there is none. */
const struct backend_row *backend_find(const char *name);

/* The row's own collectives over `host`, or `host` itself where it has none. */
enum status backend_connect(const struct backend_row *row, struct backend *backend,
                            struct communicator *host, size_t ticket_count,
                            struct communicator **communicator, struct diag *diag) STATUS_CHECKED;

#endif
