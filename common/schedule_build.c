#include "schedule_build.h"

static size_t *take_table(struct arena *arena, size_t count)
{
    size_t *table = arena_take_array(arena, count, sizeof *table);
    for (size_t i = 0; table != NULL && i < count; i++)
        table[i] = SCHEDULE_NONE;
    return table;
}

/* Where each group's and stage's buffers stand in the list. */
static void find_buffers(struct schedule_builder *builder)
{
    const struct schedule *schedule = builder->schedule;
    for (size_t i = 0; i < schedule->buffer_count; i++) {
        const struct schedule_buffer *buffer = &schedule->buffers[i];
        if (buffer->role == SCHEDULE_ROLE_STREAM && buffer->stage == 0)
            builder->first_stream = i;
        else if (buffer->role == SCHEDULE_ROLE_SAVED && buffer->stage == 1)
            builder->first_saved = i;
        else if (buffer->role == SCHEDULE_ROLE_GATHERED)
            builder->gathered_buffer[buffer->group] = i;
        else if (buffer->role == SCHEDULE_ROLE_REDUCED)
            builder->reduced_buffer[buffer->group] = i;
    }
}

enum status schedule_build_init(struct schedule_builder *builder, struct schedule *schedule,
                                struct arena *arena, struct diag *diag)
{
    const size_t groups = schedule->group_count;
    *builder = (struct schedule_builder){
        .schedule = schedule,
        .gathered_buffer = take_table(arena, groups),
        .reduced_buffer = take_table(arena, groups),
        .gather_ticket = take_table(arena, groups),
        .reduce_ticket = take_table(arena, groups),
        .gathered_live = arena_take_array(arena, groups, sizeof(bool)),
    };
    if (builder->gathered_buffer == NULL || builder->reduced_buffer == NULL ||
        builder->gather_ticket == NULL || builder->reduce_ticket == NULL ||
        builder->gathered_live == NULL)
        return diag_no_memory(diag);
    find_buffers(builder);
    return STATUS_OK;
}

void schedule_build_restart(struct schedule_builder *builder, struct schedule_action *actions)
{
    builder->actions = actions;
    builder->action_count = 0;
    builder->ticket_count = 0;
    builder->phase = SCHEDULE_PHASE_FORWARD;
    builder->micro_batch = 0;
}

static struct schedule_action *append(struct schedule_builder *builder,
                                      enum schedule_action_kind kind)
{
    size_t index = builder->action_count++;
    struct schedule_action *action =
        builder->actions == NULL ? &builder->uncounted : &builder->actions[index];
    *action = (struct schedule_action){
        .kind = kind,
        .phase = builder->phase,
        .micro_batch = builder->micro_batch,
        .buffer = SCHEDULE_NONE,
        .group = SCHEDULE_NONE,
        .stage = SCHEDULE_NONE,
        .ticket = SCHEDULE_NONE,
    };
    return action;
}

static void take(struct schedule_builder *builder, size_t buffer)
{
    append(builder, SCHEDULE_TAKE)->buffer = buffer;
}

static void release(struct schedule_builder *builder, size_t buffer)
{
    append(builder, SCHEDULE_RELEASE)->buffer = buffer;
}

static void wait_for(struct schedule_builder *builder, size_t *ticket)
{
    if (*ticket == SCHEDULE_NONE)
        return;
    append(builder, SCHEDULE_WAIT)->ticket = *ticket;
    *ticket = SCHEDULE_NONE;
}

static bool is_block(const struct schedule_builder *builder, size_t stage)
{
    return stage >= 1 && stage <= builder->schedule->request.shape.layers;
}

static bool checkpoints(const struct schedule_builder *builder, size_t stage)
{
    return builder->schedule->request.activation_checkpointing && is_block(builder, stage);
}

static size_t saved_buffer(const struct schedule_builder *builder, size_t stage)
{
    return builder->first_saved + stage - 1;
}

static void compute(struct schedule_builder *builder, size_t stage, bool recompute)
{
    struct schedule_action *action = append(builder, SCHEDULE_FORWARD);
    action->stage = stage;
    action->recompute = recompute;
}

void schedule_build_forward(struct schedule_builder *builder, size_t stage)
{
    if (stage >= 1)
        take(builder, saved_buffer(builder, stage));
    if (stage <= builder->schedule->request.shape.layers)
        take(builder, builder->first_stream + stage);
    compute(builder, stage, false);
    if (checkpoints(builder, stage))
        release(builder, saved_buffer(builder, stage));
}

void schedule_build_recompute(struct schedule_builder *builder, size_t stage)
{
    if (!checkpoints(builder, stage))
        return;
    take(builder, saved_buffer(builder, stage));
    compute(builder, stage, true);
}

/* Whole gradients that stay (ddp, zero1) collect over the micro-batches; buffers are fresh. */
void schedule_build_backward(struct schedule_builder *builder, size_t stage,
                             enum model_module module)
{
    bool whole = schedule_whole_gradients(builder->schedule->request.strategy);
    struct schedule_action *action = append(builder, SCHEDULE_BACKWARD);
    action->stage = stage;
    action->module = module;
    action->accumulate = whole && builder->micro_batch > 0;
}

void schedule_build_forget(struct schedule_builder *builder, size_t stage)
{
    if (stage == 0)
        return;
    release(builder, saved_buffer(builder, stage));
    release(builder, builder->first_stream + stage - 1);
}

