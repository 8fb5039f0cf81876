#ifndef RANKLEDGER_STRATEGY_H
#define RANKLEDGER_STRATEGY_H

#include "schedule_build.h"

/*
 * How each strategy builds the schedule of one optimizer step. `lay` places the tensors in units
 * and groups; `step` appends the actions.
 */
void strategy_ddp_step(struct schedule_builder *builder);
void strategy_zero1_step(struct schedule_builder *builder);
void strategy_zero2_step(struct schedule_builder *builder);
void strategy_zero3_lay(struct schedule *schedule);
void strategy_zero3_step(struct schedule_builder *builder);
void strategy_fsdp_lay(struct schedule *schedule);
void strategy_fsdp_step(struct schedule_builder *builder);

#endif
