#ifndef RANKLEDGER_CHECKPOINT_H
#define RANKLEDGER_CHECKPOINT_H

#include "communicator.h"
#include "executor.h"

/*
 * Training state on disk, in safetensors files (the published layout: 8 bytes little-endian length,
 * a JSON header, the data) by model.h's tensor names: parameters `<name>`, `<name>.master` (bf16,
 * not in fsdp), `<name>.moment1`, `<name>.moment2`; metadata: step, seed, sizes, dtype, strategy,
 * world size.
 *
 * full: DIR/checkpoint.safetensors, gathered to rank 0 tensor by tensor. sharded: one file a rank
 * DIR/rank-<r>-of-<N>.safetensors holding the valid part of each tensor that the rank owns (1-D
 * runs) and DIR/index.json, which says for every run the file, the tensor, its first element and
 * its count: any strategy and world size can read it.
 *
 * Written to DIR beside its target (a temporary folder), fsynced, renamed. Buffers come from the
 * arena (category workspace, phases checkpoint_save and checkpoint_restore) and hold at most the
 * largest tensor.
 */
struct checkpoint_place {
    const char *directory; /* of this checkpoint: <checkpoint-dir>/<strategy>-<full|sharded> */
    bool sharded;
    uint64_t seed;
};

struct checkpoint_result {
    uint64_t files, bytes; /* all ranks together; on rank 0 */
    double save_ms, restore_ms;
    bool verified;
};

/* Arena bytes beyond the resident state that saving and restoring need. */
uint64_t checkpoint_buffer_bytes(const struct schedule *schedule, bool sharded);

/* All ranks call. A full disk and the like are STATUS_ENVIRONMENT on every rank. */
enum status checkpoint_save(struct executor *executor, const struct executor_request *context,
                            const struct checkpoint_place *place, struct checkpoint_result *result,
                            struct diag *diag) STATUS_CHECKED;
/* Reads every tensor back, a part at a time, against the live state, bit by bit. */
enum status checkpoint_verify(struct executor *executor, const struct executor_request *context,
                              const struct checkpoint_place *place,
                              struct checkpoint_result *result, struct diag *diag) STATUS_CHECKED;
/* Loads either kind, whatever strategy and world size wrote it; the model's sizes must agree
 * (STATUS_INPUT names what differs). Sets the executor's step count. */
enum status checkpoint_restore(struct executor *executor, const struct executor_request *context,
                               const char *directory, struct diag *diag) STATUS_CHECKED;

/* --dump DIR: initial, gradients, final (safetensors, fp32 or the dtype stored), gathered to rank
 * 0 tensor by tensor, in DIR beside the target, then renamed. */
enum status checkpoint_dump(struct executor *executor, const struct executor_request *context,
                            enum executor_state state, const char *path,
                            struct diag *diag) STATUS_CHECKED;

#endif
