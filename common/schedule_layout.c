#include "schedule_layout.h"

/* A shard is a multiple of 16 elements, so that it starts on a multiple of 32 bytes in bf16. */
#define SHARD_MULTIPLE UINT64_C(16)

enum status schedule_layout_init(struct schedule *schedule, struct arena *arena, struct diag *diag)
{
    size_t most = model_tensor_count(&schedule->request.shape);
    schedule->tensor_count = most;
    schedule->places = arena_take_array(arena, most, sizeof *schedule->places);
    schedule->units = arena_take_array(arena, most, sizeof *schedule->units);
    schedule->groups = arena_take_array(arena, most, sizeof *schedule->groups);
    schedule->group_of_unit = arena_take_array(arena, most, sizeof *schedule->group_of_unit);
    if (schedule->places == NULL || schedule->units == NULL || schedule->groups == NULL ||
        schedule->group_of_unit == NULL)
        return diag_no_memory(diag);
    return STATUS_OK;
}

/* A group is of one block as long as all its tensors are. */
#define BLOCK_UNSET (-2)

static struct schedule_group *open_group(struct schedule *schedule)
{
    struct schedule_group *group = &schedule->groups[schedule->group_count];
    if (group->unit_count == 0 && schedule->units[schedule->unit_count].elements == 0) {
        group->first_unit = schedule->unit_count;
        group->block = BLOCK_UNSET;
    }
    return group;
}

void schedule_layout_tensor(struct schedule *schedule, size_t tensor)
{
    struct schedule_group *group = open_group(schedule);
    struct schedule_unit *unit = &schedule->units[schedule->unit_count];
    struct model_tensor what = model_tensor(&schedule->request.shape, tensor);
    if (group->block == BLOCK_UNSET)
        group->block = what.block;
    else if (group->block != what.block)
        group->block = -1;
    schedule->places[tensor] = (struct schedule_place){schedule->unit_count, unit->elements};
    unit->elements += what.elements;
}

void schedule_layout_module(struct schedule *schedule, enum model_module module, uint64_t block)
{
    const struct model_shape *shape = &schedule->request.shape;
    schedule_layout_tensor(schedule, model_tensor_index(shape, module, block, false));
    if (module != MODEL_WTE && module != MODEL_WPE)
        schedule_layout_tensor(schedule, model_tensor_index(shape, module, block, true));
}

void schedule_layout_close_unit(struct schedule *schedule, bool persistent)
{
    struct schedule_group *group = &schedule->groups[schedule->group_count];
    struct schedule_unit *unit = &schedule->units[schedule->unit_count];
    const uint64_t ranks = schedule->request.world_size;
    const uint64_t multiple = SHARD_MULTIPLE * ranks;
    unit->padded = (unit->elements + multiple - 1) / multiple * multiple;
    unit->full_offset = schedule->full_elements;
    unit->shard_offset = schedule->shard_elements;
    unit->persistent = persistent;
    unit->reduced_offset = group->reduced_elements;
    group->reduced_elements += unit->padded;
    if (persistent) {
        unit->persistent_offset = schedule->persistent_elements;
        schedule->persistent_elements += unit->padded;
        schedule->persistent_valid_elements += unit->elements;
    } else {
        unit->gathered_offset = group->gathered_elements;
        group->gathered_elements += unit->padded;
    }
    schedule->full_elements += unit->padded;
    schedule->shard_elements += unit->padded / ranks;
    schedule->group_of_unit[schedule->unit_count] = schedule->group_count;
    schedule->unit_count++;
    group->unit_count++;
}

void schedule_layout_close_group(struct schedule *schedule)
{
    schedule->group_count++;
}

struct schedule_layout_modules schedule_layout_modules_of(const struct schedule *schedule,
                                                          size_t stage)
{
    static const enum model_module embedding[] = {MODEL_WPE};
    static const enum model_module block[] = {MODEL_DOWN,       MODEL_UP,  MODEL_LN2,
                                              MODEL_PROJECTION, MODEL_QKV, MODEL_LN1};
    static const enum model_module head[] = {MODEL_WTE, MODEL_LN_F};
    if (stage == 0)
        return (struct schedule_layout_modules){embedding, 1};
    if (stage <= schedule->request.shape.layers)
        return (struct schedule_layout_modules){block, sizeof block / sizeof block[0]};
    return (struct schedule_layout_modules){head, 2};
}

static void close_bucket(struct schedule *schedule)
{
    schedule_layout_close_unit(schedule, false);
    schedule_layout_close_group(schedule);
}

void schedule_layout_buckets(struct schedule *schedule)
{
    const uint64_t bytes = model_dtype_bytes(schedule->request.dtype);
    const uint64_t bucket = schedule->request.bucket_bytes;
    uint64_t limit = bucket < SCHEDULE_FIRST_BUCKET_BYTES ? bucket : SCHEDULE_FIRST_BUCKET_BYTES;
    for (size_t stage = (size_t)schedule->request.shape.layers + 2; stage-- > 0;) {
        struct schedule_layout_modules list = schedule_layout_modules_of(schedule, stage);
        for (size_t i = 0; i < list.count; i++) {
            if (list.modules[i] == MODEL_WTE)
                continue;
            schedule_layout_module(schedule, list.modules[i], stage == 0 ? 0 : stage - 1);
            if (schedule->units[schedule->unit_count].elements * bytes < limit)
                continue;
            close_bucket(schedule);
            limit = bucket;
        }
    }
    if (schedule->units[schedule->unit_count].elements > 0)
        close_bucket(schedule);
    schedule_layout_module(schedule, MODEL_WTE, 0);
    close_bucket(schedule);
}

