#include "schedule_reference.h"

/*
 * Live memory at the few moments at which it can be largest. P: blocks gathered ahead of use.
 *
 * Forward of block i: streams 0..i, saved 1..i (with checkpointing only i). Head: all streams, all
 * saved (with checkpointing none), its own. Backward of block i: streams 0..i-1, saved 1..i (only
 * i), the root's gradient, the gradient being made and the one before it on its way.
 */
struct reference_activations {
    uint64_t stream, block, head;
    bool keeps; /* no checkpointing */
    uint64_t layers;
};

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static struct reference_activations activations_of(const struct reference_sizes *z)
{
    const struct model_shape *s = &z->request->shape;
    const uint64_t rows = s->micro_batch * s->seq_len;
    const uint64_t btc = rows * s->width * z->wire;
    return (struct reference_activations){
        .stream = btc,
        .block = 2 * aligned(2 * rows * 4) + 4 * aligned(btc) + aligned(3 * btc) +
                 aligned(rows * s->heads * 4) + 2 * aligned(4 * btc),
        .head = aligned(2 * rows * 4) + aligned(btc) + aligned(rows * s->vocab * z->wire) +
                aligned(rows * 4),
        .keeps = !z->request->activation_checkpointing,
        .layers = s->layers,
    };
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t saved(const struct reference_activations *a, uint64_t blocks)
{
    return blocks == 0 ? 0 : (a->keeps ? blocks : 1) * a->block;
}

static uint64_t at_forward(const struct reference_activations *a, uint64_t block)
{
    return (block + 1) * a->stream + saved(a, block);
}

static uint64_t at_head(const struct reference_activations *a)
{
    return (a->layers + 1) * a->stream + (a->keeps ? a->layers * a->block : 0) + a->head;
}

static uint64_t at_backward(const struct reference_activations *a, uint64_t block)
{
    return block * a->stream + saved(a, block);
}

/* Elements gathered while block i (0: the embedding, L+1: the head) is in use. */
struct reference_gathered {
    uint64_t block, wte, wpe, root; /* root: gathered all the time */
    uint64_t ahead;
    uint64_t layers;
};

static struct reference_gathered gathered_of(const struct reference_sizes *z)
{
    struct reference_gathered gathered = {
        .ahead = z->request->overlap ? z->request->prefetch : 0,
        .layers = z->request->shape.layers,
    };
    if (z->request->strategy == STRATEGY_ZERO3) {
        gathered.block = z->block_gathered;
        gathered.wte = z->wte_gathered;
        gathered.wpe = z->wpe_gathered;
    } else if (z->request->strategy == STRATEGY_FSDP) {
        gathered.block = z->block;
        gathered.root = z->root;
    }
    return gathered;
}

/* Blocks i..i+P forward, and the head's embedding if it is among the P uses after block i. */
static uint64_t gathered_forward(const struct reference_gathered *g, uint64_t block)
{
    uint64_t last = least(block + g->ahead, g->layers);
    bool head = block > 0 && block + g->ahead > g->layers;
    if (block == 0)
        return g->root + g->wte + g->wpe + last * g->block;
    return g->root + (last - block + 1) * g->block + (head ? g->wte : 0);
}

static uint64_t gathered_head(const struct reference_gathered *g)
{
    return g->root + g->wte + least(g->ahead, g->layers) * g->block;
}

static uint64_t gathered_backward(const struct reference_gathered *g, uint64_t block)
{
    return g->root + least(g->ahead + 1, block) * g->block;
}

/* Whole gradients besides the root's in buffers, elements: largest while `block` (L+1: the head; 0:
 * the embedding) runs backward. */
static uint64_t reduced_buckets(const struct reference_sizes *z, uint64_t block)
{
    uint64_t layers = z->request->shape.layers;
    uint64_t first = block == layers + 1 ? 0 : 1 + (layers - block) * REFERENCE_BLOCK_MODULES;
    uint64_t modules = block == 0 || block == layers + 1 ? 1 : REFERENCE_BLOCK_MODULES;
    uint64_t largest = 0;
    for (uint64_t i = first; i < first + modules; i++) {
        uint64_t bucket = z->bucket_of_module[i];
        uint64_t before = bucket > 0 && z->request->overlap ? z->buckets[bucket - 1] : 0;
        largest = most(largest, z->buckets[bucket] + before);
    }
    return largest;
}

static uint64_t reduced_units(const struct reference_sizes *z, uint64_t block)
{
    uint64_t layers = z->request->shape.layers;
    bool zero3 = z->request->strategy == STRATEGY_ZERO3;
    uint64_t ln_f = zero3 ? z->ln_f : 0;
    uint64_t wpe = zero3 ? z->wpe : 0;
    if (block == layers + 1)
        return ln_f;
    uint64_t before = block == layers ? ln_f : z->block;
    uint64_t own = block == 0 ? wpe : z->block;
    if (!z->request->overlap)
        return own;
    if (block == 0 && own == 0 && layers > 1) /* fsdp: nothing of its own makes the two leave */
        return 2 * z->block;
    return own + before;
}

static uint64_t reduced(const struct reference_sizes *z, uint64_t block)
{
    if (z->request->strategy < STRATEGY_ZERO2)
        return 0;
    return z->request->strategy == STRATEGY_ZERO2 ? reduced_buckets(z, block)
                                                  : reduced_units(z, block);
}

static uint64_t root_gradient(const struct reference_sizes *z)
{
    if (z->request->strategy < STRATEGY_ZERO2)
        return 0;
    return (z->request->strategy == STRATEGY_FSDP ? z->root : z->wte) * z->wire;
}

static void raise_to(uint64_t *peak, uint64_t value)
{
    *peak = most(*peak, value);
}

static void reference_forward(const struct reference_sizes *z, struct schedule_reference *r)
{
    const struct reference_activations a = activations_of(z);
    const struct reference_gathered g = gathered_of(z);
    uint64_t *peak = &r->phase_peak[SCHEDULE_PHASE_FORWARD];
    for (uint64_t i = 0; i <= a.layers; i++) {
        raise_to(peak, at_forward(&a, i) + gathered_forward(&g, i) * z->wire);
        raise_to(&r->category_peak[SCHEDULE_ACTIVATIONS], at_forward(&a, i));
        raise_to(&r->category_peak[SCHEDULE_GATHERED_PARAMETERS],
                 gathered_forward(&g, i) * z->wire);
    }
    raise_to(peak, at_head(&a) + gathered_head(&g) * z->wire);
    raise_to(&r->category_peak[SCHEDULE_ACTIVATIONS], at_head(&a));
}

static void reference_backward(const struct reference_sizes *z, struct schedule_reference *r)
{
    const struct reference_activations a = activations_of(z);
    const struct reference_gathered g = gathered_of(z);
    uint64_t *peak = &r->phase_peak[SCHEDULE_PHASE_BACKWARD];
    for (uint64_t i = 0; i <= a.layers + 1; i++) {
        bool head = i == a.layers + 1;
        uint64_t gathered = head ? gathered_head(&g) : gathered_backward(&g, i);
        uint64_t whole = reduced(z, i) * z->wire;
        raise_to(peak, (head ? at_head(&a) : at_backward(&a, i)) + root_gradient(z) + whole +
                           gathered * z->wire);
        raise_to(&r->category_peak[SCHEDULE_COMMUNICATION_BUFFERS], whole);
        raise_to(&r->category_peak[SCHEDULE_GATHERED_PARAMETERS], gathered * z->wire);
    }
    r->category_peak[SCHEDULE_GRADIENTS_UNSHARDED] = root_gradient(z);
}

void reference_memory(const struct reference_sizes *sizes, struct schedule_reference *reference)
{
    uint64_t resident = 0;
    for (int i = 0; i < SCHEDULE_CATEGORY_COUNT; i++)
        resident += reference->resident[i];
    reference_forward(sizes, reference);
    reference_backward(sizes, reference);
    for (int i = 0; i < SCHEDULE_CATEGORY_COUNT; i++)
        reference->category_peak[i] += reference->resident[i];
    for (int i = SCHEDULE_PHASE_INIT; i <= SCHEDULE_PHASE_OPTIMIZER; i++)
        reference->phase_peak[i] += resident;
}
