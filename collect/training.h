#ifndef RANKLEDGER_TRAINING_H
#define RANKLEDGER_TRAINING_H

#include "schedule.h"

/* The constants of the workload that are not options. */
#define TRAINING_BETA1 0.9f
#define TRAINING_BETA2 0.95f
#define TRAINING_EPSILON 1e-8f
#define TRAINING_WEIGHT_DECAY 0.1f /* 2-D tensors only */
#define TRAINING_CLIP_EPSILON 1e-6 /* scale = min(1, max_norm / (norm + this)) */

/* What is trained and for how long: all that decides the numbers of a run. */
struct training {
    struct schedule_request schedule; /* strategy and workspace_bytes are filled per run */
    uint64_t warmup;                  /* optimizer steps before the measured ones */
    uint64_t repeats;                 /* measured optimizer steps */
    uint64_t seed;
    double learning_rate;
    double max_grad_norm; /* 0: no clipping; the norm is computed all the same */
};

/* Sequences of one optimizer step over all ranks: B G N. */
uint64_t training_global_batch(const struct training *training);

/*
 * Which sequence of the step's global batch (model_data_tokens' `sample`, 0..B G N - 1) is sequence
 * `b` of micro-batch `micro_batch` on rank `rank`: (micro_batch N + rank) B + b. The one place that
 * says so: for one global batch every split over ranks and micro-batches trains on the same
 * sequences.
 */
uint64_t training_sample(const struct training *training, uint64_t rank, uint64_t micro_batch,
                         uint64_t b);

#endif
