#ifndef RANKLEDGER_OPERATOR_TRIAL_H
#define RANKLEDGER_OPERATOR_TRIAL_H

#include "backend_cuda.h"
#include "device_trial.h"

/*
 * For tests of operators of the CUDA backend, on a GPU or on its emulation: a backend whose
 * workspace is NaN, begins at an odd multiple of 64 bytes and has borders that must stay as they
 * are. A call that fails ends the program; faults are counted in the trial.
 */
struct operator_trial {
    struct device_trial *trial;
    struct backend_cuda *cuda;
    const struct backend_operations *operations;
    unsigned char *allocation; /* of the workspace */
    size_t planned;            /* products, when it was created */
};

void operator_trial_init(struct operator_trial *operators, struct device_trial *trial,
                         const struct model_shape *shape, bool bf16);
/* Also looks at the workspace's borders, and whether every product had been planned. */
void operator_trial_fini(struct operator_trial *operators);

/* One call of an operator. */
struct operator_call {
    struct operator_trial *operators;
    void (*call)(const struct operator_call *call);
    void *context;
};
/* device_trial_run of the call and of waiting for it; `changed` as there. */
void operator_trial_run(const struct operator_call *call, struct device_tensor *const changed[],
                        size_t changed_count);

/*
 * What is allowed, relative to the largest element, beside the rounding of a result. fp32: 1e-5,
 * the backend's promise. bf16: 1e-2 is the promise; of that 5e-3 is for what is rounded on the way
 * (2^-9 of the largest each time) where something is not fused.
 */
double operator_trial_relative(const struct operator_trial *operators);

#endif
