#include "strategy.h"
#include "strategy_bucket.h"

/*
 * Gradients are sharded too (ZeRO, arXiv:1910.02054, section 5.2): only shards are kept from one
 * micro-batch to the next, so every micro-batch reduces, through at most two whole buckets besides
 * the tied embedding's.
 */
void strategy_zero2_step(struct schedule_builder *builder)
{
    const size_t micro_batches = (size_t)builder->schedule->request.gradient_accumulation;
    for (size_t i = 0; i < micro_batches; i++) {
        builder->micro_batch = i;
        strategy_bucket_micro_batch(builder, true);
    }
    strategy_bucket_update(builder);
}
