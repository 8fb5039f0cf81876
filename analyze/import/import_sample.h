#ifndef RANKLEDGER_IMPORT_SAMPLE_H
#define RANKLEDGER_IMPORT_SAMPLE_H

#include <stddef.h>

#include "import.h"

/*
 * Lists that grow while a log is read: of numbers with the lines they come from, and of an
 * importer's own rows. Their memory is the import's (import_take); nothing is released.
 */
struct import_sample {
    double *values;
    size_t count;
    size_t capacity;
    size_t first_line; /* of the first value; 0: none yet */
    size_t last_line;
};

/* Appends; does nothing once memory is exhausted (the import has failed then). */
void import_sample_add(struct import *import, struct import_sample *sample, double value,
                       size_t line);

/* Statistics (statistics.h): NAN for no values, and where one of them is NAN. */
double import_sample_median(struct import *import, const struct import_sample *sample);
double import_sample_mean(const struct import_sample *sample);

/* As an array of metrics, or as a raw sample (import_samples), with its lines; an empty one is left
 * out. */
void import_sample_write(struct import_record *record, const char *field,
                         const struct import_sample *sample);
void import_sample_keep(struct import_record *record, const char *name,
                        const struct import_sample *sample);

/* As metrics.step_times_ms of a run of one rank: [rank][step]. */
void import_sample_ranks(struct import_record *record, const struct import_sample *sample);

/* A list of elements of `size` bytes, `count` in use of *capacity, with room for one more: the list
 * or a larger copy. NULL: memory is exhausted, and the import has failed. */
void *import_sample_room(struct import *import, void *list, size_t count, size_t *capacity,
                         size_t size);

/* Whether the two differ by more than `part` of the second; false where one is unknown (NAN). */
bool import_sample_differ(double a, double b, double part);

#endif
