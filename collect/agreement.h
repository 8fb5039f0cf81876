#ifndef RANKLEDGER_AGREEMENT_H
#define RANKLEDGER_AGREEMENT_H

#include "communicator.h"

/*
 * Ranks that do something each for itself, such as writing files, and then go on or stop together:
 * no rank waits in a collective for one that gave up. All ranks call; nothing is counted. A failing
 * communicator is STATUS_ENVIRONMENT on the ranks that notice. Whose failure it was stays in the
 * communicator (failed_rank).
 */

/* `mine`: how it went here, with `diag` set if it went wrong. If it did on any rank, all return the
 * status of the lowest such rank, and those without an error of their own its message. */
enum status agreement_status(struct communicator *communicator, enum status mine,
                             struct diag *diag) STATUS_CHECKED;

/* The same where rank `root` alone can have failed: `mine` counts there only. */
enum status agreement_root(struct communicator *communicator, int root, enum status mine,
                           struct diag *diag) STATUS_CHECKED;

/* *value becomes the largest of all ranks' values. */
enum status agreement_largest(struct communicator *communicator, double *value,
                              struct diag *diag) STATUS_CHECKED;
/* *value becomes the sum of all ranks' values. */
enum status agreement_sum(struct communicator *communicator, uint64_t *value,
                          struct diag *diag) STATUS_CHECKED;

#endif
