#ifndef RANKLEDGER_SCHEDULE_LAYOUT_H
#define RANKLEDGER_SCHEDULE_LAYOUT_H

#include "schedule.h"

/*
 * Where a strategy's tensors lie: used by schedule.c and the strategies' files only. Tensors are
 * added to an open unit, units to an open group, in the order of their storage; the arrays are as
 * large as can be needed before the first is added, so adding cannot fail.
 */

/* Room for the places, units, groups of a schedule whose request is set. */
enum status schedule_layout_init(struct schedule *schedule, struct arena *arena,
                                 struct diag *diag) STATUS_CHECKED;

/* Adds a tensor (model.h's index) to the unit that is open. */
void schedule_layout_tensor(struct schedule *schedule, size_t tensor);
/* Adds a module's weight and its bias. */
void schedule_layout_module(struct schedule *schedule, enum model_module module, uint64_t block);
/* Ends the open unit: pads it and places it behind those before it. */
void schedule_layout_close_unit(struct schedule *schedule, bool persistent);
/* Ends the open group, which has at least one closed unit. */
void schedule_layout_close_group(struct schedule *schedule);

/*
 * The units of ddp, zero1, zero2: buckets in the order in which the backward completes their
 * gradients (final norm, last block's down, ..., first block's ln1, position embedding), weight
 * before bias, each a group; the tied embedding alone, last. A module is never divided; a bucket
 * closes once its unpadded bytes reach the limit, so borders do not depend on the world size.
 */
void schedule_layout_buckets(struct schedule *schedule);

/*
 * Lists the buffers: residents (parameters, persistent, gradients, master, moment1, moment2,
 * workspace; those the strategy has), then the stages' streams and saved activations, then the
 * groups' gathered and reduced ones. `gathers`, `reduces`: whether groups have such buffers.
 */
enum status schedule_layout_buffers(struct schedule *schedule, struct arena *arena,
                                    struct diag *diag) STATUS_CHECKED;

/* The modules of a stage (0 embedding, 1..L blocks, L+1 head) in backward order. */
struct schedule_layout_modules {
    const enum model_module *modules;
    size_t count;
};
struct schedule_layout_modules schedule_layout_modules_of(const struct schedule *schedule,
                                                          size_t stage);

#endif
