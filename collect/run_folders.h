#ifndef RANKLEDGER_RUN_FOLDERS_H
#define RANKLEDGER_RUN_FOLDERS_H

#include <sys/types.h>

#include "run_config.h"

/*
 * The folders that a run makes beside its evidence: checkpoints, <checkpoint
 * folder>/<strategy>-full and <strategy>-sharded, and the dump, --dump's DIR itself, or
 * DIR/<strategy> where several strategies run. STATUS_USAGE if that is too long a name.
 */
#define RUN_FOLDERS_PATH_SIZE 4096

enum status run_folders_checkpoint(const struct run_config *config, enum strategy strategy,
                                   bool sharded, char path[RUN_FOLDERS_PATH_SIZE],
                                   struct diag *diag) STATUS_CHECKED;
enum status run_folders_dump(const struct run_config *config, enum strategy strategy,
                             char path[RUN_FOLDERS_PATH_SIZE], struct diag *diag) STATUS_CHECKED;

/* What stands in the way of the folders that were asked for, one fault each: before any rank
 * starts. */
void run_folders_check(const struct run_config *config, struct run_faults *faults);
/* After a run of a strategy that did not end by itself: removes what its rank 0, process `pid`, was
 * writing. */
void run_folders_discard(const struct run_config *config, enum strategy strategy, pid_t pid);

#endif
