#include "memory_change.h"

#include <math.h>
#include <string.h>

#include "candidate_ledger.h"

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
 * What is left of `rest` under checkpointing: the schedule's activations without it go, those with
 * it come. A trainer may keep less than the schedule; where that counts more than was measured, the
 * layers are taken to hold all of the rest but what lies outside them, of which one layer's part
 * and every layer's input stay.
 */
static double checkpointed(const struct candidate *from, double rest,
                           struct memory_change_result *result)
{
    const struct workload *workload = &from->workload;
    const struct temporary_memory_shape shape = candidate_ledger_shape(workload);
    double layers = need(result, workload->layers, "workload.layers");
    need(result, workload->seq_len, "workload.seq_len");
    need(result, workload->micro_batch, "workload.micro_batch");
    need(result, workload->width, "workload.width");
    need(result, workload->heads, "workload.heads");
    need(result, shape.activation_bytes, "workload.dtype");
    need(result, workload->vocab, "workload.vocab");
    double plain = temporary_memory_activations(&shape, false) / BYTES_PER_MB;
    double changed = rest - plain + temporary_memory_activations(&shape, true) / BYTES_PER_MB;
    if (plain > rest) {
        double outside = temporary_memory_root_activations(&shape) / BYTES_PER_MB;
        double inputs = layers * temporary_memory_layer_input(&shape) / BYTES_PER_MB;
        if (outside >= rest)
            add_missing(result, "memory.per_rank"); /* only a measurement can tell them apart */
        changed = outside + (rest - outside) / layers + inputs;
    }
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
