#include "interval.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "statistics.h"

/* Values below and above the interval, of the most resamples: 2.5 % of them, and the bound. */
#define MAX_TAIL (INTERVAL_RESAMPLES / 40 + 1)

const char *interval_unit_name(enum interval_unit unit)
{
    static const char *const names[] = {
        [INTERVAL_ROUND] = "round", [INTERVAL_WITHIN_RUN] = "within_run"};
    return unit == INTERVAL_NONE ? NULL : names[unit];
}

const char *interval_lack_name(enum interval_lack lack)
{
    static const char *const names[] = {
        [INTERVAL_LACKS_SAMPLES] = "few_samples", [INTERVAL_LACKS_NUMBERS] = "not_finite"};
    return lack == INTERVAL_LACKS_NOTHING ? NULL : names[lack];
}

/* ---- the generator ---- */

/* The output function of SplitMix64. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t start_of(const struct interval_sample *sample)
{
    uint64_t state = INTERVAL_SEED;
    for (size_t i = 0; i < sample->count; i++) {
        uint64_t bits;
        memcpy(&bits, &sample->values[i], sizeof bits);
        state = mix(state ^ bits);
    }
    for (size_t i = 0; i < sample->round_count; i++)
        state = mix(state ^ sample->rounds[i]);
    return state;
}

/* Below `count`, which is far below 2^32, so that the bias of a product in place of a rejection
 * does not matter (it is at most count / 2^32). */
static size_t draw_below(uint64_t *state, size_t count)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(((mix(*state) >> 32) * (uint64_t)count) >> 32);
}

/* ---- resampling ---- */

struct block { /* of consecutive steps */
    size_t first, length;
};

struct resampling {
    const struct interval_sample *sample;
    struct block *blocks; /* what one is drawn from */
    size_t block_count;
    bool whole;       /* as many blocks as there are are drawn; else steps up to `count` */
    double *sorted;   /* the values, ascending */
    uint32_t *places; /* of each step in `sorted` */
    uint32_t *counts; /* of each place, how often it was drawn */
    uint64_t state;
};

struct placed {
    double value;
    size_t step;
};

static int compare_placed(const void *left, const void *right)
{
    const struct placed *a = left;
    const struct placed *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return (a->step > b->step) - (a->step < b->step);
}

/* The smallest length whose cube is at least the number of steps. */
static size_t block_length(size_t count)
{
    size_t length = 1;
    while (length * length * length < count)
        length++;
    return length;
}

/* Every place where a block may begin; a round that is shorter than a block is one by itself. */
static void find_moving_blocks(struct resampling *work, size_t length)
{
    size_t first = 0;
    for (size_t r = 0; r < work->sample->round_count; r++) {
        size_t steps = work->sample->rounds[r];
        size_t taken = steps < length ? steps : length;
        for (size_t at = 0; steps > 0 && at + taken <= steps; at++)
            work->blocks[work->block_count++] = (struct block){first + at, taken};
        first += steps;
    }
}

static void find_rounds(struct resampling *work)
{
    size_t first = 0;
    for (size_t r = 0; r < work->sample->round_count; r++) {
        size_t steps = work->sample->rounds[r];
        if (steps > 0)
            work->blocks[work->block_count++] = (struct block){first, steps};
        first += steps;
    }
}

/* Draws one resample; returns how many steps it has. */
static size_t draw(struct resampling *work)
{
    size_t wanted = work->sample->count;
    size_t drawn = 0;
    memset(work->counts, 0, wanted * sizeof *work->counts);
    for (size_t i = 0; work->whole ? i < work->block_count : drawn < wanted; i++) {
        const struct block *block = &work->blocks[draw_below(&work->state, work->block_count)];
        size_t length = block->length;
        if (!work->whole && length > wanted - drawn)
            length = wanted - drawn;
        const uint32_t *places = work->places + block->first;
        for (size_t s = 0; s < length; s++)
            work->counts[places[s]]++;
        drawn += length;
    }
    return drawn;
}

/* By counting along the sorted values: no resample is sorted. */
static double median_of_draw(const struct resampling *work, size_t drawn)
{
    size_t place = 0;
    size_t seen = work->counts[0];
    while (seen <= (drawn - 1) / 2)
        seen += work->counts[++place];
    double lower = work->sorted[place];
    while (seen <= drawn / 2)
        seen += work->counts[++place];
    return statistics_middle(lower, work->sorted[place]);
}

