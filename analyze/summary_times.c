#include <math.h>

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
