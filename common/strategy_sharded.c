#include "strategy_sharded.h"

#include "schedule_layout.h"

/* One micro-batch on its way through the uses. */
struct uses {
    struct schedule_builder *builder;
    const struct strategy_sharded *groups;
    size_t layers;
    size_t next; /* the first use whose gathers are not all posted */
};

struct use {
    size_t groups[2];
    size_t count;
};

static size_t use_count(const struct uses *uses)
{
    return 2 * uses->layers + 2;
}

/* Use 0 is the embedding, 1..L are the blocks, L+1 is the head, L+2..2L+1 are the blocks L..1. */
static struct use use_at(const struct uses *uses, size_t index)
{
    const struct strategy_sharded *groups = uses->groups;
    size_t head = uses->layers + 1;
    if (index == 0)
        return (struct use){{groups->root, groups->wpe},
                            groups->wpe == SCHEDULE_NONE ? (size_t)1 : (size_t)2};
    if (index == head)
        return (struct use){{groups->root, SCHEDULE_NONE}, groups->root_stays ? 0 : 1};
    size_t block = index < head ? index - 1 : 2 * uses->layers + 1 - index;
    return (struct use){{groups->first_block + block, SCHEDULE_NONE}, 1};
}

static bool is_live(const struct uses *uses, const struct use *use)
{
    for (size_t i = 0; i < use->count; i++)
        if (uses->builder->gathered_live[use->groups[i]])
            return true;
    return false;
}

/* Posts the gathers of uses up to `last`, as far as their groups' buffers are free. */
static void post_gathers(struct uses *uses, size_t last)
{
    for (; uses->next <= last && uses->next < use_count(uses); uses->next++) {
        struct use use = use_at(uses, uses->next);
        if (is_live(uses, &use))
            return;
        for (size_t i = 0; i < use.count; i++)
            schedule_build_gather(uses->builder, use.groups[i]);
    }
}

static void enter(struct uses *uses, size_t index)
{
    const struct schedule_request *request = &uses->builder->schedule->request;
    uint64_t ahead = request->overlap ? request->prefetch : 0;
    if (ahead > use_count(uses))
        ahead = use_count(uses);
    post_gathers(uses, index + (size_t)ahead);
    struct use use = use_at(uses, index);
    for (size_t i = 0; i < use.count; i++)
        schedule_build_gathered(uses->builder, use.groups[i]);
}

static void leave(struct uses *uses, size_t index)
{
    struct use use = use_at(uses, index);
    for (size_t i = 0; i < use.count; i++)
        if (!uses->groups->root_stays || use.groups[i] != uses->groups->root)
            schedule_build_free_gathered(uses->builder, use.groups[i]);
}

static void run_forward(struct uses *uses)
{
    uses->builder->phase = SCHEDULE_PHASE_FORWARD;
    for (size_t stage = 0; stage <= uses->layers; stage++) {
        enter(uses, stage);
        schedule_build_forward(uses->builder, stage);
        leave(uses, stage);
    }
}

static void run_head(struct uses *uses)
{
    struct schedule_builder *builder = uses->builder;
    size_t stage = uses->layers + 1;
    size_t ln_f = uses->groups->ln_f;
    enter(uses, stage);
    schedule_build_forward(builder, stage);
    builder->phase = SCHEDULE_PHASE_BACKWARD;
    schedule_build_open_root(builder, uses->groups->root);
    schedule_build_backward(builder, stage, MODEL_WTE);
    if (ln_f != SCHEDULE_NONE)
        schedule_build_open(builder, ln_f);
    schedule_build_backward(builder, stage, MODEL_LN_F);
    if (ln_f != SCHEDULE_NONE)
        schedule_build_reduce(builder, ln_f);
    leave(uses, stage);
    schedule_build_forget(builder, stage);
}

static void run_block_backward(struct uses *uses, size_t stage)
{
    struct schedule_builder *builder = uses->builder;
    struct schedule_layout_modules list = schedule_layout_modules_of(builder->schedule, stage);
    size_t use = 2 * (uses->layers + 1) - stage;
    size_t group = uses->groups->first_block + stage - 1;
    enter(uses, use);
    schedule_build_recompute(builder, stage);
    schedule_build_open(builder, group);
    for (size_t i = 0; i < list.count; i++)
        schedule_build_backward(builder, stage, list.modules[i]);
    schedule_build_reduce(builder, group);
    leave(uses, use);
    schedule_build_forget(builder, stage);
}

static void run_embedding_backward(struct uses *uses)
{
    struct schedule_builder *builder = uses->builder;
    size_t wpe = uses->groups->wpe;
    if (wpe != SCHEDULE_NONE)
        schedule_build_open(builder, wpe);
    schedule_build_backward(builder, 0, MODEL_WPE);
    if (wpe != SCHEDULE_NONE)
        schedule_build_reduce(builder, wpe);
    schedule_build_reduce(builder, uses->groups->root);
    if (uses->groups->root_stays)
        schedule_build_free_gathered(builder, uses->groups->root);
}

void strategy_sharded_micro_batch(struct schedule_builder *builder,
                                  const struct strategy_sharded *groups)
{
    size_t layers = (size_t)builder->schedule->request.shape.layers;
    struct uses uses = {.builder = builder, .groups = groups, .layers = layers};
    run_forward(&uses);
    run_head(&uses);
    for (size_t stage = layers; stage >= 1; stage--)
        run_block_backward(&uses, stage);
    run_embedding_backward(&uses);
    schedule_build_drain(builder);
    schedule_build_reduced(builder, groups->root);
}

void strategy_sharded_update(struct schedule_builder *builder)
{
    builder->phase = SCHEDULE_PHASE_OPTIMIZER;
    schedule_build_norm(builder);
    for (size_t group = 0; group < builder->schedule->group_count; group++)
        schedule_build_update(builder, group);
}
