#include "strategy_bucket.h"

#include "schedule_layout.h"

/* A stage's module and where its tensors lie. */
struct bucket_module {
    size_t stage;
    enum model_module module;
    size_t unit;
    bool begins, completes; /* the unit, in backward order */
};

static struct bucket_module module_at(const struct schedule *schedule, size_t stage,
                                      enum model_module module)
{
    const struct model_shape *shape = &schedule->request.shape;
    bool has_bias = module != MODEL_WTE && module != MODEL_WPE;
    size_t block = stage == 0 ? 0 : stage - 1;
    size_t first = model_tensor_index(shape, module, block, false);
    size_t last = model_tensor_index(shape, module, block, has_bias);
    struct schedule_place begin = schedule->places[first];
    struct schedule_place end = schedule->places[last];
    return (struct bucket_module){
        .stage = stage,
        .module = module,
        .unit = begin.unit,
        .begins = begin.offset == 0,
        .completes =
            end.offset + model_tensor(shape, last).elements == schedule->units[begin.unit].elements,
    };
}

/* Buckets are groups of one unit. The tied embedding's is complete only after the embedding. */
static void backward_module(struct schedule_builder *builder, const struct bucket_module *at,
                            bool reduces)
{
    bool buffered = !schedule_whole_gradients(builder->schedule->request.strategy);
    size_t group = builder->schedule->group_of_unit[at->unit];
    if (buffered && at->module == MODEL_WTE)
        schedule_build_open_root(builder, group);
    else if (buffered && at->begins)
        schedule_build_open(builder, group);
    schedule_build_backward(builder, at->stage, at->module);
    if (reduces && at->completes && at->module != MODEL_WTE)
        schedule_build_reduce(builder, group);
}

static void backward_stage(struct schedule_builder *builder, size_t stage, bool reduces)
{
    struct schedule_layout_modules list = schedule_layout_modules_of(builder->schedule, stage);
    schedule_build_recompute(builder, stage);
    for (size_t i = 0; i < list.count; i++) {
        struct bucket_module at = module_at(builder->schedule, stage, list.modules[i]);
        backward_module(builder, &at, reduces);
    }
    schedule_build_forget(builder, stage);
}

void strategy_bucket_micro_batch(struct schedule_builder *builder, bool reduces)
{
    const struct schedule *schedule = builder->schedule;
    size_t head = (size_t)schedule->request.shape.layers + 1;
    builder->phase = SCHEDULE_PHASE_FORWARD;
    for (size_t stage = 0; stage <= head; stage++)
        schedule_build_forward(builder, stage);
    builder->phase = SCHEDULE_PHASE_BACKWARD;
    for (size_t stage = head + 1; stage-- > 0;)
        backward_stage(builder, stage, reduces);
    if (!reduces)
        return;
    schedule_build_reduce(builder, schedule->group_of_unit[schedule->places[0].unit]);
    for (size_t group = 0; group < schedule->group_count; group++)
        schedule_build_reduced(builder, group);
}

void strategy_bucket_update(struct schedule_builder *builder)
{
    const size_t groups = builder->schedule->group_count;
    builder->phase = SCHEDULE_PHASE_OPTIMIZER;
    schedule_build_norm(builder);
    for (size_t group = 0; group < groups; group++) {
        schedule_build_update(builder, group);
        schedule_build_sync(builder, group);
    }
    for (size_t group = 0; group < groups; group++)
        schedule_build_gathered(builder, group);
}
