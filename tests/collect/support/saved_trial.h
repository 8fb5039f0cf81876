#ifndef SAVED_TRIAL_H
#define SAVED_TRIAL_H

#include "checkpoint.h"
#include "trial.h"

/* Trials that are saved and restored, for the tests of checkpoints. Failures end every rank
 * (mpi_expect). */

#define SAVED_TRIAL_PATH 256

/* A new folder in memory (/dev/shm, or else /tmp: hundreds of fsyncs take seconds on a disk), the
 * same on all ranks of the program. */
void saved_trial_make_folder(char folder[SAVED_TRIAL_PATH], uint64_t rank);

/* A trial of these sizes whose arena has room for checkpoints; `alone`: of this process only. */
struct trial *saved_trial_create(const struct training *training, bool alone);
/* As trial_create, with the context that checkpoints ask for. */
const struct executor_request *saved_trial_context(const struct trial *trial);

/* Steps; the loss of this rank's tokens and the norm of the last of them. */
struct saved_trial_outcome {
    double loss_sum, grad_norm;
};
struct saved_trial_outcome saved_trial_run(struct trial *trial, unsigned steps);

/* The state of all ranks as fp32, on rank 0: the fp32 weights (master or parameters), the
 * parameters as stored, both moments. */
#define SAVED_TRIAL_STATES 4
struct saved_trial_state {
    float *values[SAVED_TRIAL_STATES];
    uint64_t count; /* of each */
    uint64_t steps;
};
void saved_trial_collect(struct trial *trial, struct saved_trial_state *state);
void saved_trial_fini(struct saved_trial_state *state);
/* True if they are the same, bit by bit; the stored parameters count only where both are stored in
 * one dtype (`typed`). */
bool saved_trial_same(const struct saved_trial_state *a, const struct saved_trial_state *b,
                      bool typed);

/* True if the stored parameters are the fp32 weights, rounded to the nearest bf16 where they are
 * bf16, as the optimizer leaves them. */
bool saved_trial_rounded(const struct saved_trial_state *state, bool is_bf16);

struct saved_trial_place {
    const char *folder;
    bool sharded;
};
/* Save and verify; restore. Each must succeed. */
struct checkpoint_result saved_trial_save(struct trial *trial,
                                          const struct saved_trial_place *place);
void saved_trial_restore(struct trial *trial, const char *folder);
/* Removes a checkpoint's files and folder; nothing else may be in it. One process calls. */
void saved_trial_remove(const char *folder);

#endif
