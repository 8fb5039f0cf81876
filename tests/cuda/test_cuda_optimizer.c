/* The optimizer's kernels against double. */
#include "cuda_optimizer.h"
#include "device_trial.h"
#include "training.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* One addition or a handful of roundings. */
static const double few_roundings = 1e-6;

/* Nothing but the ends of groups; whole blocks of threads, which need one more where the first
 * group is cut; many blocks. */
static const size_t counts[] = {1, 2, 5, 8, 31, 2048, 1029, 70001};

/* Where the arrays begin, in elements: alike, alike but askew, each otherwise, and one alone askew.
 */
static const size_t offsets[][5] = {{0, 0, 0, 0, 0}, {3, 3, 3, 3, 3}, {1, 2, 3, 5, 6},
                                    {0, 0, 4, 8, 1}, {1, 0, 0, 0, 0}, {0, 1, 0, 0, 0},
                                    {0, 0, 1, 0, 0}, {0, 0, 0, 2, 0}};

enum {
    OFFSETS = sizeof offsets / sizeof offsets[0],
    FEW_OFFSETS = 4,
    COUNTS = sizeof counts / sizeof counts[0]
};

/* All offsets for two counts, few of them for the others. */
static size_t offsets_for(size_t count)
{
    return count == 1029 || count == 2048 ? OFFSETS : FEW_OFFSETS;
}

/* Typed or fp32 whatever the backend's dtype is. */
static struct device_tensor random_of(struct device_trial *trial, bool bf16, size_t count,
                                      double size, size_t offset)
{
    trial->bf16 = bf16;
    return device_tensor_random(trial, count, size, true, offset);
}

static const char *dtype(bool bf16)
{
    return bf16 ? "bf16" : "fp32";
}

/* --- accumulate and narrow --- */

static cudaError_t launch_copy(void *copy, cudaStream_t stream)
{
    return cuda_optimizer_copy(copy, stream);
}

/* `how`: only the types and `add` matter. */
static void try_copy(struct device_trial *trial, struct cuda_optimizer_copy how, size_t count,
                     const size_t *offset)
{
    device_trial_case(trial, "%s %zu %s numbers to %s, offsets %zu and %zu",
                      how.add ? "adding" : "copying", count, dtype(how.from_bf16),
                      dtype(how.to_bf16), offset[1], offset[3]);
    struct device_tensor from = random_of(trial, how.from_bf16, count, 2, offset[1]);
    struct device_tensor to = random_of(trial, how.to_bf16, count, 2, offset[3]);
    if (!how.add) {
        device_tensor_free(&to);
        to = device_tensor_poisoned(trial, count, true, offset[3]);
    }
    double *expected = device_zeros(count);
    for (size_t i = 0; i < count; i++)
        expected[i] = from.values[i] + (how.add ? to.values[i] : 0);
    how.to = to.data;
    how.from = from.data;
    how.count = count;
    device_trial_run(trial, &(struct device_run){launch_copy, &how, {&to}});
    device_trial_expect(trial, &to, expected, few_roundings, "sum");
    free(expected);
    device_tensor_free(&from);
    device_tensor_free(&to);
}

static void try_copies(struct device_trial *trial)
{
    for (int to = 0; to < 2; to++)
        for (int from = 0; from < 2; from++)
            for (int add = 0; add < 2; add++)
                for (size_t i = 0; i < COUNTS; i++)
                    for (size_t k = 0; k < offsets_for(counts[i]); k++)
                        try_copy(trial,
                                 (struct cuda_optimizer_copy){
                                     .to_bf16 = to != 0, .from_bf16 = from != 0, .add = add != 0},
                                 counts[i], offsets[k]);
}

/* --- norm --- */

struct square {
    struct device_tensor sum, gradient, workspace;
    bool bf16;
};

static cudaError_t launch_square(void *context, cudaStream_t stream)
{
    struct square *square = context;
    return cuda_optimizer_square_sum(square->sum.data, square->gradient.data,
                                     square->gradient.count, square->bf16, square->workspace.data,
                                     stream);
}

/* In fp64; the squares of numbers of 1e30 and 1e-30 are outside of fp32's range. */
static void try_square(struct device_trial *trial, bool bf16, size_t count, double size,
                       size_t offset)
{
    double expected = size * size;
    device_trial_case(trial, "squares of %zu %s numbers up to %g, offset %zu", count, dtype(bf16),
                      size, offset);
    struct square square = {device_tensor_of(DEVICE_FP64, &expected, 1, 0),
                            random_of(trial, bf16, count, size, offset),
                            device_tensor_scratch(cuda_optimizer_workspace_bytes()), bf16};
    for (size_t i = 0; i < count; i++)
        expected += square.gradient.values[i] * square.gradient.values[i];
    device_trial_run(
        trial, &(struct device_run){launch_square, &square, {&square.sum, &square.workspace}});
    device_trial_expect(trial, &square.sum, &expected, 1e-13, "sum of squares");
    device_tensor_free(&square.sum);
    device_tensor_free(&square.gradient);
    device_tensor_free(&square.workspace);
}

