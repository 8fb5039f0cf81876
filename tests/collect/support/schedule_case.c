#include "schedule_case.h"

#include <inttypes.h>
#include <stdio.h>

const struct model_shape schedule_case_shapes[] = {
    {.width = 8, .layers = 2, .heads = 2, .vocab = 11, .seq_len = 4, .micro_batch = 2},
    {.width = 24, .layers = 3, .heads = 3, .vocab = 97, .seq_len = 10, .micro_batch = 1},
    {.width = 20, .layers = 1, .heads = 5, .vocab = 50, .seq_len = 400, .micro_batch = 1},
    {.width = 40, .layers = 4, .heads = 5, .vocab = 3001, .seq_len = 7, .micro_batch = 3},
};
const size_t schedule_case_shape_count =
    sizeof schedule_case_shapes / sizeof schedule_case_shapes[0];

/* A value out of `count`, and the rest of the index for the options after it. */
static size_t next(size_t *index, size_t count)
{
    size_t value = *index % count;
    *index /= count;
    return value;
}

bool schedule_case_options(size_t index, struct schedule_request *request)
{
    static const uint64_t buckets[] = {SCHEDULE_DEFAULT_BUCKET_BYTES, 9000, 0};
    static const uint64_t thresholds[] = {0, 600, 1 << 20};
    request->dtype = (enum model_dtype)next(&index, MODEL_DTYPE_COUNT);
    request->gradient_accumulation = next(&index, 2) == 0 ? 1 : 3;
    request->overlap = next(&index, 2) == 0;
    request->activation_checkpointing = next(&index, 2) == 1;
    request->workspace_bytes = 4096;
    /* What decides nothing in this strategy is not varied. */
    bool buckets_matter = request->strategy <= STRATEGY_ZERO2;
    request->bucket_bytes = buckets[next(&index, buckets_matter ? 3 : 1)];
    request->prefetch = next(&index, buckets_matter ? 1 : 5);
    bool persists = request->strategy == STRATEGY_ZERO3;
    request->persistence_threshold = thresholds[next(&index, persists ? 3 : 1)];
    return index == 0;
}

const char *schedule_case_text(const struct schedule_request *request, char text[256])
{
    snprintf(text, 256,
             "%s N=%" PRIu64 " G=%" PRIu64 " C=%" PRIu64 " %s bucket=%" PRIu64 " prefetch=%" PRIu64
             " threshold=%" PRIu64 " overlap=%d checkpointing=%d",
             training_state_row(request->strategy)->name, request->world_size,
             request->gradient_accumulation, request->shape.width, model_dtype_name(request->dtype),
             request->bucket_bytes, request->prefetch, request->persistence_threshold,
             request->overlap, request->activation_checkpointing);
    return text;
}
