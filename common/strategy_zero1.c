#include "strategy.h"
#include "strategy_bucket.h"

/*
 * Optimizer state is sharded (ZeRO, arXiv:1910.02054, section 5.1): gradients collect whole, the
 * last micro-batch reduce-scatters them; each rank updates its shard and gathers the rest.
 */
void strategy_zero1_step(struct schedule_builder *builder)
{
    const size_t micro_batches = (size_t)builder->schedule->request.gradient_accumulation;
    for (size_t i = 0; i < micro_batches; i++) {
        builder->micro_batch = i;
        strategy_bucket_micro_batch(builder, i + 1 == micro_batches);
    }
    strategy_bucket_update(builder);
}
