#include "model_stage.h"

#include "model_stage_part.h"

static void embed(const struct model_stage_part *part)
{
    struct model_stage *stage = part->stage;
    part->operations->embedding_forward(stage->backend, stage->streams[0], stage->tokens,
                                        model_stage_part_weight(part, MODEL_WTE),
                                        model_stage_part_weight(part, MODEL_WPE));
}

/* --- a block: stream + attention(ln1(stream)), then that + mlp(ln2(that)) --- */

static void norm(const struct model_stage_part *part, enum model_module module,
                 enum activation_tensor out, const void *x)
{
    /* A norm's statistics stand before its output in the plan. */
    part->operations->layer_norm_forward(part->stage->backend, model_stage_part_saved(part, out),
                                         model_stage_part_saved(part, out - 1), x,
                                         model_stage_part_weight(part, module),
                                         model_stage_part_bias(part, module));
}

static void norm_attention(const struct model_stage_part *part)
{
    norm(part, MODEL_LN1, ACTIVATION_LN1, part->stage->streams[part->index - 1]);
}

static void make_qkv(const struct model_stage_part *part)
{
    const uint64_t c = part->stage->shape.width;
    part->operations->linear_forward(
        part->stage->backend, model_stage_part_saved(part, ACTIVATION_QKV),
        model_stage_part_saved(part, ACTIVATION_LN1), model_stage_part_weight(part, MODEL_QKV),
        model_stage_part_bias(part, MODEL_QKV), c, 3 * c);
}

static void attend(const struct model_stage_part *part)
{
    part->operations->attention_forward(part->stage->backend,
                                        model_stage_part_saved(part, ACTIVATION_ATTENTION),
                                        model_stage_part_saved(part, ACTIVATION_ATTENTION_STATS),
                                        model_stage_part_saved(part, ACTIVATION_QKV));
}

static void project(const struct model_stage_part *part)
{
    const uint64_t c = part->stage->shape.width;
    part->operations->linear_residual_forward(
        part->stage->backend, model_stage_part_saved(part, ACTIVATION_MIDDLE),
        part->stage->streams[part->index - 1], model_stage_part_saved(part, ACTIVATION_ATTENTION),
        model_stage_part_weight(part, MODEL_PROJECTION),
        model_stage_part_bias(part, MODEL_PROJECTION), c, c);
}

static void norm_mlp(const struct model_stage_part *part)
{
    norm(part, MODEL_LN2, ACTIVATION_LN2, model_stage_part_saved(part, ACTIVATION_MIDDLE));
}

static void widen(const struct model_stage_part *part)
{
    const uint64_t c = part->stage->shape.width;
    part->operations->linear_gelu_forward(
        part->stage->backend, model_stage_part_saved(part, ACTIVATION_UP),
        model_stage_part_saved(part, ACTIVATION_GELU), model_stage_part_saved(part, ACTIVATION_LN2),
        model_stage_part_weight(part, MODEL_UP), model_stage_part_bias(part, MODEL_UP), c, 4 * c);
}

static void narrow(const struct model_stage_part *part)
{
    const uint64_t c = part->stage->shape.width;
    void *out = part->stage->streams[part->index];
    if (out == NULL) /* recomputed: nobody reads it any more */
        return;
    part->operations->linear_residual_forward(
        part->stage->backend, out, model_stage_part_saved(part, ACTIVATION_MIDDLE),
        model_stage_part_saved(part, ACTIVATION_GELU), model_stage_part_weight(part, MODEL_DOWN),
        model_stage_part_bias(part, MODEL_DOWN), 4 * c, c);
}

/* --- the head --- */

static void norm_final(const struct model_stage_part *part)
{
    norm(part, MODEL_LN_F, ACTIVATION_LN_F, part->stage->streams[part->index - 1]);
}

static void make_logits(const struct model_stage_part *part)
{
    const struct model_shape *shape = &part->stage->shape;
    part->operations->linear_forward(
        part->stage->backend, model_stage_part_saved(part, ACTIVATION_LOGITS),
        model_stage_part_saved(part, ACTIVATION_LN_F), model_stage_part_weight(part, MODEL_WTE),
        NULL, shape->width, shape->vocab);
}

static void lose(const struct model_stage_part *part)
{
    struct model_stage *stage = part->stage;
    part->operations->cross_entropy(stage->backend, model_stage_part_saved(part, ACTIVATION_LOSSES),
                                    model_stage_part_saved(part, ACTIVATION_LOGITS), stage->tokens,
                                    stage->loss_scale);
}

static const struct model_stage_step embedding_steps[] = {{embed}, {NULL}};
static const struct model_stage_step block_steps[] = {
    {norm_attention}, {make_qkv}, {attend}, {project}, {norm_mlp}, {widen}, {narrow}, {NULL}};
static const struct model_stage_step head_steps[] = {{norm_final}, {make_logits}, {lose}, {NULL}};

enum status model_stage_forward(struct model_stage *stage, size_t index,
                                const struct model_stage_between *between, struct diag *diag)
{
    const struct model_stage_part part = {
        .stage = stage,
        .operations = stage->backend->operations,
        .index = index,
    };
    if (index == 0)
        return model_stage_part_run(&part, embedding_steps, between, diag);
    if (index <= stage->shape.layers)
        return model_stage_part_run(&part, block_steps, between, diag);
    return model_stage_part_run(&part, head_steps, between, diag);
}
