#ifndef STAGE_TRIAL_H
#define STAGE_TRIAL_H

#include "model_stage.h"

/*
 * Runs the product's stages on the CPU backend over a whole batch, one micro-batch after another,
 * as an executor would that has all memory it wants: no schedule, no communication, every buffer an
 * allocation of its own (so that a sanitizer sees what leaves it).
 */
struct stage_trial_request {
    struct model_shape shape;
    enum model_dtype dtype;
    uint64_t seed, step;
    uint64_t micro_batches; /* sequences: shape.micro_batch * micro_batches */
    bool checkpointing;     /* each block forward once more before its backward */
};

struct stage_trial {
    struct stage_trial_request request;
    struct model_stage stage;
    size_t tensor_count;
    void **parameters; /* the stage's, to be freed */
    void *scratch;     /* the operators' workspace */
    float *gradients;  /* result: all tensors one after another, fp32 */
    double loss;       /* result: mean over the batch */
    uint64_t pauses;   /* how often `between` was called */
    uint64_t stop_at;  /* it fails at this call; 0: never */
};

/* Makes backend, initial parameters and buffers; ends the process if it cannot. */
void stage_trial_init(struct stage_trial *trial, const struct stage_trial_request *request);
/* Forward and backward of every micro-batch. */
enum status stage_trial_run(struct stage_trial *trial, struct diag *diag) STATUS_CHECKED;
void stage_trial_fini(struct stage_trial *trial);

#endif
