#ifndef RANKLEDGER_CHECKPOINT_WORK_H
#define RANKLEDGER_CHECKPOINT_WORK_H

#include "checkpoint.h"
#include "shard.h"

/*
 * What saving, verifying, restoring and dumping share: the staging buffer, through which the
 * state's parts pass between device, files and ranks.
 */
struct checkpoint_work {
    struct executor *executor;
    const struct executor_request *context;
    const struct checkpoint_place *place;
    struct shard_map map;
    enum schedule_phase phase_before;
    bool in_arena;           /* the staging buffer is there, at staging_offset; */
    uint64_t staging_offset; /* where device memory is not the host's, it is from the heap */
    unsigned char *staging;  /* the host's memory; NULL: none is taken */
    uint64_t staging_bytes;
    uint64_t begin_ns;
};

/* The states that a checkpoint may hold, in the files' order, and what a tensor's name has behind
 * it there: "", ".master", ... (gradients: NULL). */
#define CHECKPOINT_STATE_COUNT 4
extern const enum executor_state checkpoint_work_states[CHECKPOINT_STATE_COUNT];
const char *checkpoint_work_suffix(enum executor_state state);
#define CHECKPOINT_NAME_SIZE (MODEL_TENSOR_NAME_SIZE + 16)

/* Takes the staging buffer in `phase`. `place` may be NULL. After a failure, too, end it. */
enum status checkpoint_work_begin(struct checkpoint_work *work, enum schedule_phase phase,
                                  struct diag *diag) STATUS_CHECKED;
void checkpoint_work_end(struct checkpoint_work *work);
/* A sign of life. */
void checkpoint_work_advance(const struct checkpoint_work *work);
/* Milliseconds since begin. */
double checkpoint_work_ms(const struct checkpoint_work *work);

/* Copies elements [first, first + count) of this rank's part of a unit to `host`, and waits. */
struct checkpoint_stretch {
    enum executor_state state;
    size_t unit;
    uint64_t first, count; /* elements of the rank's part of the unit */
};
enum status checkpoint_work_fetch(const struct checkpoint_work *work,
                                  const struct checkpoint_stretch *stretch, void *host,
                                  struct diag *diag) STATUS_CHECKED;

/* Called on rank 0 with elements [first, first + count) of unit `unit`, counted from its start, in
 * host memory. */
struct checkpoint_receiver {
    enum status (*receive)(void *context, const struct checkpoint_stretch *stretch,
                           const void *data, struct diag *diag);
    void *context;
    uint64_t extra_bytes; /* of the staging buffer's end left to it, for each element */
};
/*
 * Gathers a state whole to rank 0, unit by unit, in stretches that fit the staging buffer. All
 * ranks call. An error of the receiver ends it on all ranks.
 */
enum status checkpoint_work_gather(const struct checkpoint_work *work, enum executor_state state,
                                   const struct checkpoint_receiver *receiver,
                                   struct diag *diag) STATUS_CHECKED;

#endif
