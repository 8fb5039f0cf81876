#ifndef RANKLEDGER_SUMMARY_SAMPLE_MEASURED_H
#define RANKLEDGER_SUMMARY_SAMPLE_MEASURED_H

#include "summary.h"

/* What summary_sample.c's candidates measured step by step: samples, losses, timing, phases,
 * collectives, calibration, and the ledger at other world sizes. Its throughput, memory and ledger
 * are set. Aborts when memory is exhausted. */
void summary_sample_measure(struct summary *summary, struct summary_candidate *candidate,
                            size_t index);

/* Takes most of it away again, as of a run that failed: after `steps` steps, 0: in its first. */
void summary_sample_interrupt(struct summary_candidate *candidate, size_t steps);

/* Multiplies every time, as throughput was divided. */
void summary_sample_stretch(struct summary_candidate *candidate, double factor);

/* A straggling rank and drift, a run of many ranks, runs of one round, phase by phase. */
void summary_sample_vary(struct summary *summary, struct summary_candidate *candidate,
                         size_t index);

/* Losses that rise without bound, end in no number, or are tiny; phases of very different sizes. */
void summary_sample_diverge(struct summary_candidate *candidate, size_t index);

/* Which candidates are on the Pareto front. */
void summary_sample_find_front(struct summary_group *group);

/* What was run, where, with what. */
void summary_sample_describe(struct summary_group *group);

#endif
