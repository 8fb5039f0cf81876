#include "temporary_memory.h"

#include <math.h>

#include "schedule_walk.h"

/* ---- a shape of doubles as one of whole numbers ---- */

/* Larger counts do not come out of a double whole. */
#define LARGEST_OPTION 9007199254740992.0 /* 2^53 */

/* A whole size; 0: unknown, or beyond `largest`. */
static uint64_t whole(double value, uint64_t largest)
{
    if (!(value >= 0.5) || value > (double)largest)
        return 0;
    return (uint64_t)nearbyint(value);
}

static uint64_t option(double value, uint64_t otherwise)
{
    if (!(value >= 0))
        return otherwise;
    return (uint64_t)nearbyint(fmin(value, LARGEST_OPTION));
}

static uint64_t at_least_one(uint64_t value)
{
    return value == 0 ? 1 : value;
}

/* 0 where unknown. */
static struct model_shape model_of(const struct temporary_memory_shape *shape)
{
    struct model_shape model = {
        .width = whole(shape->width, MODEL_LARGEST_SIZE),
        .layers = whole(shape->layers, MODEL_LARGEST_LAYERS),
        .heads = whole(shape->heads, MODEL_LARGEST_SIZE),
        .vocab = whole(shape->vocab, MODEL_LARGEST_SIZE),
        .seq_len = whole(shape->seq_len, MODEL_LARGEST_SIZE),
        .micro_batch = whole(shape->micro_batch, MODEL_LARGEST_SIZE),
    };
    if (model.heads > 0 && model.width > 0 && model.width % model.heads != 0)
        model.heads = 0;
    return model;
}

static enum model_dtype dtype_of(const struct temporary_memory_shape *shape)
{
    return shape->activation_bytes == 4 ? MODEL_FP32 : MODEL_BF16;
}

static bool has_dtype(const struct temporary_memory_shape *shape)
{
    return shape->activation_bytes == 2 || shape->activation_bytes == 4;
}

/* A bucket is given in bytes of gradient on the wire, and closes by those of the dtype. */
static uint64_t bucket_of(const struct temporary_memory_shape *shape)
{
    double scale = (double)model_dtype_bytes(dtype_of(shape)) / shape->gradient_wire_bytes;
    return option(shape->bucket_bytes * (isnan(scale) ? 1 : scale), SCHEDULE_DEFAULT_BUCKET_BYTES);
}

bool temporary_memory_request(const struct temporary_memory_shape *shape, enum strategy strategy,
                              struct schedule_request *request)
{
    char text[256];
    struct model_shape model = model_of(shape);
    if (model.width == 0 || model.layers == 0 || model.vocab == 0 || model.seq_len == 0)
        return false;
    model.heads = at_least_one(model.heads);
    model.micro_batch = at_least_one(model.micro_batch);
    if (model_shape_fault(&model, text, sizeof text) != NULL)
        return false;
    *request = (struct schedule_request){
        .strategy = strategy,
        .shape = model,
        .dtype = dtype_of(shape),
        .world_size = at_least_one(whole(shape->world_size, SCHEDULE_LARGEST_WORLD_SIZE)),
        .gradient_accumulation = 1,
        .bucket_bytes = bucket_of(shape),
        .prefetch = option(shape->prefetch, SCHEDULE_DEFAULT_PREFETCH),
        .persistence_threshold = option(shape->persistence_threshold, 0),
        .overlap = shape->overlap != 0,
        .activation_checkpointing = shape->activation_checkpointing == 1,
    };
    return true;
}

/* ---- activations alone ---- */

/* The plan of a shape; false if an input of it is unknown. */
static bool plan_of(const struct temporary_memory_shape *shape, struct activation_plan *plan)
{
    struct model_shape model = model_of(shape);
    bool known = model.width > 0 && model.heads > 0 && model.seq_len > 0 && has_dtype(shape) &&
                 model.micro_batch > 0;
    model.vocab = at_least_one(model.vocab); /* the head's alone */
    if (known)
        *plan = activation_plan_of(&model, dtype_of(shape));
    return known;
}

/* Without: every stream and every stage's tensors stand when the head runs. With: every stream, and
 * one block's tensors or the head's. */
double temporary_memory_activations(const struct temporary_memory_shape *shape, bool checkpointing)
{
    struct activation_plan plan;
    struct model_shape model = model_of(shape);
    if (!plan_of(shape, &plan) || model.layers == 0 || model.vocab == 0)
        return NAN;
    double layers = (double)model.layers;
    double block = (double)plan.block_bytes;
    double head = (double)plan.head_bytes;
    double streams = (layers + 1) * (double)plan.stream_bytes;
    return streams + (checkpointing ? fmax(block, head) : layers * block + head);
}

double temporary_memory_layer_activations(const struct temporary_memory_shape *shape)
{
    struct activation_plan plan;
    return plan_of(shape, &plan) ? (double)(plan.block_bytes + plan.stream_bytes) : NAN;
}

double temporary_memory_layer_input(const struct temporary_memory_shape *shape)
{
    struct activation_plan plan;
    return plan_of(shape, &plan) ? (double)plan.stream_bytes : NAN;
}

double temporary_memory_root_activations(const struct temporary_memory_shape *shape)
{
    struct activation_plan plan;
    if (!plan_of(shape, &plan) || model_of(shape).vocab == 0)
        return NAN;
    return (double)(plan.head_bytes + plan.stream_bytes);
}

/* ---- amounts and what they need ---- */

static bool gathers(enum strategy strategy)
{
    return !schedule_whole_parameters(strategy);
}

