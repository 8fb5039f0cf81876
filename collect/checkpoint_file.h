#ifndef RANKLEDGER_CHECKPOINT_FILE_H
#define RANKLEDGER_CHECKPOINT_FILE_H

#include "checkpoint_facts.h"
#include "checkpoint_work.h"
#include "safetensors.h"

/*
 * One file being written: for each of some states, either every tensor whole or this rank's run of
 * every tensor. A checkpoint's tensors stand in the order in which the schedule's units hold them,
 * so that it is written and read from front to back (measured: three times the speed, because the
 * system then reads ahead in large pieces); a dump's in the model's order.
 */
struct checkpoint_content {
    const enum executor_state *states; /* those without memory are left out */
    size_t state_count;
    bool whole;   /* tensors in their shapes; else this rank's runs, 1-D */
    bool widened; /* a dump: all F32, and names without what the states put behind them */
    const struct checkpoint_facts *facts;
};

struct checkpoint_file {
    const struct checkpoint_work *work;
    const struct checkpoint_content *content;
    struct safetensors_tensor *tensors;
    size_t tensor_count;
    size_t *index; /* [EXECUTOR_STATE_COUNT][tensors]: into tensors, SIZE_MAX if it is not there */
    char (*names)[CHECKPOINT_NAME_SIZE];
    struct safetensors_writer writer;
    uint64_t bytes; /* of the whole file */
};

/* Creates the file. `work` and `content` are borrowed until it is finished or abandoned. After a
 * failure there is nothing to abandon. */
enum status checkpoint_file_create(struct checkpoint_file *file, const struct checkpoint_work *work,
                                   const struct checkpoint_content *content, const char *path,
                                   struct diag *diag) STATUS_CHECKED;
/* Writes what tensors have in elements [first, first + count) of a unit, counted from its start,
 * from `data`: elements as wide as the file stores them. */
enum status checkpoint_file_write(struct checkpoint_file *file,
                                  const struct checkpoint_stretch *stretch, const void *data,
                                  struct diag *diag) STATUS_CHECKED;
enum status checkpoint_file_finish(struct checkpoint_file *file, struct diag *diag) STATUS_CHECKED;
/* A zeroed and a finished file are allowed. */
void checkpoint_file_abandon(struct checkpoint_file *file);

#endif
