#include "chart_phases.h"

#include <math.h>
#include <string.h>

#define CHECKPOINT "checkpoint"

bool chart_phases_is_checkpoint(const char *name)
{
    return strncmp(name, CHECKPOINT, strlen(CHECKPOINT)) == 0;
}

static bool is_recorded(const struct summary_phase *phase)
{
    return phase->name != NULL && isfinite(phase->peak_mb) && phase->peak_mb >= 0;
}

const struct summary_phase *chart_phases_find(const struct summary_candidate *candidate,
                                              const char *name)
{
    for (size_t i = 0; i < candidate->phase_count; i++) {
        if (is_recorded(&candidate->phases[i]) && strcmp(candidate->phases[i].name, name) == 0)
            return &candidate->phases[i];
    }
    return NULL;
}

const struct summary_phase *chart_phases_peak(const struct summary_candidate *candidate,
                                              bool checkpoint)
{
    const struct summary_phase *peak = NULL;
    for (size_t i = 0; i < candidate->phase_count; i++) {
        const struct summary_phase *phase = &candidate->phases[i];
        if (!is_recorded(phase) || chart_phases_is_checkpoint(phase->name) != checkpoint)
            continue;
        if (peak == NULL || phase->peak_mb > peak->peak_mb)
            peak = phase;
    }
    return peak;
}

static bool is_known(const struct chart_phases *phases, const char *name)
{
    for (size_t i = 0; i < phases->count; i++) {
        if (strcmp(phases->names[i], name) == 0)
            return true;
    }
    return false;
}

static void add(struct chart_phases *phases, const char *name)
{
    if (is_known(phases, name))
        return;
    if (phases->count < CHART_PHASES_MOST)
        phases->names[phases->count++] = name;
    else
        phases->left_out++;
}

static bool any_has(const struct chart_frame *frame, const char *name)
{
    for (size_t i = 0; i < frame->every.count; i++) {
        if (chart_phases_find(frame->every.items[i], name) != NULL)
            return true;
    }
    return false;
}

/* Names of another producer stand between those of training and those of checkpoints. */
static void add_others(const struct chart_frame *frame, struct chart_phases *phases)
{
    for (size_t i = 0; i < frame->every.count; i++) {
        const struct summary_candidate *candidate = frame->every.items[i];
        for (size_t k = 0; k < candidate->phase_count; k++) {
            const struct summary_phase *phase = &candidate->phases[k];
            if (is_recorded(phase) && !chart_phases_is_checkpoint(phase->name))
                add(phases, phase->name);
        }
    }
}

void chart_phases_of(const struct chart_frame *frame, struct chart_phases *phases)
{
    static const char *const training[] = {"init", "forward", "backward", "optimizer"};
    static const char *const checkpoint[] = {CHECKPOINT, CHECKPOINT "_save", CHECKPOINT "_restore"};
    *phases = (struct chart_phases){.count = 0};
    for (size_t i = 0; i < sizeof training / sizeof training[0]; i++) {
        if (any_has(frame, training[i]))
            add(phases, training[i]);
    }
    add_others(frame, phases);
    for (size_t i = 0; i < sizeof checkpoint / sizeof checkpoint[0]; i++) {
        if (any_has(frame, checkpoint[i]))
            add(phases, checkpoint[i]);
    }
}
