#ifndef RANKLEDGER_CHECKPOINT_SOURCE_H
#define RANKLEDGER_CHECKPOINT_SOURCE_H

#include "checkpoint_index.h"
#include "checkpoint_work.h"
#include "safetensors.h"

/* A checkpoint of either kind, open for reading. A zeroed one is safe to close. */
#define CHECKPOINT_FULL_NAME "checkpoint.safetensors"

struct checkpoint_source {
    struct checkpoint_facts_meaning meaning;
    struct checkpoint_index index; /* of a full one: one file, and a run a tensor */
    struct safetensors_reader *files;
    size_t file_count; /* opened */
    struct model_shape shape;
    struct arena arena;
};

/*
 * Opens the checkpoint in `directory` and all its files, and checks that they hold, for a model of
 * `own`'s sizes and `shape`, every tensor of every state whole, in the dtype that they should have.
 * STATUS_INPUT names the file and what is wrong. After a failure there is nothing to close.
 */
enum status checkpoint_source_open(struct checkpoint_source *source, const char *directory,
                                   const struct checkpoint_facts *own,
                                   const struct model_shape *shape,
                                   struct diag *diag) STATUS_CHECKED;
/* Bytes of a state's elements as the checkpoint stores them; 0 if it has no such state. */
uint64_t checkpoint_source_bytes(const struct checkpoint_source *source, enum executor_state state);
/* Reads a run of a tensor (its `offset` is ignored) as it is stored. */
enum status checkpoint_source_read(const struct checkpoint_source *source,
                                   enum executor_state state, const struct shard_run *run,
                                   void *data, struct diag *diag) STATUS_CHECKED;
void checkpoint_source_close(struct checkpoint_source *source);

#endif
