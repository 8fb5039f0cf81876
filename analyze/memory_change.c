#include "memory_change.h"

#include <math.h>
#include <string.h>

#include "normalise.h"

#define BYTES_PER_MB 1048576.0

static void add_missing(struct memory_change_result *result, const char *name)
{
    for (size_t i = 0; i < result->missing_count; i++)
        if (strcmp(result->missing[i], name) == 0)
            return;
    if (result->missing_count < PLANNER_MAX_MISSING)
        result->missing[result->missing_count++] = name;
}

static void need_state(struct memory_change_result *result, const struct planner_state *state)
{
    for (size_t i = 0; i < state->missing_count; i++)
        add_missing(result, state->missing[i]);
    if (state->missing_count == 0 && isnan(state->resident_mb + state->temporary_mb))
        add_missing(result, "ledger");
}

static double need(struct memory_change_result *result, double value, const char *name)
{
    if (isnan(value))
        add_missing(result, name);
    return value;
}

/*
 * Activations of one layer and of its checkpoint, in MiB. Two-byte types: s*b*h*(34 + 5*a*s/h) and
 * 2*s*b*h (arXiv:2205.05198); fp32 without dropout: 18 tensors of b*s*h, 2 of b*a*s*s and 4 of b*s
 * (karpathy/llm.c train_gpt2.c), and 4*s*b*h.
 */
static void layer_activations(const struct candidate *from, struct memory_change_result *result,
                              double *full_mb, double *checkpoint_mb)
{
    const struct workload *workload = &from->workload;
    double s = need(result, workload->seq_len, "workload.seq_len");
    double b = need(result, workload->micro_batch, "workload.micro_batch");
    double h = need(result, workload->width, "workload.width");
    double a = need(result, workload->heads, "workload.heads");
    double full = s * b * (h * 34 + 5 * a * s);
    double kept = 2 * s * b * h;
    const char *dtype = normalise_dtype(workload->dtype);
    if (dtype == NULL) {
        add_missing(result, "workload.dtype");
    } else if (strcmp(dtype, "fp32") == 0) {
        full = 4 * b * s * (18 * h + 2 * a * s + 4);
        kept = 4 * s * b * h;
    }
    *full_mb = full / BYTES_PER_MB;
    *checkpoint_mb = kept / BYTES_PER_MB;
}

/*
 * What is left of `rest` under checkpointing. The layers' full sets go, as far as the measurement
 * has them: where the formula counts more than was measured, all of the rest is taken for layers.
 */
static double checkpointed(const struct candidate *from, double rest,
                           struct memory_change_result *result)
{
    double layers = need(result, from->workload.layers, "workload.layers");
    double full, kept;
    layer_activations(from, result, &full, &kept);
    if (layers * full > rest)
        full = rest / layers;
    double changed = rest - layers * full + full + layers * kept;
    return changed < rest ? changed : rest;
}

void memory_change_predict(const struct candidate *from, const struct planner_state *own,
                           const struct planner_state *other, const struct memory_change *change,
                           struct memory_change_result *result)
{
    *result = (struct memory_change_result){.peak_mb = NAN};
    double peak = need(result, from->peak_mb, "metrics.peak_memory_mb");
    need_state(result, own);
    need_state(result, other);
    double rest = peak - own->resident_mb - own->temporary_mb;
    double changed = rest * change->batch_factor;
    if (change->checkpointing)
        changed = checkpointed(from, changed, result);
    double predicted = other->resident_mb + other->temporary_mb + changed;
    if (result->missing_count > 0)
        return;
    /* A peak below what the ledger says is held contradicts the model that would predict. */
    if (rest < 0 || !isfinite(predicted))
        add_missing(result, "metrics.peak_memory_mb above the ledger's state");
    else
        result->peak_mb = predicted;
}
