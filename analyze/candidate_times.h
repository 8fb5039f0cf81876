#ifndef RANKLEDGER_CANDIDATE_TIMES_H
#define RANKLEDGER_CANDIDATE_TIMES_H

#include "candidate.h"

/*
 * Fills candidate->times from the pooled step times (per step, the slowest rank) and from the
 * rounds that its runs tell of; a run that tells of none is one round. Comes after repeats_pool.
 */
enum status candidate_times_fill(struct candidate *candidate, struct arena *arena,
                                 struct diag *diag) STATUS_CHECKED;

/* Measured steps of one run: those that every rank has. */
size_t candidate_times_steps(const struct record *record);

/* The same from a sample of the slowest rank's step times. The rounds stay the caller's, and have
 * to live as long as *times. */
enum status candidate_times_make(const struct interval_sample *sample, double throughput,
                                 struct arena *arena, struct candidate_times *times,
                                 struct diag *diag) STATUS_CHECKED;

/*
 * The ratio of the throughput of `candidate` to that of `other`: its interval, and whether that
 * contains 1 (false without an interval: nothing is claimed).
 */
struct interval candidate_times_ratio(const struct candidate_times *candidate,
                                      const struct candidate_times *other);
bool candidate_times_tied(const struct candidate_times *candidate,
                          const struct candidate_times *other);

#endif
