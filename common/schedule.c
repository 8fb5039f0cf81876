#include "schedule.h"

#include <inttypes.h>
#include <stdio.h>

#include "schedule_build.h"
#include "schedule_layout.h"
#include "strategy.h"

const char *schedule_category_name(enum schedule_category category)
{
    static const char *const names[SCHEDULE_CATEGORY_COUNT] = {
        [SCHEDULE_PARAMETERS] = "parameters",
        [SCHEDULE_GRADIENTS] = "gradients",
        [SCHEDULE_GRADIENTS_UNSHARDED] = "gradients_unsharded",
        [SCHEDULE_OPTIMIZER_STATE] = "optimizer_state",
        [SCHEDULE_ACTIVATIONS] = "activations",
        [SCHEDULE_GATHERED_PARAMETERS] = "gathered_parameters",
        [SCHEDULE_COMMUNICATION_BUFFERS] = "communication_buffers",
        [SCHEDULE_WORKSPACE] = "workspace",
    };
    return names[category];
}

const char *schedule_phase_name(enum schedule_phase phase)
{
    static const char *const names[SCHEDULE_PHASE_COUNT] = {
        [SCHEDULE_PHASE_INIT] = "init",
        [SCHEDULE_PHASE_FORWARD] = "forward",
        [SCHEDULE_PHASE_BACKWARD] = "backward",
        [SCHEDULE_PHASE_OPTIMIZER] = "optimizer",
        [SCHEDULE_PHASE_CHECKPOINT_SAVE] = "checkpoint_save",
        [SCHEDULE_PHASE_CHECKPOINT_RESTORE] = "checkpoint_restore",
    };
    return names[phase];
}

const char *schedule_collective_name(enum schedule_collective collective)
{
    static const char *const names[SCHEDULE_COLLECTIVE_COUNT] = {
        [SCHEDULE_ALL_REDUCE] = "all_reduce",
        [SCHEDULE_REDUCE_SCATTER] = "reduce_scatter",
        [SCHEDULE_ALL_GATHER] = "all_gather",
    };
    return names[collective];
}

const char *schedule_purpose_name(enum schedule_purpose purpose)
{
    static const char *const names[SCHEDULE_PURPOSE_COUNT] = {
        [SCHEDULE_GRADIENT_REDUCTION] = "gradient_reduction",
        [SCHEDULE_PARAMETER_GATHER] = "parameter_gather",
        [SCHEDULE_PARAMETER_SYNC] = "parameter_sync",
        [SCHEDULE_SCALAR] = "scalar",
    };
    return names[purpose];
}

struct strategy_functions {
    void (*lay)(struct schedule *schedule);
    void (*step)(struct schedule_builder *builder);
};

static const struct strategy_functions strategies[STRATEGY_COUNT] = {
    [STRATEGY_DDP] = {schedule_layout_buckets, strategy_ddp_step},
    [STRATEGY_ZERO1] = {schedule_layout_buckets, strategy_zero1_step},
    [STRATEGY_ZERO2] = {schedule_layout_buckets, strategy_zero2_step},
    [STRATEGY_ZERO3] = {strategy_zero3_lay, strategy_zero3_step},
    [STRATEGY_FSDP] = {strategy_fsdp_lay, strategy_fsdp_step},
};

bool schedule_whole_parameters(enum strategy strategy)
{
    return !training_state_row(strategy)->shards_parameters;
}

bool schedule_whole_gradients(enum strategy strategy)
{
    return !training_state_row(strategy)->shards_gradients;
}

/* Beyond these (and SCHEDULE_LARGEST_WORLD_SIZE) a list would not fit into memory, or sums of its
 * bytes not into 64 bits. */
#define LARGEST_STAGES_RUN (UINT64_C(1) << 20) /* micro-batches times stages */
#define LARGEST_STEP_BYTES 9e18                /* below 2^63 */

/* Bytes of all collectives of a step, at most: two gathers and a reduction a micro-batch, and the
 * sync, of every padded unit in 4 bytes. */
static double most_step_bytes(const struct schedule_request *request)
{
    double padding =
        16.0 * (double)request->world_size * (double)model_tensor_count(&request->shape);
    double elements = (double)model_parameters(&request->shape) + padding;
    return 4 * elements * (3 * (double)request->gradient_accumulation + 1);
}