static void add_buffer(struct schedule *schedule, struct schedule_buffer buffer)
{
    if (buffer.bytes > 0)
        schedule->buffers[schedule->buffer_count++] = buffer;
}

static void add_residents(struct schedule *schedule)
{
    const struct schedule_request *request = &schedule->request;
    const uint64_t wire = model_dtype_bytes(request->dtype);
    uint64_t parameters = schedule_whole_parameters(request->strategy) ? schedule->full_elements
                                                                       : schedule->shard_elements;
    uint64_t gradients = schedule_whole_gradients(request->strategy) ? schedule->full_elements
                                                                     : schedule->shard_elements;
    uint64_t owned =
        request->strategy == STRATEGY_DDP ? schedule->full_elements : schedule->shard_elements;
    bool has_master = request->dtype == MODEL_BF16 && request->strategy != STRATEGY_FSDP;
    const struct schedule_buffer residents[] = {
        {SCHEDULE_ROLE_PARAMETERS, SCHEDULE_PARAMETERS, parameters * schedule->parameter_bytes,
         SCHEDULE_NONE, SCHEDULE_NONE, true},
        {SCHEDULE_ROLE_PERSISTENT, SCHEDULE_PARAMETERS, schedule->persistent_elements * wire,
         SCHEDULE_NONE, SCHEDULE_NONE, true},
        {SCHEDULE_ROLE_GRADIENTS, SCHEDULE_GRADIENTS, gradients * schedule->gradient_bytes,
         SCHEDULE_NONE, SCHEDULE_NONE, true},
        {SCHEDULE_ROLE_MASTER, SCHEDULE_OPTIMIZER_STATE, has_master ? owned * sizeof(float) : 0,
         SCHEDULE_NONE, SCHEDULE_NONE, true},
        {SCHEDULE_ROLE_MOMENT1, SCHEDULE_OPTIMIZER_STATE, owned * sizeof(float), SCHEDULE_NONE,
         SCHEDULE_NONE, true},
        {SCHEDULE_ROLE_MOMENT2, SCHEDULE_OPTIMIZER_STATE, owned * sizeof(float), SCHEDULE_NONE,
         SCHEDULE_NONE, true},
        {SCHEDULE_ROLE_WORKSPACE, SCHEDULE_WORKSPACE, request->workspace_bytes, SCHEDULE_NONE,
         SCHEDULE_NONE, true},
    };
    for (size_t i = 0; i < sizeof residents / sizeof residents[0]; i++)
        add_buffer(schedule, residents[i]);
}

static void add_activations(struct schedule *schedule)
{
    const size_t layers = (size_t)schedule->request.shape.layers;
    for (size_t stage = 0; stage <= layers; stage++)
        add_buffer(schedule, (struct schedule_buffer){
                                 .role = SCHEDULE_ROLE_STREAM,
                                 .category = SCHEDULE_ACTIVATIONS,
                                 .bytes = schedule->activations.stream_bytes,
                                 .group = SCHEDULE_NONE,
                                 .stage = stage,
                             });
    for (size_t stage = 1; stage <= layers + 1; stage++)
        add_buffer(schedule, (struct schedule_buffer){
                                 .role = SCHEDULE_ROLE_SAVED,
                                 .category = SCHEDULE_ACTIVATIONS,
                                 .bytes = stage <= layers ? schedule->activations.block_bytes
                                                          : schedule->activations.head_bytes,
                                 .group = SCHEDULE_NONE,
                                 .stage = stage,
                             });
}

/* The group whose whole gradient collects from the head to the embedding: the tied embedding's
 * (fsdp: the root's). */
static bool is_root(const struct schedule *schedule, size_t group)
{
    return group == schedule->group_of_unit[schedule->places[0].unit];
}

static void add_group_buffers(struct schedule *schedule)
{
    bool gathers = !schedule_whole_parameters(schedule->request.strategy);
    bool reduces = !schedule_whole_gradients(schedule->request.strategy);
    for (size_t i = 0; gathers && i < schedule->group_count; i++)
        add_buffer(schedule,
                   (struct schedule_buffer){
                       .role = SCHEDULE_ROLE_GATHERED,
                       .category = SCHEDULE_GATHERED_PARAMETERS,
                       .bytes = schedule->groups[i].gathered_elements * schedule->wire_bytes,
                       .group = i,
                       .stage = SCHEDULE_NONE,
                   });
    for (size_t i = 0; reduces && i < schedule->group_count; i++)
        add_buffer(schedule,
                   (struct schedule_buffer){
                       .role = SCHEDULE_ROLE_REDUCED,
                       .category = is_root(schedule, i) ? SCHEDULE_GRADIENTS_UNSHARDED
                                                        : SCHEDULE_COMMUNICATION_BUFFERS,
                       .bytes = schedule->groups[i].reduced_elements * schedule->wire_bytes,
                       .group = i,
                       .stage = SCHEDULE_NONE,
                   });
}

#define MOST_RESIDENTS 7

enum status schedule_layout_buffers(struct schedule *schedule, struct arena *arena,
                                    struct diag *diag)
{
    size_t stages = (size_t)schedule->request.shape.layers + 1;
    size_t most = MOST_RESIDENTS + 2 * stages + 2 * schedule->group_count;
    schedule->buffers = arena_take_array(arena, most, sizeof *schedule->buffers);
    if (schedule->buffers == NULL)
        return diag_no_memory(diag);
    add_residents(schedule);
    add_activations(schedule);
    add_group_buffers(schedule);
    return STATUS_OK;
}
