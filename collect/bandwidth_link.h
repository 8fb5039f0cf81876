#ifndef RANKLEDGER_BANDWIDTH_LINK_H
#define RANKLEDGER_BANDWIDTH_LINK_H

#include "backend.h"
#include "cmd_bandwidth.h"

/*
 * What the collectives of `bandwidth` run on in one rank: the communicator that training with the
 * same backend has, and memory of the backend's.
 */
struct bandwidth_link {
    struct communicator *communicator;
    struct backend *backend; /* NULL: the memory is the host's, and MPI moves it */
    void *memory;            /* CMD_BANDWIDTH_LARGEST bytes, zero */
};

/* Whether `world_size` ranks of this host can use the command's backend; STATUS_ENVIRONMENT with
 * what is missing. */
enum status bandwidth_link_check(const struct cmd_bandwidth *command, uint64_t world_size,
                                 struct diag *diag) STATUS_CHECKED;

/* After MPI was started; all ranks call. `local_rank`: of this host. Writes into the record what
 * moves the bytes (moved_by, algorithm). A failure leaves *link to be closed all the same. */
enum status bandwidth_link_open(const struct cmd_bandwidth *command, uint64_t local_rank,
                                struct rank_record *record, struct bandwidth_link *link,
                                struct diag *diag) STATUS_CHECKED;
void bandwidth_link_close(struct bandwidth_link *link);

#endif