static bool reduces(enum strategy strategy)
{
    return !schedule_whole_gradients(strategy);
}

static void add(struct temporary_memory *memory, const char *category, const char *text,
                double bytes)
{
    if (!isnan(bytes))
        memory->amounts[memory->count++] = (struct temporary_memory_amount){category, text, bytes};
}

static const char *activations_text(const struct temporary_memory_shape *shape)
{
    return shape->activation_checkpointing == 1
               ? "each layer's input; one layer's or the head's values"
               : "every layer's and the head's values kept for the backward";
}

/* What the walk found above the residents, in bytes of the wire types given. */
static void add_walked(const struct temporary_memory_shape *shape,
                       const struct schedule_request *request, const struct schedule_walk *walk,
                       struct temporary_memory *memory)
{
    const bool fsdp = request->strategy == STRATEGY_FSDP;
    const double typed = (double)model_dtype_bytes(request->dtype);
    const bool parts = whole(shape->world_size, SCHEDULE_LARGEST_WORLD_SIZE) > 0;
    const double parameter = parts ? shape->parameter_wire_bytes / typed : NAN;
    const double gradient = parts ? shape->gradient_wire_bytes / typed : NAN;
    const uint64_t *peak = walk->category_peak;
    if (gathers(request->strategy))
        add(memory, "gathered_parameters",
            fsdp ? "the root unit and the blocks in use and prefetched, gathered"
                 : "the blocks in use and prefetched, or the embeddings, gathered",
            (double)peak[SCHEDULE_GATHERED_PARAMETERS] * parameter);
    if (reduces(request->strategy)) {
        add(memory, "gradients_unsharded",
            fsdp ? "the root unit's whole gradient" : "the tied embedding's whole gradient",
            (double)peak[SCHEDULE_GRADIENTS_UNSHARDED] * gradient);
        add(memory, "communication_buffers",
            gathers(request->strategy) ? "two blocks' gradients, filled and reduced"
                                       : "two gradient buckets, filled and reduced",
            (double)peak[SCHEDULE_COMMUNICATION_BUFFERS] * gradient);
    }
    if (shape->micro_batch != 0 && shape->activation_checkpointing >= 0)
        add(memory, "activations", activations_text(shape),
            temporary_memory_activations(shape, shape->activation_checkpointing == 1));
}

/* Walks the schedule of the request; *persistent: elements that every rank keeps. */
static enum status walk_shape(const struct schedule_request *request, struct schedule_walk *walk,
                              uint64_t *persistent, struct diag *diag)
{
    struct arena arena = {0};
    struct schedule schedule;
    enum status status = schedule_build(request, &arena, &schedule, diag);
    if (status == STATUS_OK)
        status = schedule_walk_of(&schedule, walk, diag);
    if (status == STATUS_OK)
        *persistent = schedule.persistent_valid_elements;
    arena_fini(&arena);
    return status;
}

/* `fits`: whether the sizes that are there can be those of one model. */
static void name_missing(const struct temporary_memory_shape *shape, enum strategy strategy,
                         bool fits, struct temporary_memory *memory)
{
    const struct model_shape model = model_of(shape);
    bool computes = shape->micro_batch != 0;
    bool parts = reduces(strategy);
    bool together = !fits && model.width > 0 && model.layers > 0 && model.vocab > 0 &&
                    model.seq_len > 0; /* each can be, but not all */
    bool any = computes || parts;
    bool typed = (!computes || has_dtype(shape)) &&
                 (!gathers(strategy) || !isnan(shape->parameter_wire_bytes)) &&
                 (!parts || !isnan(shape->gradient_wire_bytes));
    const struct {
        const char *name;
        bool missing;
    } inputs[] = {
        {"workload.width", any && (model.width == 0 || together)},
        {"workload.layers", any && (model.layers == 0 || together)},
        {"workload.heads", computes && model.heads == 0},
        {"workload.vocab", any && (model.vocab == 0 || together)},
        {"workload.seq_len", any && (model.seq_len == 0 || together)},
        {"workload.micro_batch", computes && (model.micro_batch == 0 || together)},
        {"workload.world_size",
         parts && whole(shape->world_size, SCHEDULE_LARGEST_WORLD_SIZE) == 0},
        {"workload.dtype", !typed},
        {"workload.activation_checkpointing", computes && shape->activation_checkpointing < 0},
    };
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
        if (inputs[i].missing)
            memory->missing[memory->missing_count++] = inputs[i].name;
}

enum status temporary_memory_of(const struct temporary_memory_shape *given, enum strategy strategy,
                                struct temporary_memory *memory, struct diag *diag)
{
    struct temporary_memory result = {.persistent_bytes = NAN};
    struct schedule_request request;
    struct schedule_walk walk = {0};
    uint64_t persistent = 0;
    bool fits = temporary_memory_request(given, strategy, &request);
    /* ddp and zero1 need nothing but activations, which have a closed form. */
    if (fits && reduces(strategy)) {
        enum status status = walk_shape(&request, &walk, &persistent, diag);
        if (status != STATUS_OK)
            return status;
    }
    if (fits)
        add_walked(given, &request, &walk, &result);
    if (fits && strategy == STRATEGY_ZERO3)
        result.persistent_bytes = (double)persistent * given->parameter_wire_bytes;
    name_missing(given, strategy, fits, &result);
    for (size_t i = 0; i < result.count; i++)
        result.total_bytes += result.amounts[i].bytes;
    if (result.missing_count > 0)
        result.total_bytes = NAN;
    *memory = result;
    return STATUS_OK;
}
