#include "throughput_samples.h"

#include <math.h>

static bool is_positive(double value)
{
    return isfinite(value) && value > 0;
}

/* The steps that every rank has: a run that failed may have left more of some. */
static size_t step_count(const struct summary_samples *times)
{
    size_t count = times->rank_count > 0 ? times->ranks[0].count : 0;
    for (size_t r = 1; r < times->rank_count; r++)
        count = times->ranks[r].count < count ? times->ranks[r].count : count;
    return count;
}

/* NAN where a rank's time is not a time. */
static double slowest(const struct summary_samples *times, size_t step)
{
    double most = 0;
    for (size_t r = 0; r < times->rank_count; r++) {
        if (!is_positive(times->ranks[r].items[step]))
            return NAN;
        most = fmax(most, times->ranks[r].items[step]);
    }
    return most;
}

enum status throughput_samples_of(const struct summary_candidate *candidate, struct arena *arena,
                                  struct throughput_samples *samples, struct diag *diag)
{
    const struct summary_samples *times = &candidate->step_times;
    double per_step = candidate->throughput * candidate->step_time_ms;
    size_t steps = step_count(times);
    *samples = (struct throughput_samples){.smallest = NAN, .largest = NAN};
    if (!is_positive(per_step) || steps == 0)
        return STATUS_OK;
    double *items = arena_take_array(arena, steps, sizeof *items);
    if (items == NULL)
        return diag_no_memory(diag);
    samples->items = items;
    for (size_t i = 0; i < steps; i++) {
        double sample = per_step / slowest(times, i);
        if (!is_positive(sample))
            continue;
        samples->smallest = fmin(samples->smallest, sample); /* passes over the first NAN */
        samples->largest = fmax(samples->largest, sample);
        items[samples->count++] = sample;
    }
    return STATUS_OK;
}

double throughput_samples_spread(size_t index)
{
    double result = 0;
    for (double place = 0.5; index > 0; index >>= 1, place /= 2)
        result += (double)(index & 1) * place;
    return result;
}
