#ifndef RANKLEDGER_EVIDENCE_METRICS_H
#define RANKLEDGER_EVIDENCE_METRICS_H

#include "evidence_source.h"

/* Canonical metrics that are one number (evidence contract). NAN: not measured. */
struct evidence_metrics {
    uint64_t steps; /* measured steps that every rank completed, of all rounds */
    double step_time_ms;
    double throughput; /* tokens/s over all ranks */
    double communication_ratio, in_flight_ratio;
    double peak_mb, checkpoint_peak_mb;
    double device_peak_mb;  /* training: arena and libraries */
    double achieved_tflops; /* of a rank */
    double matrix_tflops;   /* of a rank's matrix product: mean over ranks */
    double utilisation;     /* NAN also if training was faster than the product */
};

/*
 * Step time: median over steps of the slowest rank's time. Ratios: median over steps of the largest
 * rank's. Rounds are pooled. STATUS_ENVIRONMENT without memory.
 */
enum status evidence_metrics_of(const struct evidence_source *source,
                                struct evidence_metrics *metrics, struct diag *diag) STATUS_CHECKED;

/* Middle of `count` values, which are sorted by it; of an even number the mean of the middle two;
 * NAN of none. */
double evidence_metrics_median(double *values, size_t count);

/* A phase's largest peak of a rank over all rounds; *round is which (0 if it has none). */
uint64_t evidence_metrics_phase_peak(const struct evidence_source *source, uint64_t rank,
                                     enum schedule_phase phase, size_t *round);
/* A rank's largest peak of init to optimizer. */
uint64_t evidence_metrics_training_peak(const struct evidence_source *source, uint64_t rank);
/* A rank's device over all rounds. */
struct evidence_metrics_device {
    uint64_t arena_bytes;
    uint64_t before_bytes;                    /* in use before; 0: not known */
    uint64_t training_peak_bytes, peak_bytes; /* in use by everybody, at most */
    /* What of the training's peak was this rank's: less what was in use before, where that is
     * known, else at most. 0: it cannot be told, because ranks share the device, or because it is
     * less than the arena, so that somebody else's memory became free meanwhile. */
    uint64_t own_bytes;
};
/* False if it computed on the host itself, or nothing was measured. */
bool evidence_metrics_device_of(const struct evidence_source *source, uint64_t rank,
                                struct evidence_metrics_device *device);
/* True if every rank completed an optimizer step, so that its peaks are those of training. */
bool evidence_metrics_has_peaks(const struct evidence_source *source);

/* Loss of an optimizer step (warm-up included) over the global batch. */
double evidence_metrics_loss(const struct evidence_source *source, size_t round, uint64_t step);
/* The round whose losses are told: that with the most steps, the first of equal ones. */
size_t evidence_metrics_longest_round(const struct evidence_source *source);

#endif
