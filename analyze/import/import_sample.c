#include "import_sample.h"

#include <math.h>
#include <string.h>

#include "json_write.h"
#include "statistics.h"

#define FIRST_CAPACITY 64

void *import_sample_room(struct import *import, void *list, size_t count, size_t *capacity,
                         size_t size)
{
    if (count < *capacity)
        return list;
    size_t larger = *capacity == 0 ? FIRST_CAPACITY : 2 * *capacity;
    void *room = import_take(import, larger, size);
    if (room == NULL)
        return NULL;
    if (count > 0)
        memcpy(room, list, count * size);
    *capacity = larger;
    return room;
}

void import_sample_add(struct import *import, struct import_sample *sample, double value,
                       size_t line)
{
    double *values = import_sample_room(import, sample->values, sample->count, &sample->capacity,
                                        sizeof *values);
    if (values == NULL)
        return;
    sample->values = values;
    sample->values[sample->count++] = value;
    if (sample->first_line == 0)
        sample->first_line = line;
    sample->last_line = line;
}

double import_sample_median(struct import *import, const struct import_sample *sample)
{
    if (sample->count == 0)
        return NAN;
    double *copy = import_take(import, sample->count, sizeof *copy); /* the median sorts */
    if (copy == NULL)
        return NAN;
    memcpy(copy, sample->values, sample->count * sizeof *copy);
    return statistics_median(copy, sample->count);
}

double import_sample_mean(const struct import_sample *sample)
{
    return statistics_mean(sample->values, sample->count);
}

void import_sample_write(struct import_record *record, const char *field,
                         const struct import_sample *sample)
{
    if (sample->count > 0)
        import_numbers(record, field, sample->values, sample->count, sample->first_line,
                       sample->last_line);
}

void import_sample_ranks(struct import_record *record, const struct import_sample *sample)
{
    struct json_write writer = {0};
    if (sample->count == 0)
        return;
    json_t *ranks = json_write_array(&writer);
    json_t *steps = json_write_array(&writer);
    for (size_t i = 0; i < sample->count; i++)
        json_write_append(&writer, steps, json_write_real(&writer, sample->values[i]));
    json_write_append(&writer, ranks, steps);
    if (writer.status != STATUS_OK) {
        json_decref(ranks);
        ranks = NULL;
    }
    import_json(record, "metrics.step_times_ms", ranks, sample->first_line, sample->last_line);
}

void import_sample_keep(struct import_record *record, const char *name,
                        const struct import_sample *sample)
{
    if (sample->count > 0)
        import_samples(record, name, sample->values, sample->count, sample->first_line,
                       sample->last_line);
}

bool import_sample_differ(double a, double b, double part)
{
    return fabs(a - b) > part * fabs(b); /* false with a NAN */
}
