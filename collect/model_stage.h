#ifndef RANKLEDGER_MODEL_STAGE_H
#define RANKLEDGER_MODEL_STAGE_H

#include "activation_plan.h"
#include "backend.h"
#include "model.h"

/*
 * The model's stages in a backend's operators: 0 the embedding, 1..L the blocks, L+1 the head. The
 * executor says where everything lies; a stage only computes.
 */
struct model_stage {
    struct backend *backend;
    struct model_shape shape;
    enum model_dtype dtype;
    struct activation_plan plan;
    const int32_t *tokens;    /* [B, T+1] of the micro-batch in work, in device memory */
    const void **parameters;  /* [tensor]: whole values, typed; NULL while not gathered */
    void **gradients;         /* [tensor]: whole gradients, typed; NULL while there are none */
    void **streams;           /* [stage 0..L]: residual stream leaving it */
    void **saved;             /* [stage 1..L+1]: its activations */
    unsigned char *workspace; /* model_stage_workspace_bytes, 64-byte aligned */
    float loss_scale;         /* 1 / (B T G N): what averages over the global batch */
};

/* Bytes for the gradients of activations on their way back. */
uint64_t model_stage_workspace_bytes(const struct model_shape *shape, enum model_dtype dtype);

/* Called between operators, so that the executor can poll its collectives; NULL: nothing. */
struct model_stage_between {
    enum status (*call)(void *context, struct diag *diag);
    void *context;
};

/*
 * Runs a stage forward. The head also makes losses and the logits' gradient. A block whose own
 * stream (streams[index]) is NULL stops before the product that would make it: that is what
 * recomputation needs. A failure comes from `between` alone.
 */
enum status model_stage_forward(struct model_stage *stage, size_t index,
                                const struct model_stage_between *between,
                                struct diag *diag) STATUS_CHECKED;

/*
 * Runs a stage backward as far as `module`'s gradients, in this order, each exactly once:
 * head: MODEL_WTE (logits), MODEL_LN_F; block: MODEL_DOWN, MODEL_UP, MODEL_LN2, MODEL_PROJECTION,
 * MODEL_QKV, MODEL_LN1; embedding: MODEL_WPE (with wte, which always adds).
 */
enum status model_stage_backward(struct model_stage *stage, size_t index, enum model_module module,
                                 int accumulate, const struct model_stage_between *between,
                                 struct diag *diag) STATUS_CHECKED;

/* *sum (fp64 in device memory) += the micro-batch's losses (the head's stage must be live). */
void model_stage_add_losses(struct model_stage *stage, double *sum);

#endif
