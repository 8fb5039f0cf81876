#ifndef RANKLEDGER_STRATEGY_BUCKET_H
#define RANKLEDGER_STRATEGY_BUCKET_H

#include "schedule_build.h"

/* What ddp, zero1 and zero2 have in common: whole parameters, gradients reduced in buckets. */

/* Forward and backward of one micro-batch. With `reduces`, each bucket is reduced once it is
 * complete, and all reductions are waited for at the end. */
void strategy_bucket_micro_batch(struct schedule_builder *builder, bool reduces);

/* zero1, zero2: the norm; then bucket by bucket the update of the shard and the gather of the
 * parameters, which overlaps with the next updates. */
void strategy_bucket_update(struct schedule_builder *builder);

#endif
