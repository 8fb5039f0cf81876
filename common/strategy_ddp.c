#include "strategy.h"
#include "strategy_bucket.h"

/*
 * Everything is replicated. Gradients collect locally; the last micro-batch's backward all-reduces
 * each bucket as soon as it is complete (Li et al., arXiv:2006.15704, section 3.2).
 */
void strategy_ddp_step(struct schedule_builder *builder)
{
    const size_t micro_batches = (size_t)builder->schedule->request.gradient_accumulation;
    for (size_t i = 0; i < micro_batches; i++) {
        builder->micro_batch = i;
        strategy_bucket_micro_batch(builder, i + 1 == micro_batches);
    }
    builder->phase = SCHEDULE_PHASE_OPTIMIZER;
    schedule_build_norm(builder);
    for (size_t group = 0; group < builder->schedule->group_count; group++)
        schedule_build_update(builder, group);
}
