#include "candidate_times.h"

#include <math.h>

#include "statistics.h"

size_t candidate_times_steps(const struct record *record)
{
    const struct metrics *metrics = &record->metrics;
    size_t steps = metrics->step_times_ranks > 0 ? metrics->step_times_ms[0].count : 0;
    for (size_t r = 1; r < metrics->step_times_ranks; r++)
        if (metrics->step_times_ms[r].count < steps)
            steps = metrics->step_times_ms[r].count;
    return steps;
}

struct rounds { /* growing in the arena */
    struct arena *arena;
    size_t *steps;
    size_t count, capacity, total;
    bool failed;
};

static void add_round(struct rounds *rounds, size_t steps)
{
    size_t *room =
        arena_room(rounds->arena, rounds->steps, rounds->count, &rounds->capacity, sizeof *room);
    rounds->failed |= room == NULL;
    if (rounds->failed)
        return;
    rounds->steps = room;
    rounds->steps[rounds->count++] = steps;
    rounds->total += steps;
}

/* The rounds of one run. Where they do not add up to its steps, they tell nothing. */
static void add_run(struct rounds *rounds, const struct record *record)
{
    const struct json_read_document *json = record->json;
    size_t steps = candidate_times_steps(record);
    uint32_t list = json == NULL ? JSON_READ_NONE : json_read_member(json, record->node, "rounds");
    size_t before = rounds->count;
    size_t sum = 0;
    bool sound = json_read_is(json, list, JSON_READ_ARRAY) && json_read_count(json, list) <= steps;
    uint32_t node = sound ? json_read_first(json, list) : JSON_READ_NONE;
    for (; node != JSON_READ_NONE && sound; node = json_read_next(json, list, node)) {
        int64_t own = 0;
        sound = json_read_int64(json, json_read_member(json, node, "steps"), &own) && own > 0 &&
                (uint64_t)own <= steps - sum;
        if (sound)
            add_round(rounds, (size_t)own);
        sum += sound ? (size_t)own : 0;
    }
    if ((sound && sum == steps) || rounds->failed)
        return;
    rounds->count = before;
    rounds->total -= sum;
    add_round(rounds, steps);
}

/* The runs that repeats_pool took times from: those that did not fail, unless all did. */
static void find_rounds(const struct candidate *candidate, size_t steps, struct rounds *rounds)
{
    bool all_failed = candidate->failed_repeats >= candidate->record_count;
    for (size_t i = 0; i < candidate->record_count; i++)
        if (all_failed || !candidate->records[i]->failure.failed)
            add_run(rounds, candidate->records[i]);
    if (rounds->failed || rounds->total == steps)
        return;
    rounds->count = 0; /* ranks of unequal length: the steps of runs cannot be told apart */
    add_round(rounds, steps);
}

enum status candidate_times_make(const struct interval_sample *sample, double throughput,
                                 struct arena *arena, struct candidate_times *times,
                                 struct diag *diag)
{
    struct candidate_times made = {
        .rounds = sample->rounds, .round_count = sample->round_count, .ratio = {NAN, NAN}};
    enum status status = interval_resample(sample, arena, &made.medians, diag);
    if (status != STATUS_OK)
        return status;
    made.scale = throughput * made.medians.median;
    made.step_time_ms = interval_of_median(1, &made.medians);
    made.throughput = interval_of_inverse(made.scale, &made.medians);
    *times = made;
    return STATUS_OK;
}

enum status candidate_times_fill(struct candidate *candidate, struct arena *arena,
                                 struct diag *diag)
{
    const struct metrics *metrics = &candidate->metrics;
    struct interval_sample sample = {0};
    struct rounds rounds = {.arena = arena};
    bool failed = false;
    sample.values = statistics_slowest_rank(metrics->step_times_ms, metrics->step_times_ranks,
                                            arena, &sample.count, &failed);
    if (!failed && sample.count > 0)
        find_rounds(candidate, sample.count, &rounds);
    if (failed || rounds.failed)
        return diag_no_memory(diag);
    sample.rounds = rounds.steps;
    sample.round_count = rounds.count;
    return candidate_times_make(&sample, metrics->throughput, arena, &candidate->times, diag);
}

/* Throughputs are in the inverse ratio of the step times. */
static double factor_of(const struct candidate_times *candidate,
                        const struct candidate_times *other)
{
    return candidate->scale / other->scale;
}

struct interval candidate_times_ratio(const struct candidate_times *candidate,
                                      const struct candidate_times *other)
{
    return interval_of_ratio(factor_of(candidate, other), &other->medians, &candidate->medians);
}

bool candidate_times_tied(const struct candidate_times *candidate,
                          const struct candidate_times *other)
{
    return interval_ratio_holds_one(factor_of(candidate, other), &other->medians,
                                    &candidate->medians);
}
