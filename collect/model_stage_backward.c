#include "model_stage.h"

#include "model_stage_part.h"

/*
 * The chain from the loss back. The stream's gradient is that of what leaves the stage in work, and
 * each branch adds its own: a block turns d(stream out) = d(middle) so far into d(middle), then
 * into d(stream in), in place.
 */

/* dweight, dbias of a linear layer from the gradient of its output and its input. */
static void weight_gradient(const struct model_stage_part *part, enum model_module module,
                            enum model_stage_gradient dout, enum activation_tensor x)
{
    const size_t index = model_tensor_index(&part->stage->shape, module, part->index - 1, false);
    const struct model_tensor weight = model_tensor(&part->stage->shape, index);
    part->operations->linear_backward_weight(
        part->stage->backend, model_stage_part_dweight(part, module),
        model_stage_part_dbias(part, module), model_stage_part_gradient(part, dout),
        model_stage_part_saved(part, x), weight.columns, weight.rows, part->accumulate);
}

/* The gradient of a linear layer's input; through GELU if its input is `gelu_input`. */
static void input_gradient(const struct model_stage_part *part, enum model_module module,
                           enum model_stage_gradient dx, enum model_stage_gradient dout,
                           const void *gelu_input)
{
    const size_t index = model_tensor_index(&part->stage->shape, module, part->index - 1, false);
    const struct model_tensor weight = model_tensor(&part->stage->shape, index);
    part->operations->linear_backward_input(
        part->stage->backend, model_stage_part_gradient(part, dx),
        model_stage_part_gradient(part, dout), model_stage_part_weight(part, module), gelu_input,
        weight.columns, weight.rows);
}

/* Adds the branch's gradient, through the norm of `x`, to the stream's; the head's is the first. */
static void norm_gradient(const struct model_stage_part *part, enum model_module module,
                          const void *x, enum activation_tensor stats)
{
    part->operations->layer_norm_backward(
        part->stage->backend, model_stage_part_gradient(part, MODEL_STAGE_STREAM),
        model_stage_part_dweight(part, module), model_stage_part_dbias(part, module),
        model_stage_part_gradient(part, MODEL_STAGE_BRANCH), x, model_stage_part_saved(part, stats),
        model_stage_part_weight(part, module), part->accumulate, module == MODEL_LN_F);
}

/* --- the head; the logits have become their own gradient --- */

static void wte_weight(const struct model_stage_part *part)
{
    const struct model_shape *shape = &part->stage->shape;
    part->operations->linear_backward_weight(part->stage->backend,
                                             model_stage_part_dweight(part, MODEL_WTE), NULL,
                                             model_stage_part_saved(part, ACTIVATION_LOGITS),
                                             model_stage_part_saved(part, ACTIVATION_LN_F),
                                             shape->width, shape->vocab, part->accumulate);
}

static void wte_input(const struct model_stage_part *part)
{
    const struct model_shape *shape = &part->stage->shape;
    part->operations->linear_backward_input(
        part->stage->backend, model_stage_part_gradient(part, MODEL_STAGE_BRANCH),
        model_stage_part_saved(part, ACTIVATION_LOGITS), model_stage_part_weight(part, MODEL_WTE),
        NULL, shape->width, shape->vocab);
}

static void final_norm(const struct model_stage_part *part)
{
    norm_gradient(part, MODEL_LN_F, part->stage->streams[part->index - 1], ACTIVATION_LN_F_STATS);
}

/* --- a block --- */

static void down_weight(const struct model_stage_part *part)
{
    weight_gradient(part, MODEL_DOWN, MODEL_STAGE_STREAM, ACTIVATION_GELU);
}

static void down_input(const struct model_stage_part *part)
{
    input_gradient(part, MODEL_DOWN, MODEL_STAGE_WIDE, MODEL_STAGE_STREAM,
                   model_stage_part_saved(part, ACTIVATION_UP));
}

static void up_weight(const struct model_stage_part *part)
{
    weight_gradient(part, MODEL_UP, MODEL_STAGE_WIDE, ACTIVATION_LN2);
}

static void up_input(const struct model_stage_part *part)
{
    input_gradient(part, MODEL_UP, MODEL_STAGE_BRANCH, MODEL_STAGE_WIDE, NULL);
}

static void mlp_norm(const struct model_stage_part *part)
{
    norm_gradient(part, MODEL_LN2, model_stage_part_saved(part, ACTIVATION_MIDDLE),
                  ACTIVATION_LN2_STATS);
}

static void projection_weight(const struct model_stage_part *part)
{
    weight_gradient(part, MODEL_PROJECTION, MODEL_STAGE_STREAM, ACTIVATION_ATTENTION);
}

static void projection_input(const struct model_stage_part *part)
{
    input_gradient(part, MODEL_PROJECTION, MODEL_STAGE_BRANCH, MODEL_STAGE_STREAM, NULL);
}

static void attention(const struct model_stage_part *part)
{
    part->operations->attention_backward(part->stage->backend,
                                         model_stage_part_gradient(part, MODEL_STAGE_WIDE),
                                         model_stage_part_gradient(part, MODEL_STAGE_BRANCH),
                                         model_stage_part_saved(part, ACTIVATION_ATTENTION),
                                         model_stage_part_saved(part, ACTIVATION_ATTENTION_STATS),
                                         model_stage_part_saved(part, ACTIVATION_QKV));
}

static void qkv_weight(const struct model_stage_part *part)
{
    weight_gradient(part, MODEL_QKV, MODEL_STAGE_WIDE, ACTIVATION_LN1);
}

static void qkv_input(const struct model_stage_part *part)
{
    input_gradient(part, MODEL_QKV, MODEL_STAGE_BRANCH, MODEL_STAGE_WIDE, NULL);
}

static void attention_norm(const struct model_stage_part *part)
{
    norm_gradient(part, MODEL_LN1, part->stage->streams[part->index - 1], ACTIVATION_LN1_STATS);
}

/* --- the embedding --- */

static void embedding(const struct model_stage_part *part)
{
    struct model_stage *stage = part->stage;
    part->operations->embedding_backward(stage->backend, model_stage_part_dweight(part, MODEL_WTE),
                                         model_stage_part_dweight(part, MODEL_WPE),
                                         model_stage_part_gradient(part, MODEL_STAGE_STREAM),
                                         stage->tokens, part->accumulate);
}

#define MOST_STEPS 4 /* the empty one included */

static const struct model_stage_step module_steps[MODEL_MODULE_COUNT][MOST_STEPS] = {
    [MODEL_WTE] = {{wte_weight}, {wte_input}},
    [MODEL_WPE] = {{embedding}},
    [MODEL_LN1] = {{attention_norm}},
    [MODEL_QKV] = {{attention}, {qkv_weight}, {qkv_input}},
    [MODEL_PROJECTION] = {{projection_weight}, {projection_input}},
    [MODEL_LN2] = {{mlp_norm}},
    [MODEL_UP] = {{up_weight}, {up_input}},
    [MODEL_DOWN] = {{down_weight}, {down_input}},
    [MODEL_LN_F] = {{final_norm}},
};

enum status model_stage_backward(struct model_stage *stage, size_t index, enum model_module module,
                                 int accumulate, const struct model_stage_between *between,
                                 struct diag *diag)
{
    const struct model_stage_part part = {
        .stage = stage,
        .operations = stage->backend->operations,
        .index = index,
        .accumulate = accumulate,
    };
    return model_stage_part_run(&part, module_steps[module], between, diag);
}
