#ifndef RANKLEDGER_CHECKPOINT_H
#define RANKLEDGER_CHECKPOINT_H

#include "communicator.h"
#include "executor.h"

/*
 * Training state on disk, in safetensors files (safetensors.h) by model.h's tensor names:
 * parameters `<name>` as stored (fsdp: fp32), `<name>.master` (bf16, not in fsdp),
 * `<name>.moment1`, `<name>.moment2`; as metadata the step (the position in the data too), the
 * seed, the sizes, dtype, strategy and world size (checkpoint_facts.h).
 *
 * full: DIR/checkpoint.safetensors, gathered to rank 0 part by part. sharded: one file a rank,
 * DIR/rank-<r>-of-<N>.safetensors, holding the run of each tensor that the rank owns as a 1-D
 * tensor (of what is replicated, as all of ddp, the part that a sharding would give it), and
 * DIR/index.json, which says for each tensor which elements are in which file. Either restores into
 * any strategy and world size.
 *
 * All ranks call together and see the same folder (on several hosts: a shared file system). It is
 * written beside its target, its files and itself are fsynced, then it is renamed
 * (output_folder.h). What goes wrong on one rank is an error on all of them, which names the rank;
 * no rank waits for one that gave up, and the temporary folder is removed.
 *
 * Buffers come from the arena (category workspace, phases checkpoint_save and checkpoint_restore):
 * on every rank checkpoint_buffer_bytes for as long as the call takes, which is at most the largest
 * tensor (a toy model aside, see there). The arena must be memory that the host can address.
 */
struct checkpoint_place {
    const char *directory; /* of this checkpoint */
    bool sharded;          /* for saving and verifying; a restore finds out */
    bool force;            /* saving replaces an existing checkpoint */
    /* The fault `disk_full`: this rank's file meets a full disk half-way. Of no effect on a rank
     * that writes none (in a full checkpoint all but rank 0). */
    bool inject_disk_full;
    /* Called now and then while it goes on, as a sign of life; may be NULL. */
    void (*progress)(void *context);
    void *progress_context;
};

struct checkpoint_result {      /* the same on all ranks */
    uint64_t files, bytes;      /* of all ranks together, index included */
    double save_ms, restore_ms; /* the slowest rank's */
    bool verified;
};

/* Arena bytes beside the resident state that saving, verifying, restoring and dumping need: the
 * largest tensor in fp32, at most 8 MiB; of a toy model at least 64 bytes a rank and another 64.
 */
uint64_t checkpoint_buffer_bytes(const struct schedule *schedule);

/* STATUS_ENVIRONMENT: a full disk and the like; STATUS_USAGE: the folder exists and may not be
 * replaced. Fills files, bytes and save_ms. */
enum status checkpoint_save(struct executor *executor, const struct executor_request *context,
                            const struct checkpoint_place *place, struct checkpoint_result *result,
                            struct diag *diag) STATUS_CHECKED;
/* Reads every tensor back, from the disk where the system lets go of what it has cached, against
 * the live state, bit by bit. Fills restore_ms and verified; a difference is STATUS_ENVIRONMENT
 * and names the tensor. */
enum status checkpoint_verify(struct executor *executor, const struct executor_request *context,
                              const struct checkpoint_place *place,
                              struct checkpoint_result *result, struct diag *diag) STATUS_CHECKED;
/* Loads either kind, whatever strategy and world size wrote it, and sets the executor's steps;
 * fills restore_ms. Sizes, dtype and seed must be this run's (STATUS_INPUT names what differs, or
 * the file at fault). A master takes the place of fsdp's fp32 parameters and the other way round.
 */
enum status checkpoint_restore(struct executor *executor, const struct executor_request *context,
                               const struct checkpoint_place *place,
                               struct checkpoint_result *result, struct diag *diag) STATUS_CHECKED;

/* True for names of files that a checkpoint consists of (for output_folder_check). */
bool checkpoint_is_file(const char *name);

#endif
