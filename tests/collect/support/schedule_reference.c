#include "schedule_reference.h"

static uint64_t padded(uint64_t elements, const struct schedule_request *request)
{
    uint64_t multiple = 16 * request->world_size;
    return elements % multiple == 0 ? elements : elements + multiple - elements % multiple;
}

/* zero3: one unit a tensor. */
static void add_tensor(struct reference_sizes *sizes, uint64_t elements, bool matrix,
                       uint64_t *unit, uint64_t *gathered)
{
    uint64_t size = padded(elements, sizes->request);
    *unit += size;
    if (matrix && elements > sizes->request->persistence_threshold) {
        *gathered += size;
        return;
    }
    sizes->persistent += size;
    sizes->persistent_valid += elements;
}

static void size_tensors(struct reference_sizes *sizes)
{
    const struct model_shape *s = &sizes->request->shape;
    const uint64_t c = s->width;
    const uint64_t matrices[] = {3 * c * c, c * c, 4 * c * c, 4 * c * c};
    const uint64_t vectors[] = {c, c, 3 * c, c, c, c, 4 * c, c};
    uint64_t none = 0;
    add_tensor(sizes, s->vocab * c, true, &sizes->wte, &sizes->wte_gathered);
    add_tensor(sizes, s->seq_len * c, true, &sizes->wpe, &sizes->wpe_gathered);
    for (uint64_t block = 0; block < s->layers; block++) {
        sizes->block = sizes->block_gathered = 0;
        for (int i = 0; i < 4; i++)
            add_tensor(sizes, matrices[i], true, &sizes->block, &sizes->block_gathered);
        for (int i = 0; i < 8; i++)
            add_tensor(sizes, vectors[i], false, &sizes->block, &none);
    }
    for (int i = 0; i < 2; i++)
        add_tensor(sizes, c, false, &sizes->ln_f, &none);
    sizes->all = sizes->wte + sizes->wpe + s->layers * sizes->block + sizes->ln_f;
}

static void size_flat(struct reference_sizes *sizes)
{
    const struct model_shape *s = &sizes->request->shape;
    const uint64_t c = s->width;
    sizes->root = padded(s->vocab * c + s->seq_len * c + 2 * c, sizes->request);
    sizes->block = padded(12 * c * c + 13 * c, sizes->request);
    sizes->all = sizes->root + s->layers * sizes->block;
}

static void size_buckets(struct reference_sizes *sizes)
{
    const struct schedule_request *request = sizes->request;
    const struct model_shape *s = &request->shape;
    const uint64_t c = s->width;
    const uint64_t of_block[REFERENCE_BLOCK_MODULES] = {4 * c * c + c, 4 * c * c + 4 * c, 2 * c,
                                                        c * c + c,     3 * c * c + 3 * c, 2 * c};
    uint64_t limit = request->bucket_bytes < 1048576 ? request->bucket_bytes : 1048576;
    uint64_t modules = REFERENCE_BLOCK_MODULES * s->layers + 2;
    uint64_t filled = 0;
    for (uint64_t i = 0; i < modules; i++) {
        uint64_t elements = of_block[(i + REFERENCE_BLOCK_MODULES - 1) % REFERENCE_BLOCK_MODULES];
        if (i == 0)
            elements = 2 * c;
        else if (i == modules - 1)
            elements = s->seq_len * c;
        filled += elements;
        sizes->bucket_of_module[i] = sizes->bucket_count;
        if (filled * sizes->wire < limit && i < modules - 1)
            continue;
        sizes->buckets[sizes->bucket_count++] = padded(filled, request);
        sizes->all += padded(filled, request);
        filled = 0;
        limit = request->bucket_bytes;
    }
    sizes->wte = padded(s->vocab * c, request);
    sizes->all += sizes->wte;
}

struct reference_sizes reference_sizes_of(const struct schedule_request *request)
{
    const struct model_shape *s = &request->shape;
    const uint64_t c = s->width;
    struct reference_sizes sizes = {.request = request};
    sizes.wire = request->dtype == MODEL_BF16 ? 2 : 4;
    sizes.parameters = s->vocab * c + s->seq_len * c + 2 * c + s->layers * (12 * c * c + 13 * c);
    if (request->strategy == STRATEGY_ZERO3)
        size_tensors(&sizes);
    else if (request->strategy == STRATEGY_FSDP)
        size_flat(&sizes);
    else
        size_buckets(&sizes);
    return sizes;
}

static void count(struct schedule_reference *reference, enum schedule_collective collective,
                  enum schedule_purpose purpose, uint64_t calls, uint64_t bytes)
{
    reference->calls[collective][purpose] = calls;
    reference->payload[collective][purpose] = bytes;
}

