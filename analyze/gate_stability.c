#include <math.h>

#include "gate_table.h"

/* The time of a step: that of its slowest rank. NAN if a rank has no such step. */
static double step_time(const struct metrics *metrics, size_t step)
{
    double slowest = NAN;
    for (size_t rank = 0; rank < metrics->step_times_ranks; rank++) {
        const struct series *times = &metrics->step_times_ms[rank];
        if (step >= times->count)
            return NAN;
        if (isnan(slowest) || times->values[step] > slowest)
            slowest = times->values[step];
    }
    return slowest;
}

/* Standard deviation (n - 1) over mean of the step times, in two passes; NAN below two steps. */
static double variation(const struct metrics *metrics)
{
    size_t count = metrics->step_times_ranks > 0 ? metrics->step_times_ms[0].count : 0;
    double sum = 0;
    for (size_t step = 0; step < count; step++)
        sum += step_time(metrics, step);
    if (count < 2)
        return NAN;
    double mean = sum / (double)count;
    double squares = 0;
    for (size_t step = 0; step < count; step++) {
        double difference = step_time(metrics, step) - mean;
        squares += difference * difference;
    }
    return sqrt(squares / (double)(count - 1)) / mean;
}

void gate_stability(const struct gate_context *context, const struct candidate *candidate,
                    struct gate_result *result)
{
    double limit = context->policy->max_step_time_variation;
    result->unit = "ratio";
    double value = candidate->times_count ? variation(&candidate->metrics) : NAN;
    gate_at_most(candidate, value, limit, result);
}