static enum status check(const struct schedule_request *request, struct diag *diag)
{
    char text[256];
    const uint64_t micro_batches = request->gradient_accumulation;
    if ((int)request->strategy < 0 || request->strategy >= STRATEGY_COUNT)
        return diag_set(diag, STATUS_USAGE, "unknown strategy number %d", (int)request->strategy);
    if ((int)request->dtype < 0 || request->dtype >= MODEL_DTYPE_COUNT)
        return diag_set(diag, STATUS_USAGE, "unknown dtype number %d", (int)request->dtype);
    if (model_shape_fault(&request->shape, text, sizeof text) != NULL)
        return diag_set(diag, STATUS_USAGE, "%s", text);
    if (request->world_size < 1 || request->world_size > SCHEDULE_LARGEST_WORLD_SIZE)
        return diag_set(diag, STATUS_USAGE, "world size %" PRIu64 " is not between 1 and %" PRIu64,
                        request->world_size, SCHEDULE_LARGEST_WORLD_SIZE);
    if (micro_batches < 1 || micro_batches > LARGEST_STAGES_RUN / (request->shape.layers + 2))
        return diag_set(diag, STATUS_USAGE,
                        "gradient accumulation %" PRIu64 " is not between 1 and %" PRIu64
                        " (for %" PRIu64 " layers)",
                        micro_batches, LARGEST_STAGES_RUN / (request->shape.layers + 2),
                        request->shape.layers);
    if (most_step_bytes(request) > LARGEST_STEP_BYTES)
        return diag_set(diag, STATUS_USAGE,
                        "world size %" PRIu64 " and gradient accumulation %" PRIu64
                        " move more bytes a step than this program counts exactly",
                        request->world_size, micro_batches);
    return STATUS_OK;
}

static enum status lay(struct schedule *schedule, struct arena *arena, struct diag *diag)
{
    enum status status = schedule_layout_init(schedule, arena, diag);
    if (status != STATUS_OK)
        return status;
    strategies[schedule->request.strategy].lay(schedule);
    return schedule_layout_buffers(schedule, arena, diag);
}

static enum status list_actions(struct schedule *schedule, struct arena *arena, struct diag *diag)
{
    struct schedule_builder builder;
    enum status status = schedule_build_init(&builder, schedule, arena, diag);
    if (status != STATUS_OK)
        return status;
    schedule_build_restart(&builder, NULL);
    strategies[schedule->request.strategy].step(&builder);
    struct schedule_action *actions =
        arena_take_array(arena, builder.action_count, sizeof *actions);
    if (actions == NULL)
        return diag_no_memory(diag);
    schedule_build_restart(&builder, actions);
    strategies[schedule->request.strategy].step(&builder);
    schedule->actions = actions;
    schedule->action_count = builder.action_count;
    schedule->ticket_count = builder.ticket_count;
    return STATUS_OK;
}

enum status schedule_build(const struct schedule_request *request, struct arena *arena,
                           struct schedule *schedule, struct diag *diag)
{
    enum status status = check(request, diag);
    if (status != STATUS_OK)
        return status;
    uint64_t wire = model_dtype_bytes(request->dtype);
    uint64_t stored = request->strategy == STRATEGY_FSDP ? sizeof(float) : wire;
    struct schedule result = {
        .request = *request,
        .activations = activation_plan_of(&request->shape, request->dtype),
        .parameter_bytes = stored,
        .gradient_bytes = stored,
        .wire_bytes = wire,
    };
    status = lay(&result, arena, diag);
    if (status == STATUS_OK)
        status = list_actions(&result, arena, diag);
    if (status == STATUS_OK)
        *schedule = result;
    return status;
}

uint64_t schedule_valid_elements(const struct schedule *schedule, size_t unit, uint64_t rank)
{
    const struct schedule_unit *of = &schedule->units[unit];
    uint64_t part = of->padded / schedule->request.world_size;
    uint64_t before = part * rank;
    if (of->elements <= before)
        return 0;
    return of->elements - before < part ? of->elements - before : part;
}
