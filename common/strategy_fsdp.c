#include "schedule_layout.h"
#include "strategy.h"
#include "strategy_sharded.h"

/*
 * A flat unit a block, and one for what lies outside the blocks, which stays gathered from its
 * forward to the end of its backward (Zhao et al., arXiv:2304.11277, section 3).
 */
enum { GROUP_ROOT, GROUP_FIRST_BLOCK };

static void close_flat(struct schedule *schedule)
{
    schedule_layout_close_unit(schedule, false);
    schedule_layout_close_group(schedule);
}

void strategy_fsdp_lay(struct schedule *schedule)
{
    schedule_layout_module(schedule, MODEL_WTE, 0);
    schedule_layout_module(schedule, MODEL_WPE, 0);
    schedule_layout_module(schedule, MODEL_LN_F, 0);
    close_flat(schedule);
    for (uint64_t block = 0; block < schedule->request.shape.layers; block++) {
        for (int module = MODEL_LN1; module <= MODEL_DOWN; module++)
            schedule_layout_module(schedule, (enum model_module)module, block);
        close_flat(schedule);
    }
}

/* Nothing to gather after the update: the next step's gathers read the shards. */
void strategy_fsdp_step(struct schedule_builder *builder)
{
    const struct strategy_sharded groups = {
        .root = GROUP_ROOT,
        .wpe = SCHEDULE_NONE,
        .ln_f = SCHEDULE_NONE,
        .first_block = GROUP_FIRST_BLOCK,
        .root_stays = true,
    };
    for (size_t i = 0; i < (size_t)builder->schedule->request.gradient_accumulation; i++) {
        builder->micro_batch = i;
        strategy_sharded_micro_batch(builder, &groups);
    }
    strategy_sharded_update(builder);
}
