#include "schedule_layout.h"
#include "strategy.h"
#include "strategy_sharded.h"

/*
 * Parameters are sharded too, tensor by tensor (ZeRO, arXiv:1910.02054, section 5.3). Small ones
 * persist: every rank keeps their values, as DeepSpeed's stage 3 does
 * (stage3_param_persistence_threshold).
 */
enum { GROUP_WTE, GROUP_WPE, GROUP_FIRST_BLOCK };

static void lay_tensors(struct schedule *schedule, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        struct model_tensor tensor = model_tensor(&schedule->request.shape, i);
        bool persists =
            tensor.columns == 0 || tensor.elements <= schedule->request.persistence_threshold;
        schedule_layout_tensor(schedule, i);
        schedule_layout_close_unit(schedule, persists);
    }
    schedule_layout_close_group(schedule);
}

void strategy_zero3_lay(struct schedule *schedule)
{
    const struct model_shape *shape = &schedule->request.shape;
    lay_tensors(schedule, model_tensor_index(shape, MODEL_WTE, 0, false), 1);
    lay_tensors(schedule, model_tensor_index(shape, MODEL_WPE, 0, false), 1);
    for (uint64_t block = 0; block < shape->layers; block++)
        lay_tensors(schedule, model_tensor_index(shape, MODEL_LN1, block, false),
                    MODEL_TENSORS_PER_BLOCK);
    lay_tensors(schedule, model_tensor_index(shape, MODEL_LN_F, 0, false), 2);
}

/* Persistent values are made whole again by one call after the update. */
void strategy_zero3_step(struct schedule_builder *builder)
{
    const struct schedule *schedule = builder->schedule;
    const struct strategy_sharded groups = {
        .root = GROUP_WTE,
        .wpe = GROUP_WPE,
        .ln_f = schedule->group_count - 1,
        .first_block = GROUP_FIRST_BLOCK,
    };
    for (size_t i = 0; i < (size_t)schedule->request.gradient_accumulation; i++) {
        builder->micro_batch = i;
        strategy_sharded_micro_batch(builder, &groups);
    }
    strategy_sharded_update(builder);
    if (schedule->persistent_elements > 0)
        schedule_build_sync(builder, SCHEDULE_NONE);
}
