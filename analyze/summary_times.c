#include <math.h>

#include "candidate_times.h"
#include "record_sections.h"
#include "summary_parts.h"

json_t *summary_parts_series(struct summary_parts *parts, const struct series *series)
{
    json_t *array = json_write_array(&parts->writer);
    for (size_t i = 0; i < series->count; i++)
        json_write_append(&parts->writer, array, summary_parts_number(parts, series->values[i]));
    return array;
}

static json_t *counts_of(struct summary_parts *parts, const size_t *counts, size_t count)
{
    json_t *array = json_write_array(&parts->writer);
    for (size_t i = 0; i < count; i++)
        json_write_append(&parts->writer, array,
                          json_write_integer(&parts->writer, (int64_t)counts[i]));
    return array;
}

json_t *summary_parts_samples(struct summary_parts *parts, const struct candidate *candidate)
{
    struct json_write *writer = &parts->writer;
    const struct metrics *metrics = &candidate->metrics;
    json_t *object = json_write_object(writer);
    json_t *ranks = json_write_array(writer);
    for (size_t rank = 0; rank < metrics->step_times_ranks; rank++)
        json_write_append(writer, ranks,
                          summary_parts_series(parts, &metrics->step_times_ms[rank]));
    json_write_set(writer, object, "step_times_ms", ranks);
    json_write_set(writer, object, "round_steps",
                   counts_of(parts, candidate->times.rounds, candidate->times.round_count));
    json_write_set(writer, object, "losses", summary_parts_series(parts, &metrics->losses));
    json_write_set(writer, object, "grad_norms", summary_parts_series(parts, &metrics->grad_norms));
    return object;
}

/* [lower, upper], or null. */
static json_t *bounds_of(struct summary_parts *parts, const struct interval *interval)
{
    if (isnan(interval->lower) || isnan(interval->upper))
        return json_write_null(&parts->writer);
    json_t *array = json_write_array(&parts->writer);
    json_write_append(&parts->writer, array, json_write_real(&parts->writer, interval->lower));
    json_write_append(&parts->writer, array, json_write_real(&parts->writer, interval->upper));
    return array;
}

json_t *summary_parts_interval(struct summary_parts *parts, const struct candidate *candidate)
{
    struct json_write *writer = &parts->writer;
    const struct candidate_times *times = &candidate->times;
    const struct interval_medians *medians = &times->medians;
    json_t *object = json_write_object(writer);
    const struct {
        const char *key;
        size_t count;
    } counts[] = {{"samples", medians->samples},
                  {"rounds", medians->rounds},
                  {"block_steps", medians->block},
                  {"resamples", medians->count}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        json_write_set(writer, object, counts[i].key,
                       json_write_integer(writer, (int64_t)counts[i].count));
    json_write_set(writer, object, "level", json_write_real(writer, INTERVAL_LEVEL));
    summary_parts_put_text(parts, object, "kind", "percentile_bootstrap");
    json_write_set(writer, object, "unit",
                   json_write_string(writer, interval_unit_name(medians->unit)));
    json_write_set(writer, object, "lacks",
                   json_write_string(writer, interval_lack_name(medians->lack)));
    json_write_set(writer, object, "step_time_ms", bounds_of(parts, &times->step_time_ms));
    json_write_set(writer, object, "throughput", bounds_of(parts, &times->throughput));
    json_write_set(writer, object, "ratio_to_fastest", bounds_of(parts, &times->ratio));
    return object;
}

/* ---- a step in its parts ---- */

enum { PARTS = 7 }; /* numbers of a step, as part_names has them */

static const char *const part_names[PARTS] = {"step_ms",      "forward_ms", "backward_ms",
                                              "optimizer_ms", "exposed_ms", "other_ms",
                                              "in_flight_ms"};

struct weighted { /* growing sums over runs */
    double sums[PARTS];
    double weight, steps, rank;
    size_t runs;
};

static void add_run(struct weighted *weighted, const struct record_timing *timing, double steps)
{
    const double values[PARTS] = {timing->step_ms,      timing->forward_ms, timing->backward_ms,
                                  timing->optimizer_ms, timing->exposed_ms, timing->other_ms,
                                  timing->in_flight_ms};
    double weight = steps > 0 ? steps : 1;
    for (size_t i = 0; i < PARTS; i++)
        weighted->sums[i] += weight * values[i]; /* NAN: what one run does not tell, none does */
    weighted->weight += weight;
    weighted->steps += steps > 0 ? steps : (double)NAN;
    if (weighted->runs > 0 && weighted->rank != timing->rank)
        weighted->rank = (double)NAN;
    else if (weighted->runs == 0)
        weighted->rank = timing->rank;
    weighted->runs++;
}

/* Of the runs that count towards times (repeats.c): those that ended, or all if none did. */
static bool counts(const struct candidate *candidate, const struct record *record)
{
    return !record->failure.failed || candidate->failed_repeats == candidate->record_count;
}

json_t *summary_parts_timing(struct summary_parts *parts, const struct candidate *candidate)
{
    struct weighted weighted = {.rank = (double)NAN};
    for (size_t i = 0; i < candidate->record_count; i++) {
        const struct record *record = candidate->records[i];
        struct record_timing timing;
        if (counts(candidate, record) && record_sections_slowest(record, &timing))
            add_run(&weighted, &timing, (double)candidate_times_steps(record));
    }
    if (weighted.runs == 0)
        return json_write_null(&parts->writer);
    json_t *object = json_write_object(&parts->writer);
    for (size_t i = 0; i < PARTS; i++)
        json_write_set(&parts->writer, object, part_names[i],
                       summary_parts_number(parts, weighted.sums[i] / weighted.weight));
    json_write_set(&parts->writer, object, "rank", summary_parts_number(parts, weighted.rank));
    json_write_set(&parts->writer, object, "steps", summary_parts_number(parts, weighted.steps));
    json_write_set(&parts->writer, object, "runs",
                   json_write_integer(&parts->writer, (int64_t)weighted.runs));
    return object;
}
