#include <math.h>

#include "statistics.h"
#include "validation_own.h"
#include "validation_rules.h"

/* Times, losses and counts of steps that our own collector derives from one another. */

/* ---- medians over steps of the largest rank's value ---- */

/* [rank][step] arrays of one shape; the values, and what they are a part of (NONE: nothing). */
struct samples {
    uint32_t values, wholes;
};

/* The first numbers of one rank, if there are so many and nothing else. */
static bool read_row(const struct validation *v, uint32_t row, size_t count, double *values)
{
    /* Numbers are one node each: with anything else there are more nodes, or none to read. */
    return json_read_count(v->json, row) >= count &&
           json_read_doubles(v->json, row + 1, (uint32_t)count, values);
}

/* Room for the largest value of each step, and for two rows of one rank. */
struct rows {
    double *largest, *values, *wholes;
};

/* Of one rank: each step's value into `largest` where it is larger; false if a number is missing.
 */
static bool read_rank(const struct validation *v, const struct samples *rank, size_t count,
                      const struct rows *rows)
{
    bool shares = rank->wholes != JSON_READ_NONE;
    if (json_read_count(v->json, rank->values) != count ||
        !read_row(v, rank->values, count, rows->values) ||
        (shares && !read_row(v, rank->wholes, count, rows->wholes)))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (shares && rows->wholes[i] <= 0)
            return false;
        double value = shares ? rows->values[i] / rows->wholes[i] : rows->values[i];
        rows->largest[i] = value > rows->largest[i] ? value : rows->largest[i];
    }
    return true;
}

/* The median, most often that which is stated: where as many values lie below as above it, only the
 * nearest of them have to be known. */
static double find_median(double *values, size_t count, double stated)
{
    size_t less = 0;
    size_t more = 0;
    double below = -INFINITY;
    double above = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double value = values[i];
        less += value < stated;
        more += value > stated;
        below = value < stated && value > below ? value : below;
        above = value > stated && value < above ? value : above;
    }
    if (less != more || count - less - more > 1)
        return statistics_median(values, count);
    return count % 2 == 1 ? stated : statistics_middle(below, above);
}

/* NAN if the arrays have another shape. */
static double median_of(struct validation *v, const struct samples *samples, double stated)
{
    struct samples rank = {json_read_first(v->json, samples->values),
                           json_read_first(v->json, samples->wholes)};
    size_t count = json_read_count(v->json, rank.values);
    double *room = arena_take_array(v->arena, 3 * count + 1, sizeof *room);
    if (room == NULL) {
        v->no_memory = true;
        return NAN;
    }
    const struct rows rows = {room, room + count, room + 2 * count};
    while (rank.values != JSON_READ_NONE) {
        if (!read_rank(v, &rank, count, &rows))
            return NAN;
        rank.values = json_read_next(v->json, samples->values, rank.values);
        rank.wholes = json_read_next(v->json, samples->wholes, rank.wholes);
    }
    return count > 0 ? find_median(rows.largest, count, stated) : (double)NAN;
}

static void check_median(struct validation *v, enum evidence_field field,
                         const struct samples *samples, const char *what)
{
    double stated;
    if (!validation_number_of(v, field, &stated))
        return;
    double median = median_of(v, samples, stated);
    if (isnan(median) || validation_own_same(stated, median))
        return;
    validation_report(v, VALIDATION_ERROR(v->found[field], "median_differs"),
                      "%s is stated, but the median over steps of %s is %s",
                      validation_format(stated).text, what, validation_format(median).text);
}

void rules_own_medians(struct validation *v)
{
    double ranks;
    uint32_t timing = validation_own_section(v, "timing");
    const struct samples steps = {v->found[EVIDENCE_FIELD_STEP_TIMES], JSON_READ_NONE};
    const struct samples exposed = {validation_own_list(v, timing, "exposed_times_ms"),
                                    steps.values};
    const struct samples in_flight = {validation_own_list(v, timing, "in_flight_times_ms"),
                                      steps.values};
    if (!validation_own_whole(v))
        return;
    check_median(v, EVIDENCE_FIELD_STEP_TIME, &steps, "the slowest rank's step_times_ms");
    if (!validation_number_of(v, EVIDENCE_FIELD_WORLD_SIZE, &ranks) || ranks == 1)
        return; /* of one rank no share is told */
    check_median(v, EVIDENCE_FIELD_COMMUNICATION, &exposed,
                 "the largest share of timing.exposed_times_ms");
    check_median(v, EVIDENCE_FIELD_IN_FLIGHT, &in_flight,
                 "the largest share of timing.in_flight_times_ms");
}

/* ---- how many ---- */

