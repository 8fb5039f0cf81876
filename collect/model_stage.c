#include "model_stage.h"

#include "model_stage_part.h"

#define ALIGNMENT UINT64_C(64)

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static uint64_t stream_bytes(const struct model_shape *shape, enum model_dtype dtype)
{
    return shape->micro_batch * shape->seq_len * shape->width * model_dtype_bytes(dtype);
}

uint64_t model_stage_workspace_bytes(const struct model_shape *shape, enum model_dtype dtype)
{
    const uint64_t stream = stream_bytes(shape, dtype);
    return 2 * aligned(stream) + aligned(4 * stream);
}

void *model_stage_part_gradient(const struct model_stage_part *part,
                                enum model_stage_gradient gradient)
{
    const struct model_stage *stage = part->stage;
    return stage->workspace +
           (uint64_t)gradient * aligned(stream_bytes(&stage->shape, stage->dtype));
}

void model_stage_add_losses(struct model_stage *stage, double *sum)
{
    const struct model_stage_part head = {
        .stage = stage,
        .operations = stage->backend->operations,
        .index = (size_t)stage->shape.layers + 1,
    };
    head.operations->loss_sum(stage->backend, sum,
                              model_stage_part_saved(&head, ACTIVATION_LOSSES));
}

/* Outside the blocks there is no block's number: model_tensor_index does not look at it. */
static size_t tensor_of(const struct model_stage_part *part, enum model_module module, bool is_bias)
{
    return model_tensor_index(&part->stage->shape, module, part->index - 1, is_bias);
}

const void *model_stage_part_weight(const struct model_stage_part *part, enum model_module module)
{
    return part->stage->parameters[tensor_of(part, module, false)];
}

const void *model_stage_part_bias(const struct model_stage_part *part, enum model_module module)
{
    return part->stage->parameters[tensor_of(part, module, true)];
}

void *model_stage_part_dweight(const struct model_stage_part *part, enum model_module module)
{
    return part->stage->gradients[tensor_of(part, module, false)];
}

void *model_stage_part_dbias(const struct model_stage_part *part, enum model_module module)
{
    return part->stage->gradients[tensor_of(part, module, true)];
}

void *model_stage_part_saved(const struct model_stage_part *part, enum activation_tensor tensor)
{
    unsigned char *saved = part->stage->saved[part->index];
    return saved + part->stage->plan.offset[tensor];
}

enum status model_stage_part_run(const struct model_stage_part *part,
                                 const struct model_stage_step *steps,
                                 const struct model_stage_between *between, struct diag *diag)
{
    for (; steps->run != NULL; steps++) {
        steps->run(part);
        if (between == NULL || between->call == NULL)
            continue;
        enum status status = between->call(between->context, diag);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}