void schedule_build_norm(struct schedule_builder *builder)
{
    struct schedule_action *action = append(builder, SCHEDULE_NORM);
    if (builder->schedule->request.strategy == STRATEGY_DDP)
        return;
    action->communicates = true;
    action->collective = SCHEDULE_ALL_REDUCE;
    action->purpose = SCHEDULE_SCALAR;
    action->payload_bytes = SCHEDULE_SCALAR_BYTES;
}

void schedule_build_update(struct schedule_builder *builder, size_t group)
{
    append(builder, SCHEDULE_UPDATE)->group = group;
}

/* Appends an action that starts a collective; its ticket goes to *ticket. */
static struct schedule_action *post(struct schedule_builder *builder,
                                    enum schedule_action_kind kind, size_t group, size_t *ticket)
{
    struct schedule_action *action = append(builder, kind);
    action->group = group;
    action->communicates = true;
    action->collective = SCHEDULE_ALL_GATHER;
    action->ticket = builder->ticket_count++;
    *ticket = action->ticket;
    return action;
}

static bool overlaps(const struct schedule_builder *builder)
{
    return builder->schedule->request.overlap;
}

void schedule_build_gather(struct schedule_builder *builder, size_t group)
{
    const struct schedule *schedule = builder->schedule;
    if (builder->gathered_buffer[group] == SCHEDULE_NONE)
        return;
    take(builder, builder->gathered_buffer[group]);
    builder->gathered_live[group] = true;
    struct schedule_action *action =
        post(builder, SCHEDULE_GATHER, group, &builder->gather_ticket[group]);
    action->buffer = builder->gathered_buffer[group];
    action->purpose = SCHEDULE_PARAMETER_GATHER;
    action->payload_bytes = schedule->groups[group].gathered_elements * schedule->wire_bytes;
    if (!overlaps(builder))
        wait_for(builder, &builder->gather_ticket[group]);
}

void schedule_build_gathered(struct schedule_builder *builder, size_t group)
{
    wait_for(builder, &builder->gather_ticket[group]);
}

void schedule_build_free_gathered(struct schedule_builder *builder, size_t group)
{
    if (builder->gathered_buffer[group] == SCHEDULE_NONE)
        return;
    release(builder, builder->gathered_buffer[group]);
    builder->gathered_live[group] = false;
}

void schedule_build_sync(struct schedule_builder *builder, size_t group)
{
    const struct schedule *schedule = builder->schedule;
    size_t ticket = SCHEDULE_NONE;
    size_t *kept = group == SCHEDULE_NONE ? &ticket : &builder->gather_ticket[group];
    struct schedule_action *action = post(builder, SCHEDULE_GATHER, group, kept);
    action->purpose = SCHEDULE_PARAMETER_SYNC;
    action->payload_bytes =
        schedule->wire_bytes * (group == SCHEDULE_NONE ? schedule->persistent_elements
                                                       : schedule->groups[group].reduced_elements);
    if (!overlaps(builder) || group == SCHEDULE_NONE)
        wait_for(builder, kept);
}

void schedule_build_open_root(struct schedule_builder *builder, size_t group)
{
    take(builder, builder->reduced_buffer[group]);
}

void schedule_build_open(struct schedule_builder *builder, size_t group)
{
    if (builder->open_count == SCHEDULE_BUILD_OPEN)
        schedule_build_reduced(builder, builder->open[0]);
    take(builder, builder->reduced_buffer[group]);
    builder->open[builder->open_count++] = group;
}

void schedule_build_reduce(struct schedule_builder *builder, size_t group)
{
    const struct schedule *schedule = builder->schedule;
    struct schedule_action *action =
        post(builder, SCHEDULE_REDUCE, group, &builder->reduce_ticket[group]);
    action->buffer = builder->reduced_buffer[group];
    action->purpose = SCHEDULE_GRADIENT_REDUCTION;
    action->payload_bytes = schedule->groups[group].reduced_elements * schedule->wire_bytes;
    action->collective =
        schedule->request.strategy == STRATEGY_DDP ? SCHEDULE_ALL_REDUCE : SCHEDULE_REDUCE_SCATTER;
    if (!overlaps(builder))
        schedule_build_reduced(builder, group);
}

/* Takes a group out of those that are open, if it is among them. */
static void close_open(struct schedule_builder *builder, size_t group)
{
    size_t kept = 0;
    for (size_t i = 0; i < builder->open_count; i++)
        if (builder->open[i] != group)
            builder->open[kept++] = builder->open[i];
    builder->open_count = kept;
}

void schedule_build_reduced(struct schedule_builder *builder, size_t group)
{
    if (builder->reduce_ticket[group] == SCHEDULE_NONE)
        return;
    wait_for(builder, &builder->reduce_ticket[group]);
    if (builder->reduced_buffer[group] == SCHEDULE_NONE)
        return;
    struct schedule_action *action = append(builder, SCHEDULE_ACCUMULATE);
    action->group = group;
    action->buffer = builder->reduced_buffer[group];
    action->accumulate = builder->micro_batch > 0;
    release(builder, builder->reduced_buffer[group]);
    close_open(builder, group);
}

void schedule_build_drain(struct schedule_builder *builder)
{
    while (builder->open_count > 0)
        schedule_build_reduced(builder, builder->open[0]);
}
