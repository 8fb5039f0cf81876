#ifndef RANKLEDGER_THROUGHPUT_SAMPLES_H
#define RANKLEDGER_THROUGHPUT_SAMPLES_H

#include "arena.h"
#include "summary.h"

/*
 * The throughput of every measured step: the tokens (or samples) of a step over its time on the
 * slowest rank. Tokens per step are the candidate's throughput times its step time, so that the
 * median step has the throughput that the summary states.
 */
struct throughput_samples {
    const double *items;      /* in the unit of the candidate's throughput, by step; in the arena */
    size_t count;             /* 0: no step was recorded, or throughput or step time is unknown */
    double smallest, largest; /* NAN without samples */
};

/* STATUS_ENVIRONMENT if memory is exhausted. */
enum status throughput_samples_of(const struct summary_candidate *candidate, struct arena *arena,
                                  struct throughput_samples *samples,
                                  struct diag *diag) STATUS_CHECKED;

/*
 * Where sample `index` lies between two edges, 0 to below 1: the van der Corput sequence in base 2
 * (J. G. van der Corput, Verteilungsfunktionen, 1935). Neighbours in time lie far apart, and any
 * number of samples is spread evenly, the same on every machine.
 */
double throughput_samples_spread(size_t index);

#endif