static void try_squares(struct device_trial *trial)
{
    for (int bf16 = 0; bf16 < 2; bf16++) {
        for (size_t i = 0; i < COUNTS; i++)
            try_square(trial, bf16 != 0, counts[i], 3, i % 4);
        try_square(trial, bf16 != 0, 100, 1e30, 3);
        try_square(trial, bf16 != 0, 100, 1e-30, 1);
    }
    try_square(trial, true, 2400001, 1, 7); /* more groups than threads of the first pass */
}

struct clip {
    struct device_tensor scale, sum;
    double most;
};

static cudaError_t launch_clip(void *context, cudaStream_t stream)
{
    struct clip *clip = context;
    return cuda_optimizer_clip(clip->scale.data, clip->sum.data, clip->most, stream);
}

static void try_clip(struct device_trial *trial, double sum, double most, double expected)
{
    device_trial_case(trial, "clipping a norm of sqrt(%g) to %g", sum, most);
    trial->bf16 = false;
    struct clip clip = {device_tensor_poisoned(trial, 1, false, 1),
                        device_tensor_of(DEVICE_FP64, &sum, 1, 0), most};
    device_trial_run(trial, &(struct device_run){launch_clip, &clip, {&clip.scale}});
    device_trial_expect(trial, &clip.scale, &expected, 1e-7, "scale");
    if (isnan(expected) != isnan(clip.scale.values[0]))
        device_trial_fault(trial, "scale is %g", clip.scale.values[0]);
    device_tensor_free(&clip.scale);
    device_tensor_free(&clip.sum);
}

static void try_clips(struct device_trial *trial)
{
    try_clip(trial, 16, 1, 1 / (4 + TRAINING_CLIP_EPSILON));
    try_clip(trial, 1e-12, 1e-6, 0.5); /* 1e-6 / (1e-6 + 1e-6) */
    try_clip(trial, 0.25, 1, 1);
    try_clip(trial, 0, 1, 1);
    try_clip(trial, 16, 0, 1);
    try_clip(trial, INFINITY, 1, NAN);
    try_clip(trial, INFINITY, 0, NAN);
    try_clip(trial, NAN, 1, NAN);
    try_clip(trial, NAN, 0, NAN);
}

/* --- AdamW --- */

static const struct backend_adamw how = {.learning_rate = 0.01f,
                                         .beta1 = 0.9f,
                                         .beta2 = 0.95f,
                                         .epsilon = 1e-8f,
                                         .weight_decay = 0.1f,
                                         .correction1 = 0.271f,
                                         .correction2 = 0.142625f}; /* of the third step */

enum copy_place { COPY_NONE, COPY_APART, COPY_SAME };

struct adamw {
    struct device_tensor weight, moment1, moment2, gradient, copy, scale;
    double *expected_weight, *expected_moment1, *expected_moment2;
    struct backend_update update;
    bool bf16;
};

static cudaError_t launch_adamw(void *context, cudaStream_t stream)
{
    struct adamw *adamw = context;
    return cuda_optimizer_adamw(&adamw->update, &how, adamw->bf16, stream);
}

/* Algorithm 2 of Loshchilov and Hutter (arXiv:1711.05101), with the learning rate in the decay. */
static void expect_update(struct adamw *adamw, double scale)
{
    for (size_t i = 0; i < adamw->weight.count; i++) {
        const double g = adamw->gradient.values[i] * scale, w = adamw->weight.values[i];
        const double m = (double)how.beta1 * adamw->moment1.values[i] + (1 - (double)how.beta1) * g;
        const double v =
            (double)how.beta2 * adamw->moment2.values[i] + (1 - (double)how.beta2) * g * g;
        adamw->expected_moment1[i] = m;
        adamw->expected_moment2[i] = v;
        adamw->expected_weight[i] =
            w - (double)how.learning_rate *
                    ((double)how.weight_decay * w +
                     m / (double)how.correction1 /
                         (sqrt(v / (double)how.correction2) + (double)how.epsilon));
    }
}

/* Squares are not negative. */
static struct device_tensor second_moments(struct device_trial *trial, size_t count, size_t offset)
{
    double *values = device_zeros(count);
    for (size_t i = 0; i < count; i++)
        values[i] = ldexp((double)(device_trial_random(trial) >> 11), -53);
    const struct device_tensor tensor = device_tensor_of(DEVICE_FP32, values, count, offset);
    free(values);
    return tensor;
}

