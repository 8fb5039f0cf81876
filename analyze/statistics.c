#include "statistics.h"

#include <math.h>
#include <stdlib.h>

double statistics_max(const double *values, size_t count)
{
    double largest = count > 0 ? values[0] : NAN;
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i]))
            return NAN;
        if (values[i] > largest)
            largest = values[i];
    }
    return largest;
}

double statistics_middle(double a, double b)
{
    /* One rounding, so that the median of 0.2 and 1 is 0.6 and passes a limit of 0.6; halves first
     * only where the sum would overflow. */
    double sum = a + b;
    return isfinite(sum) ? sum / 2 : a / 2 + b / 2;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Of so few that a general sort would mostly call its comparison. */
#define FEW_VALUES 48

static void sort(double *values, size_t count)
{
    if (count > FEW_VALUES)
        qsort(values, count, sizeof *values, compare);
    for (size_t i = 1; i < count && count <= FEW_VALUES; i++) {
        double value = values[i];
        size_t place = i;
        for (; place > 0 && values[place - 1] > value; place--)
            values[place] = values[place - 1];
        values[place] = value;
    }
}

double statistics_median(double *values, size_t count)
{
    if (isnan(statistics_max(values, count)))
        return NAN;
    sort(values, count);
    size_t middle = count / 2;
    if (count % 2 == 1)
        return values[middle];
    return statistics_middle(values[middle - 1], values[middle]);
}

double statistics_mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    double mean = count > 0 ? sum / (double)count : NAN;
    return isfinite(mean) ? mean : NAN;
}

double statistics_variation(const double *values, size_t count)
{
    double mean = statistics_mean(values, count);
    if (count < 2 || isnan(mean) || mean == 0)
        return NAN;
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    double variation = sqrt(squares / (double)(count - 1)) / fabs(mean);
    return isfinite(variation) ? variation : NAN;
}

double *statistics_slowest_rank(const struct series *ranks, size_t rank_count, struct arena *arena,
                                size_t *count, bool *failed)
{
    *count = 0;
    size_t steps = rank_count > 0 ? ranks[0].count : 0;
    for (size_t r = 1; r < rank_count; r++)
        if (ranks[r].count < steps)
            steps = ranks[r].count;
    if (steps == 0)
        return NULL;
    double *slowest = arena_take_array(arena, steps, sizeof *slowest);
    if (slowest == NULL) {
        *failed = true;
        return NULL;
    }
    for (size_t s = 0; s < steps; s++) {
        slowest[s] = ranks[0].values[s];
        for (size_t r = 1; r < rank_count; r++)
            if (isnan(ranks[r].values[s]) || ranks[r].values[s] > slowest[s])
                slowest[s] = ranks[r].values[s];
    }
    *count = steps;
    return slowest;
}

double statistics_step_time(const struct series *ranks, size_t rank_count, struct arena *arena,
                            bool *failed)
{
    size_t count = 0;
    double *slowest = statistics_slowest_rank(ranks, rank_count, arena, &count, failed);
    return statistics_median(slowest, count);
}
