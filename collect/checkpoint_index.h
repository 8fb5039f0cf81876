#ifndef RANKLEDGER_CHECKPOINT_INDEX_H
#define RANKLEDGER_CHECKPOINT_INDEX_H

#include "arena.h"
#include "checkpoint_facts.h"
#include "input.h"

/*
 * index.json of a sharded checkpoint: "metadata", the texts of checkpoint_facts.h; "files", their
 * names; "tensors", for each the runs that it consists of, in order: {"file": which of the files,
 * "first": element, "count": elements}. In the file the run is the tensor of that name, 1-D, for
 * each state.
 */
#define CHECKPOINT_INDEX_NAME "index.json"

/* The name of a rank's file. */
#define CHECKPOINT_INDEX_FILE_SIZE 64
void checkpoint_index_file(uint64_t rank, uint64_t world_size,
                           char name[CHECKPOINT_INDEX_FILE_SIZE]);

/* Writes the index for all ranks into `folder` and onto the disk; *bytes: its size. */
enum status checkpoint_index_write(const struct schedule *schedule,
                                   const struct checkpoint_facts *facts, const char *folder,
                                   uint64_t *bytes, struct diag *diag) STATUS_CHECKED;

/* Elements [first, first + count) of a tensor, and which file has them. */
struct checkpoint_index_run {
    size_t file;
    uint64_t first, count;
};

struct checkpoint_index {
    struct checkpoint_facts facts;
    size_t file_count;
    char (*files)[CHECKPOINT_INDEX_FILE_SIZE];
    struct checkpoint_index_run *runs; /* of tensor 0 in order, of tensor 1, ... */
    size_t *begin;                     /* [tensors + 1]: where a tensor's runs begin */
};

/*
 * Reads an index for a model of that shape, in `arena`. Afterwards every tensor's runs cover it
 * without gap or overlap. STATUS_INPUT names the path and what is wrong. `own`: the facts of the
 * run, which must agree.
 */
struct checkpoint_index_request {
    const char *path;
    const struct model_shape *shape;
    const struct checkpoint_facts *own;
    struct arena *arena;
};
enum status checkpoint_index_read(const struct checkpoint_index_request *request,
                                  struct checkpoint_index *index,
                                  struct checkpoint_facts_meaning *meaning,
                                  struct diag *diag) STATUS_CHECKED;

#endif
