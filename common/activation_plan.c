#include "activation_plan.h"

#define ALIGNMENT UINT64_C(64)

/* Places one tensor behind those before it. */
static void place(struct activation_plan *plan, uint64_t *end, enum activation_tensor tensor,
                  uint64_t bytes)
{
    plan->offset[tensor] = *end;
    *end += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

struct activation_plan activation_plan_of(const struct model_shape *shape, enum model_dtype dtype)
{
    const uint64_t statistic = sizeof(float);
    const uint64_t rows = shape->micro_batch * shape->seq_len;
    const uint64_t stream = rows * shape->width * model_dtype_bytes(dtype);
    struct activation_plan plan = {0};
    uint64_t *end = &plan.block_bytes;
    place(&plan, end, ACTIVATION_LN1_STATS, 2 * rows * statistic);
    place(&plan, end, ACTIVATION_LN1, stream);
    place(&plan, end, ACTIVATION_QKV, 3 * stream);
    place(&plan, end, ACTIVATION_ATTENTION_STATS, rows * shape->heads * statistic);
    place(&plan, end, ACTIVATION_ATTENTION, stream);
    place(&plan, end, ACTIVATION_MIDDLE, stream);
    place(&plan, end, ACTIVATION_LN2_STATS, 2 * rows * statistic);
    place(&plan, end, ACTIVATION_LN2, stream);
    place(&plan, end, ACTIVATION_UP, 4 * stream);
    place(&plan, end, ACTIVATION_GELU, 4 * stream);
    end = &plan.head_bytes;
    place(&plan, end, ACTIVATION_LN_F_STATS, 2 * rows * statistic);
    place(&plan, end, ACTIVATION_LN_F, stream);
    place(&plan, end, ACTIVATION_LOGITS, rows * shape->vocab * model_dtype_bytes(dtype));
    place(&plan, end, ACTIVATION_LOSSES, rows * statistic);
    plan.stream_bytes = stream;
    return plan;
}