static void make_adamw(struct device_trial *trial, struct adamw *adamw, size_t count, bool typed,
                       const size_t *offset)
{
    const bool bf16 = adamw->bf16;
    adamw->weight = random_of(trial, false, count, 1, offset[0]);
    adamw->moment1 = random_of(trial, false, count, 0.5, offset[1]);
    adamw->moment2 = second_moments(trial, count, offset[2]);
    adamw->gradient = random_of(trial, bf16 && typed, count, 2, offset[3]);
    trial->bf16 = bf16;
    adamw->copy = device_tensor_poisoned(trial, count, true, offset[4]);
    adamw->expected_weight = device_zeros(count);
    adamw->expected_moment1 = device_zeros(count);
    adamw->expected_moment2 = device_zeros(count);
}

static void free_adamw(struct adamw *adamw)
{
    device_tensor_free(&adamw->weight);
    device_tensor_free(&adamw->moment1);
    device_tensor_free(&adamw->moment2);
    device_tensor_free(&adamw->gradient);
    device_tensor_free(&adamw->copy);
    device_tensor_free(&adamw->scale);
    free(adamw->expected_weight);
    free(adamw->expected_moment1);
    free(adamw->expected_moment2);
}

static void expect_adamw(struct device_trial *trial, const struct adamw *adamw, double scale,
                         enum copy_place place)
{
    if (!isfinite(scale)) {
        device_trial_unchanged(trial, &adamw->weight, "weight");
        device_trial_unchanged(trial, &adamw->moment1, "first moment");
        device_trial_unchanged(trial, &adamw->moment2, "second moment");
        device_trial_unchanged(trial, &adamw->copy, "copy");
        return;
    }
    device_trial_expect(trial, &adamw->weight, adamw->expected_weight, few_roundings, "weight");
    device_trial_expect(trial, &adamw->moment1, adamw->expected_moment1, few_roundings,
                        "first moment");
    device_trial_expect(trial, &adamw->moment2, adamw->expected_moment2, few_roundings,
                        "second moment");
    if (place == COPY_APART)
        device_trial_expect(trial, &adamw->copy, adamw->expected_weight, few_roundings, "copy");
    else
        device_trial_unchanged(trial, &adamw->copy, "copy");
}

static void try_adamw(struct device_trial *trial, struct adamw adamw, size_t count, double scale,
                      enum copy_place place, const size_t *offset)
{
    const bool typed = adamw.update.typed != 0;
    device_trial_case(
        trial, "AdamW of %zu parameters, %s, gradient %s, scale %g, copy %d, offset %zu %zu", count,
        dtype(adamw.bf16), dtype(adamw.bf16 && typed), scale, (int)place, offset[0], offset[4]);
    make_adamw(trial, &adamw, count, typed, offset);
    adamw.scale = device_tensor_of(DEVICE_FP32, &scale, 1, 1);
    expect_update(&adamw, scale);
    adamw.update = (struct backend_update){.weight = adamw.weight.data,
                                           .moment1 = adamw.moment1.data,
                                           .moment2 = adamw.moment2.data,
                                           .typed_copy = place == COPY_APART  ? adamw.copy.data
                                                         : place == COPY_SAME ? adamw.weight.data
                                                                              : NULL,
                                           .gradient = adamw.gradient.data,
                                           .typed = typed,
                                           .count = count,
                                           .scale = adamw.scale.data};
    device_trial_run(
        trial, &(struct device_run){launch_adamw,
                                    &adamw,
                                    {&adamw.weight, &adamw.moment1, &adamw.moment2, &adamw.copy}});
    expect_adamw(trial, &adamw, scale, place);
    free_adamw(&adamw);
}

static void try_updates(struct device_trial *trial)
{
    for (int kind = 0; kind < 3; kind++) {
        struct adamw adamw = {.bf16 = kind > 0, .update = {.typed = kind > 1}};
        const bool bf16 = adamw.bf16;
        for (size_t i = 0; i < COUNTS; i++)
            for (size_t k = 0; k < offsets_for(counts[i]); k++)
                try_adamw(trial, adamw, counts[i], 0.25, COPY_APART, offsets[k]);
        try_adamw(trial, adamw, 1029, 1, COPY_NONE, offsets[0]);
        try_adamw(trial, adamw, 1029, 1, bf16 ? COPY_NONE : COPY_SAME, offsets[1]);
        try_adamw(trial, adamw, 1029, NAN, COPY_APART, offsets[0]);
        try_adamw(trial, adamw, 1029, INFINITY, COPY_APART, offsets[2]);
        try_adamw(trial, adamw, 1029, -INFINITY, COPY_NONE, offsets[3]);
    }
}

int main(void)
{
    struct device_trial trial;
    device_trial_init(&trial);
    try_copies(&trial);
    try_squares(&trial);
    try_clips(&trial);
    try_updates(&trial);
    return device_trial_fini(&trial);
}
