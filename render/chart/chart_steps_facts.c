#include "chart_steps_facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ranks of a synchronous step differ by the noise of their clocks; half a percent is more. */
#define STRAGGLES_FROM 0.005
/* A quarter of fewer steps is no sample. */
#define DRIFT_STEPS 12

bool chart_steps_facts_any(const struct summary_candidate *candidate)
{
    for (size_t rank = 0; rank < candidate->step_times.rank_count; rank++) {
        const struct summary_numbers *times = &candidate->step_times.ranks[rank];
        for (size_t i = 0; i < times->count; i++) {
            if (isfinite(times->items[i]))
                return true;
        }
    }
    return false;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Of the finite numbers; NAN of none. `room` holds `count`. */
static double median_of(const double *items, size_t count, double *room)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (isfinite(items[i]))
            room[used++] = items[i];
    }
    if (used == 0)
        return NAN;
    qsort(room, used, sizeof *room, by_value);
    return used % 2 == 1 ? room[used / 2] : room[used / 2 - 1] / 2 + room[used / 2] / 2;
}

static void add_rank(struct chart_steps_facts *facts, const struct summary_numbers *times,
                     size_t rank, double *room)
{
    double median = median_of(times->items, times->count, room);
    if (isnan(median))
        return;
    if (facts->ranks == 0 || median > facts->slowest_median) {
        facts->slowest = rank;
        facts->slowest_median = median;
    }
    facts->fastest_median = facts->ranks == 0 ? median : fmin(median, facts->fastest_median);
    facts->ranks++;
    for (size_t i = 0; i < times->count; i++) {
        double time = times->items[i];
        if (!isfinite(time))
            continue;
        facts->low[i] = fmin(facts->low[i], time); /* fmin and fmax leave a NAN out */
        facts->high[i] = fmax(facts->high[i], time);
        if (isnan(facts->largest) || time > facts->largest) {
            facts->largest = time;
            facts->largest_step = i;
            facts->largest_rank = rank;
        }
    }
}

bool chart_steps_facts_has_drift(const struct summary_candidate *candidate)
{
    for (size_t rank = 0; rank < candidate->step_times.rank_count; rank++) {
        if (candidate->step_times.ranks[rank].count >= DRIFT_STEPS)
            return true;
    }
    return false;
}

static double drift_of(const struct chart_steps_facts *facts, double *room)
{
    size_t quarter = facts->steps / 4;
    if (facts->steps < DRIFT_STEPS)
        return NAN;
    double first = median_of(facts->high, quarter, room);
    double last = median_of(facts->high + facts->steps - quarter, quarter, room);
    return first > 0 ? last / first - 1 : NAN;
}

bool chart_steps_facts_of(const struct summary_candidate *candidate, struct arena *arena,
                          struct chart_steps_facts *facts)
{
    *facts = (struct chart_steps_facts){.largest = NAN};
    for (size_t rank = 0; rank < candidate->step_times.rank_count; rank++) {
        size_t count = candidate->step_times.ranks[rank].count;
        facts->steps = count > facts->steps ? count : facts->steps;
    }
    double *numbers = arena_take_array(arena, 3 * facts->steps + 1, sizeof *numbers);
    if (numbers == NULL)
        return false;
    for (size_t i = 0; i < 3 * facts->steps; i++)
        numbers[i] = NAN;
    facts->low = numbers;
    facts->high = numbers + facts->steps;
    double *room = numbers + 2 * facts->steps;
    for (size_t rank = 0; rank < candidate->step_times.rank_count; rank++)
        add_rank(facts, &candidate->step_times.ranks[rank], rank, room);
    facts->median = median_of(facts->high, facts->steps, room);
    facts->drift = drift_of(facts, room);
    facts->straggles =
        facts->ranks > 1 && facts->slowest_median > facts->fastest_median * (1 + STRAGGLES_FROM);
    return true;
}