static bool sort_sample(struct resampling *work)
{
    size_t count = work->sample->count;
    struct placed *placed = malloc(count * sizeof *placed);
    if (placed == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        placed[i] = (struct placed){work->sample->values[i], i};
    qsort(placed, count, sizeof *placed, compare_placed);
    for (size_t i = 0; i < count; i++) {
        work->sorted[i] = placed[i].value;
        work->places[placed[i].step] = (uint32_t)i;
    }
    free(placed);
    return true;
}

static size_t resamples_of(size_t count)
{
    size_t affordable = INTERVAL_MAX_DRAWS / count;
    if (affordable > INTERVAL_RESAMPLES)
        return INTERVAL_RESAMPLES;
    return affordable < INTERVAL_LEAST_RESAMPLES ? INTERVAL_LEAST_RESAMPLES : affordable;
}

static enum status resample(struct resampling *work, struct arena *arena,
                            struct interval_medians *medians, struct diag *diag)
{
    size_t count = work->sample->count;
    double *values = arena_take_array(arena, resamples_of(count), sizeof *values);
    work->blocks = malloc(count * sizeof *work->blocks);
    work->sorted = malloc(count * sizeof *work->sorted);
    work->places = malloc(count * sizeof *work->places);
    work->counts = malloc(count * sizeof *work->counts);
    if (values == NULL || work->blocks == NULL || work->sorted == NULL || work->places == NULL ||
        work->counts == NULL || !sort_sample(work))
        return diag_no_memory(diag);
    if (work->whole)
        find_rounds(work);
    else
        find_moving_blocks(work, medians->block);
    work->state = start_of(work->sample);
    medians->count = resamples_of(count);
    for (size_t i = 0; i < medians->count; i++)
        values[i] = median_of_draw(work, draw(work));
    medians->values = values;
    medians->median = statistics_middle(work->sorted[(count - 1) / 2], work->sorted[count / 2]);
    return STATUS_OK;
}

static enum interval_lack lack_of(const struct interval_sample *sample)
{
    if (sample->count < INTERVAL_MIN_SAMPLES)
        return INTERVAL_LACKS_SAMPLES;
    for (size_t i = 0; i < sample->count; i++)
        if (!isfinite(sample->values[i]))
            return INTERVAL_LACKS_NUMBERS;
    return INTERVAL_LACKS_NOTHING;
}

/* Rounds that have steps. */
static size_t rounds_of(const struct interval_sample *sample)
{
    size_t count = 0;
    for (size_t i = 0; i < sample->round_count; i++)
        count += sample->rounds[i] > 0;
    return count;
}

enum status interval_resample(const struct interval_sample *sample, struct arena *arena,
                              struct interval_medians *medians, struct diag *diag)
{
    struct interval_medians result = {.samples = sample->count,
                                      .rounds = rounds_of(sample),
                                      .lack = lack_of(sample),
                                      .median = NAN};
    enum status status = STATUS_OK;
    if (result.lack == INTERVAL_LACKS_NOTHING) {
        struct resampling work = {.sample = sample, .whole = result.rounds >= INTERVAL_MIN_ROUNDS};
        result.unit = work.whole ? INTERVAL_ROUND : INTERVAL_WITHIN_RUN;
        result.block = work.whole ? 0 : block_length(sample->count);
        status = resample(&work, arena, &result, diag);
        free(work.blocks);
        free(work.sorted);
        free(work.places);
        free(work.counts);
    }
    if (status == STATUS_OK)
        *medians = result;
    return status;
}

/* ---- intervals ---- */

/* The smallest values seen so far, ascending. */
struct tail {
    double values[MAX_TAIL];
    size_t count, wanted;
};

static void push(struct tail *tail, double value)
{
    if (tail->count == tail->wanted && !(value < tail->values[tail->count - 1]))
        return;
    size_t at = tail->count < tail->wanted ? tail->count++ : tail->count - 1;
    for (; at > 0 && tail->values[at - 1] > value; at--)
        tail->values[at] = tail->values[at - 1];
    tail->values[at] = value;
}

/* How many of `count` lie at a bound and beyond it. */
static size_t tail_of(size_t count)
{
    return count / 40 + 1; /* 2.5 % beyond */
}

/* One value an index: of factor * numerator / denominator, either of which may be absent (1). */
struct quotient {
    double factor;
    const struct interval_medians *numerator, *denominator;
};

static double quotient_at(const struct quotient *quotient, size_t index)
{
    double value = quotient->factor;
    if (quotient->numerator != NULL)
        value *= quotient->numerator->values[index];
    return quotient->denominator != NULL ? value / quotient->denominator->values[index] : value;
}

static size_t count_of(const struct quotient *quotient)
{
    size_t count = SIZE_MAX;
    if (quotient->numerator != NULL)
        count = quotient->numerator->count;
    if (quotient->denominator != NULL && quotient->denominator->count < count)
        count = quotient->denominator->count;
    return count;
}

static struct interval read_interval(const struct quotient *quotient)
{
    const struct interval none = {NAN, NAN};
    size_t count = count_of(quotient);
    struct tail low = {.wanted = tail_of(count)};
    struct tail high = {.wanted = tail_of(count)};
    if (count == 0)
        return none;
    for (size_t i = 0; i < count; i++) {
        double value = quotient_at(quotient, i);
        if (!isfinite(value))
            return none;
        push(&low, value);
        push(&high, -value);
    }
    return (struct interval){low.values[low.count - 1], -high.values[high.count - 1]};
}

struct interval interval_of_median(double factor, const struct interval_medians *medians)
{
    return read_interval(&(struct quotient){factor, medians, NULL});
}

struct interval interval_of_inverse(double factor, const struct interval_medians *medians)
{
    return read_interval(&(struct quotient){factor, NULL, medians});
}

struct interval interval_of_ratio(double factor, const struct interval_medians *numerator,
                                  const struct interval_medians *denominator)
{
    return read_interval(&(struct quotient){factor, numerator, denominator});
}

bool interval_ratio_holds_one(double factor, const struct interval_medians *numerator,
                              const struct interval_medians *denominator)
{
    const struct quotient quotient = {factor, numerator, denominator};
    size_t count = count_of(&quotient);
    size_t at_most = 0;
    size_t at_least = 0;
    for (size_t i = 0; i < count; i++) {
        double value = quotient_at(&quotient, i);
        if (!isfinite(value))
            return false;
        at_most += value <= 1;
        at_least += value >= 1;
    }
    return count > 0 && at_most >= tail_of(count) && at_least >= tail_of(count);
}
