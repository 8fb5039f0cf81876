#ifndef RANKLEDGER_COMMUNICATOR_COUNT_H
#define RANKLEDGER_COMMUNICATOR_COUNT_H

#include "communicator.h"

/*
 * A communicator of any world size that moves nothing and completes everything at once, but counts
 * as every other does: what a rank of that world would call, without ranks. Segments may be NULL,
 * and values of a sum stay this rank's own. With world size 1 its collectives are right: a gather
 * copies the shard. Heap.
 */
enum status communicator_count_create(uint64_t rank, uint64_t world_size, enum model_dtype wire,
                                      size_t ticket_count, struct communicator **communicator,
                                      struct diag *diag) STATUS_CHECKED;

#endif