static void check_length(struct validation *v, uint32_t list, double expected, const char *what)
{
    if (!json_read_is(v->json, list, JSON_READ_ARRAY) ||
        (double)json_read_count(v->json, list) == expected)
        return;
    validation_report(v, VALIDATION_ERROR(list, "series_count"), "%lu elements for %s %s",
                      (unsigned long)json_read_count(v->json, list),
                      validation_format(expected).text, what);
}

/* A loss and a norm of every step, a time of every measured one. */
void rules_own_series(struct validation *v)
{
    double warmup;
    double repeats;
    double sum = 0;
    uint32_t metrics = v->found[EVIDENCE_FIELD_METRICS];
    uint32_t workload = v->found[EVIDENCE_FIELD_WORKLOAD];
    uint32_t rounds = validation_own_section(v, "rounds");
    if (!validation_own_whole(v) || !validation_own_number(v, workload, "warmup", &warmup) ||
        !validation_own_number(v, workload, "repeats", &repeats))
        return;
    static const char *const names[] = {"losses", "grad_norms"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        check_length(v, validation_member(v, metrics, names[i]), warmup + repeats,
                     "steps (warmup + repeats)");
    if (!json_read_is(v->json, rounds, JSON_READ_ARRAY))
        return;
    for (uint32_t round = json_read_first(v->json, rounds); round != JSON_READ_NONE;
         round = json_read_next(v->json, rounds, round)) {
        double steps;
        sum += validation_own_number(v, round, "steps", &steps) ? steps : (double)NAN;
    }
    uint32_t times = v->found[EVIDENCE_FIELD_STEP_TIMES];
    for (uint32_t row = json_read_first(v->json, times); row != JSON_READ_NONE && !isnan(sum);
         row = json_read_next(v->json, times, row))
        check_length(v, row, sum, "measured steps (of all rounds)");
}

/* ---- parts of a step ---- */

/* A whole that is stated, and the sum of parts that are all there. */
static void check_sum(struct validation *v, uint32_t node, double stated, double sum,
                      const char *parts)
{
    if (!validation_own_same(stated, sum))
        validation_report(v, VALIDATION_ERROR(node, "timing_differs"),
                          "%s ms are stated, but %s add up to %s", validation_format(stated).text,
                          parts, validation_format(sum).text);
}

static void check_step(struct validation *v, uint32_t rank)
{
    static const char *const names[] = {"forward_ms", "backward_ms", "optimizer_ms", "exposed_ms",
                                        "other_ms"};
    double step;
    double exposed;
    double sum = 0;
    bool whole = validation_own_number(v, rank, "step_ms", &step);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        double part;
        whole = whole && validation_own_number(v, rank, names[i], &part);
        sum += whole ? part : 0;
    }
    if (whole)
        check_sum(v, validation_member(v, rank, "step_ms"), step, sum,
                  "forward, backward, optimizer, exposed and other time");
    if (validation_own_number(v, rank, "exposed_ms", &exposed) &&
        validation_own_sum(v, validation_member(v, rank, "exposed_by_phase_ms"), &sum))
        check_sum(v, validation_member(v, rank, "exposed_ms"), exposed, sum, "its phases");
}

void rules_own_timing(struct validation *v)
{
    if (!validation_own_whole(v))
        return;
    uint32_t ranks = validation_own_list(v, validation_own_section(v, "timing"), "per_rank");
    for (uint32_t rank = json_read_first(v->json, ranks); rank != JSON_READ_NONE;
         rank = json_read_next(v->json, ranks, rank))
        check_step(v, rank);
}

/* ---- signs of wrong mathematics ---- */

static void check_sign(struct validation *v, uint32_t object, const char *name, const char *message)
{
    uint32_t node = validation_member(v, object, name);
    if (json_read_is(v->json, node, JSON_READ_FALSE))
        validation_report(v, VALIDATION_WARNING(node, "not_reproduced"), "%s", message);
}

void rules_own_signs(struct validation *v)
{
    if (!v->own_producer)
        return;
    uint32_t correctness = validation_own_section(v, "correctness");
    uint32_t list = validation_own_section(v, "checkpoint");
    check_sign(v, correctness, "ranks_agree_on_grad_norms",
               "the ranks have different gradient norms: they did not train one model");
    check_sign(v, correctness, "rounds_agree_on_losses",
               "the rounds have different losses: they did not train the same");
    if (!json_read_is(v->json, list, JSON_READ_ARRAY))
        return;
    for (uint32_t row = json_read_first(v->json, list); row != JSON_READ_NONE;
         row = json_read_next(v->json, list, row))
        check_sign(v, row, "restore_verified",
                   "what was restored is not what was saved: the checkpoint cannot be relied on");
}