static void count_collectives(const struct reference_sizes *z, struct schedule_reference *r)
{
    const uint64_t g = z->request->gradient_accumulation;
    const uint64_t layers = z->request->shape.layers;
    const uint64_t buckets = z->bucket_count + 1;
    const uint64_t all = z->all * z->wire;
    if (z->request->strategy != STRATEGY_DDP)
        count(r, SCHEDULE_ALL_REDUCE, SCHEDULE_SCALAR, 1, 8);
    switch (z->request->strategy) {
    case STRATEGY_DDP:
        count(r, SCHEDULE_ALL_REDUCE, SCHEDULE_GRADIENT_REDUCTION, buckets, all);
        break;
    case STRATEGY_ZERO1:
        count(r, SCHEDULE_REDUCE_SCATTER, SCHEDULE_GRADIENT_REDUCTION, buckets, all);
        count(r, SCHEDULE_ALL_GATHER, SCHEDULE_PARAMETER_SYNC, buckets, all);
        break;
    case STRATEGY_ZERO2:
        count(r, SCHEDULE_REDUCE_SCATTER, SCHEDULE_GRADIENT_REDUCTION, g * buckets, g * all);
        count(r, SCHEDULE_ALL_GATHER, SCHEDULE_PARAMETER_SYNC, buckets, all);
        break;
    case STRATEGY_ZERO3:
        count(r, SCHEDULE_REDUCE_SCATTER, SCHEDULE_GRADIENT_REDUCTION, g * (layers + 3), g * all);
        count(r, SCHEDULE_ALL_GATHER, SCHEDULE_PARAMETER_GATHER,
              g * (2 * layers * (z->block_gathered > 0) + 2 * (z->wte_gathered > 0) +
                   (z->wpe_gathered > 0)),
              g * z->wire *
                  (2 * layers * z->block_gathered + 2 * z->wte_gathered + z->wpe_gathered));
        count(r, SCHEDULE_ALL_GATHER, SCHEDULE_PARAMETER_SYNC, 1, z->persistent * z->wire);
        break;
    default:
        count(r, SCHEDULE_REDUCE_SCATTER, SCHEDULE_GRADIENT_REDUCTION, g * (layers + 1), g * all);
        count(r, SCHEDULE_ALL_GATHER, SCHEDULE_PARAMETER_GATHER, g * (2 * layers + 1),
              g * z->wire * (2 * layers * z->block + z->root));
        break;
    }
}

/* Bytes a parameter, and over how many ranks each component is spread. */
static void size_state(const struct reference_sizes *z, struct schedule_reference *r)
{
    const uint64_t n = z->request->world_size;
    enum strategy strategy = z->request->strategy;
    bool fsdp = strategy == STRATEGY_FSDP;
    uint64_t typed = fsdp ? 4 : z->wire;
    uint64_t optimizer = z->request->dtype == MODEL_BF16 && !fsdp ? 12 : 8;
    uint64_t over_parameters = strategy >= STRATEGY_ZERO3 ? n : 1;
    uint64_t over_gradients = strategy >= STRATEGY_ZERO2 ? n : 1;
    uint64_t over_optimizer = strategy >= STRATEGY_ZERO1 ? n : 1;
    r->resident[SCHEDULE_PARAMETERS] = z->all / over_parameters * typed + z->persistent * z->wire;
    r->resident[SCHEDULE_GRADIENTS] = z->all / over_gradients * typed;
    r->resident[SCHEDULE_OPTIMIZER_STATE] = z->all / over_optimizer * optimizer;
    r->resident[SCHEDULE_WORKSPACE] = z->request->workspace_bytes;
    r->parameters = z->parameters * typed / over_parameters;
    r->gradients = z->parameters * typed / over_gradients;
    r->optimizer_state = z->parameters * optimizer / over_optimizer;
    r->persistent = z->persistent_valid * z->wire;
    r->padding = r->resident[SCHEDULE_PARAMETERS] + r->resident[SCHEDULE_GRADIENTS] +
                 r->resident[SCHEDULE_OPTIMIZER_STATE] - r->parameters - r->gradients -
                 r->optimizer_state - r->persistent;
}

struct schedule_reference schedule_reference_of(const struct schedule_request *request)
{
    struct schedule_reference reference = {0};
    struct reference_sizes sizes = reference_sizes_of(request);
    count_collectives(&sizes, &reference);
    size_state(&sizes, &reference);
    reference_memory(&sizes, &reference);
    return reference;
}
