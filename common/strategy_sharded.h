#ifndef RANKLEDGER_STRATEGY_SHARDED_H
#define RANKLEDGER_STRATEGY_SHARDED_H

#include "schedule_build.h"

/* What zero3 and fsdp have in common: sharded parameters, gathered for each use, block by block. */

/* The groups; SCHEDULE_NONE: its tensors belong to the root. Block i's is first_block + i. */
struct strategy_sharded {
    size_t root; /* the tied embedding's, whose gradient collects from the head to the embedding */
    size_t wpe;
    size_t ln_f;
    size_t first_block;
    bool root_stays; /* gathered from the embedding's forward to the end of its backward; else
                        released after each use */
};

/*
 * Forward and backward of one micro-batch. Uses of gathered parameters in order: embedding, blocks
 * forward, head (forward and backward), blocks backward. Before a use is computed the gathers of
 * the next `prefetch` uses are posted too, in order; one whose group is still gathered for an
 * earlier use waits for that use's release, so that a group never has two buffers.
 */
void strategy_sharded_micro_batch(struct schedule_builder *builder,
                                  const struct strategy_sharded *groups);

/* The norm, then the update of every group's shard. */
void strategy_sharded_update(struct schedule_builder *builder);

#endif
