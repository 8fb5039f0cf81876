#ifndef REFERENCE_MODEL_H
#define REFERENCE_MODEL_H

#include <stdbool.h>

#include "model.h"

/*
 * The model that the collector trains, once more: naive, in double, in one process, on the whole
 * global batch, written from the specification. What the product computes under any strategy is
 * compared to it. Its own gradients are proven by finite differences (test_model_reference.c).
 *
 * Arrays of parameters and gradients hold all tensors in model.h's order, one after another without
 * padding; reference_model_offset says where one begins.
 */
struct reference_model_request {
    struct model_shape shape; /* micro_batch is not looked at */
    uint64_t seed;            /* of model_data.h, which makes initial values and tokens */
    uint64_t steps;           /* optimizer steps, from step 0 */
    uint64_t global_batch;    /* sequences of a step: B G N */
    double learning_rate;
    double max_grad_norm; /* 0: no clipping */
    bool bf16_parameters; /* forward and backward use the parameters rounded to bf16; all else, and
                             what is updated, stays double */
};

struct reference_model_result {
    double *losses;     /* [steps] mean over the step's tokens, before its update */
    double *norms;      /* [steps] of the gradient, before clipping */
    double *gradients;  /* of step 0: mean over the global batch, before clipping */
    double *parameters; /* after the last step, not rounded */
};

/* Fills `result`, whose arrays are the caller's to free by reference_model_free. Ends the process
 * without memory. */
void reference_model_run(const struct reference_model_request *request,
                         struct reference_model_result *result);
void reference_model_free(struct reference_model_result *result);

/* Elements before tensor `index`; of model_tensor_count: all. */
uint64_t reference_model_offset(const struct model_shape *shape, size_t index);

/*
 * Mean loss of `sequences` token sequences [sequences][T + 1]; adds its gradient to `gradients` if
 * that is not NULL.
 */
double reference_model_loss(const struct model_shape *shape, const double *parameters,
                            const int32_t *tokens, uint64_t sequences, double *gradients);

/* ||got - expected|| / ||expected|| over one tensor; `got` is the product's fp32. */
double reference_model_distance(const float *got, const double *expected, uint64_t count);

/* True if the tensor's gradient is 0 but for rounding: key biases move all scores of a row alike.
 * Then [*first, *first + *count) are those elements (of attention.qkv.bias: the middle third). */
bool reference_model_key_bias(const struct model_shape *shape, size_t index, uint64_t *first,
                              uint64_t *count);

#endif
