#ifndef RANKLEDGER_SCHEDULE_BUILD_H
#define RANKLEDGER_SCHEDULE_BUILD_H

#include "schedule.h"

/* Whole gradients of blocks (buckets) alive at once: one filled, one on its way. */
#define SCHEDULE_BUILD_OPEN 2

/*
 * The list of actions while it grows: used by schedule.c and the strategies' files only. A list is
 * built twice, first with `actions` NULL, which only counts, so that it is taken from the arena
 * once, at its size.
 */
struct schedule_builder {
    struct schedule *schedule;
    struct schedule_action *actions; /* NULL: only count */
    struct schedule_action uncounted;
    size_t action_count, ticket_count;
    enum schedule_phase phase;
    size_t micro_batch;
    /* Per group, SCHEDULE_NONE where there is none. */
    size_t *gathered_buffer, *reduced_buffer;
    size_t *gather_ticket; /* posted and not waited for */
    size_t *reduce_ticket; /* likewise */
    bool *gathered_live;
    /* Whole gradients that are alive in buffers besides the root's, oldest first. */
    size_t open[SCHEDULE_BUILD_OPEN];
    size_t open_count;
    size_t first_stream, first_saved; /* buffers: of stage 0, of stage 1 */
};

enum status schedule_build_init(struct schedule_builder *builder, struct schedule *schedule,
                                struct arena *arena, struct diag *diag) STATUS_CHECKED;
/* Starts the list anew, writing to `actions`. */
void schedule_build_restart(struct schedule_builder *builder, struct schedule_action *actions);

/* --- computing --- */

/* Takes the stage's buffers and runs it forward; with checkpointing a block's activations are
 * released again. */
void schedule_build_forward(struct schedule_builder *builder, size_t stage);
/* Before a stage's backward: with checkpointing, a block's forward once more. */
void schedule_build_recompute(struct schedule_builder *builder, size_t stage);
void schedule_build_backward(struct schedule_builder *builder, size_t stage,
                             enum model_module module);
/* After a stage's backward: releases its activations and the stream that it read. */
void schedule_build_forget(struct schedule_builder *builder, size_t stage);
void schedule_build_norm(struct schedule_builder *builder);
void schedule_build_update(struct schedule_builder *builder, size_t group);

/* --- parameters --- */

/* Takes the group's buffer and posts its gather; nothing if it has nothing to gather. */
void schedule_build_gather(struct schedule_builder *builder, size_t group);
/* Waits for the group's gather, if one is posted. */
void schedule_build_gathered(struct schedule_builder *builder, size_t group);
void schedule_build_free_gathered(struct schedule_builder *builder, size_t group);
/* Posts the gather of updated parameters: in place of a group's, or (SCHEDULE_NONE) of all
 * persistent ones. */
void schedule_build_sync(struct schedule_builder *builder, size_t group);

/* --- gradients --- */

/* Takes the buffer of a group's whole gradient; if two are alive already, the older is finished
 * first. The root's does not count: take it with schedule_build_open_root. */
void schedule_build_open(struct schedule_builder *builder, size_t group);
void schedule_build_open_root(struct schedule_builder *builder, size_t group);
/* Posts the reduction of a group's gradient, in its buffer or in the whole gradients. */
void schedule_build_reduce(struct schedule_builder *builder, size_t group);
/* Waits for the group's reduction; of one in a buffer, adds the shard and releases the buffer. */
void schedule_build_reduced(struct schedule_builder *builder, size_t group);
/* Does so for all that are alive besides the root's, oldest first. */
void schedule_build_drain(struct schedule_builder *builder);

#endif
