#include "front.h"

#include <math.h>

static bool takes_part(const struct candidate *candidate)
{
    return !candidate->failure.failed && candidate->times_count && !isnan(candidate->peak_mb) &&
           !isnan(candidate->metrics.throughput);
}

static bool comparable(const struct candidate *a, const struct candidate *b)
{
    return a->memory_kind == b->memory_kind &&
           a->metrics.throughput_unit == b->metrics.throughput_unit;
}

/* Whether b lies below and right of a, however little. */
static bool dominates(const struct candidate *b, const struct candidate *a)
{
    double faster = b->metrics.throughput - a->metrics.throughput;
    double smaller = a->peak_mb - b->peak_mb;
    return faster >= 0 && smaller >= 0 && (faster > 0 || smaller > 0);
}

bool front_holds(const struct group *group, size_t index)
{
    const struct candidate *candidate = &group->candidates[index];
    if (!takes_part(candidate))
        return false;
    for (size_t i = 0; i < group->candidate_count; i++) {
        const struct candidate *other = &group->candidates[i];
        if (takes_part(other) && comparable(other, candidate) && dominates(other, candidate))
            return false;
    }
    return true;
}
