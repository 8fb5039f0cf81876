#ifndef SAME_MATHEMATICS_H
#define SAME_MATHEMATICS_H

#include "reference_model.h"
#include "trial.h"

/*
 * What a training run came to, and how far two of them are apart by the measures of the collector's
 * specification: gradients of the first step tensor by tensor, norms and losses of every step.
 */
#define SAME_MATHEMATICS_STEPS 10

struct same_mathematics_outcome {
    struct model_shape shape;
    uint64_t steps;
    double losses[SAME_MATHEMATICS_STEPS];
    double norms[SAME_MATHEMATICS_STEPS];
    double *gradients; /* of step 0, all tensors; heap; on rank 0 */
};

struct same_mathematics_distance {
    double gradient; /* largest over tensors of |difference| / |expected| (Euclidean) */
    double key_bias; /* largest absolute gradient of a key bias, whose true value is 0 */
    double norm;     /* largest relative difference over the steps */
    double loss;
    size_t worst; /* tensor of `gradient` */
};

/*
 * Runs `steps` steps of a trial; all ranks call. The losses are those of all ranks on rank 0;
 * `gradients` is filled there and NULL elsewhere.
 */
enum status same_mathematics_run(struct trial *trial, uint64_t steps,
                                 struct same_mathematics_outcome *outcome,
                                 struct diag *diag) STATUS_CHECKED;
/* The reference model on the same data: one process, double precision. */
void same_mathematics_reference(const struct training *training, uint64_t steps,
                                struct same_mathematics_outcome *outcome);
void same_mathematics_fini(struct same_mathematics_outcome *outcome);

/*
 * What may lie between any run and the reference, or one process: five times what occurs at most
 * over 1 to 4 ranks, all strategies and variants (test_same_mathematics prints what occurred): fp32
 * 4.7e-7, 1.1e-11, 1.0e-7, 1.2e-8; bf16 5.7e-3, 1.6e-7, 3.4e-3, 2.3e-4.
 */
extern const struct same_mathematics_distance same_mathematics_limits[MODEL_DTYPE_COUNT];

/* Over the steps that both have. A number that is not finite makes its distance infinite. */
struct same_mathematics_distance
same_mathematics_compare(const struct same_mathematics_outcome *got,
                         const struct same_mathematics_outcome *expected);
/* True if no distance is larger than its limit. */
bool same_mathematics_within(const struct same_mathematics_distance *distance,
                             const struct same_mathematics_distance *limit);
/* Each distance becomes the larger of both. */
void same_mathematics_widen(struct same_mathematics_distance *distance,
                            const struct same_mathematics_distance *other);

#endif
