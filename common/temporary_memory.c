#include "temporary_memory.h"

#include <math.h>

/* At most two blocks are gathered besides the root, and two reductions are in flight: the next
 * block is prefetched while one computes, the last one's gradient leaves while one computes. */
#define BLOCKS_IN_USE 2.0

double temporary_memory_block_matrices(double width)
{
    return 12 * width * width;
}

double temporary_memory_block_parameters(double width)
{
    return 12 * width * width + 13 * width;
}

double temporary_memory_root_parameters(const struct temporary_memory_shape *shape)
{
    return shape->vocab * shape->width + shape->seq_len * shape->width + 2 * shape->width;
}

static void add(struct temporary_memory *memory, const char *category, const char *text,
                double bytes)
{
    if (!isnan(bytes))
        memory->amounts[memory->count++] = (struct temporary_memory_amount){category, text, bytes};
}

static double blocks_in_use(const struct temporary_memory_shape *shape)
{
    return isnan(shape->layers) ? NAN : fmin(BLOCKS_IN_USE, shape->layers);
}

/*
 * zero3 gathers a block's tensors in one call, its 1-D tensors stay on every rank; the tied
 * embedding is gathered while it is used, at both ends of the model. fsdp gathers flat blocks whole
 * and its root unit stays gathered from its forward to the end of its backward. (PyTorch's
 * fully_shard and DeepSpeed's stage 3 behave so with a prefetch of one unit.)
 */
static void add_gathered(const struct temporary_memory_shape *shape, enum strategy strategy,
                         struct temporary_memory *memory)
{
    double wire = shape->parameter_wire_bytes;
    if (strategy == STRATEGY_ZERO3)
        add(memory, "gathered_parameters", "two blocks' matrices and the tied embedding, gathered",
            (blocks_in_use(shape) * temporary_memory_block_matrices(shape->width) +
             shape->vocab * shape->width) *
                wire);
    else if (strategy == STRATEGY_FSDP)
        add(memory, "gathered_parameters", "two blocks and the root unit, gathered",
            (blocks_in_use(shape) * temporary_memory_block_parameters(shape->width) +
             temporary_memory_root_parameters(shape)) *
                wire);
}

/*
 * Gradients on their way into a shard. zero2 fills one bucket while the one before is reduced; a
 * tensor is never split, so a bucket is at least as large as the largest one (4 C^2). zero3 and
 * fsdp reduce block by block, two in flight.
 */
static void add_reduced(const struct temporary_memory_shape *shape, enum strategy strategy,
                        struct temporary_memory *memory)
{
    double wire = shape->gradient_wire_bytes;
    double blocks = shape->layers * temporary_memory_block_parameters(shape->width) * wire;
    if (strategy == STRATEGY_ZERO2) {
        double bucket = isnan(shape->bucket_bytes) ? TEMPORARY_MEMORY_DEFAULT_BUCKET_BYTES
                                                   : shape->bucket_bytes;
        double largest = 4 * shape->width * shape->width * wire;
        if (!isnan(blocks) && largest > bucket)
            bucket = largest;
        if (!isnan(blocks))
            add(memory, "communication_buffers", "two gradient buckets being filled and reduced",
                fmin(2 * bucket, blocks));
    } else if (strategy == STRATEGY_ZERO3 || strategy == STRATEGY_FSDP) {
        add(memory, "communication_buffers", "two blocks' gradients being reduced",
            blocks_in_use(shape) * temporary_memory_block_parameters(shape->width) * wire);
    }
}

/* The tied embedding collects gradient at both ends of the backward, so its full gradient lives
 * through all of it; in fsdp it is a part of the root unit, whose gradient is whole as well. */
static void add_unsharded(const struct temporary_memory_shape *shape, enum strategy strategy,
                          struct temporary_memory *memory)
{
    if (strategy == STRATEGY_ZERO2 || strategy == STRATEGY_ZERO3)
        add(memory, "gradients_unsharded", "the tied embedding's whole gradient",
            shape->vocab * shape->width * shape->gradient_wire_bytes);
    else if (strategy == STRATEGY_FSDP)
        add(memory, "gradients_unsharded", "the root unit's whole gradient",
            temporary_memory_root_parameters(shape) * shape->gradient_wire_bytes);
}

/*
 * What one layer keeps for its backward.
 * 16 bit: T B C (34 + 5 H T / C) bytes (Korthikanti et al., arXiv:2205.05198, equation 1).
 * 32 bit: 18 tensors of B T C, 2 of B H T^2 and 4 of B T, of 4 bytes (a GPT-2 without dropout:
 * karpathy/llm.c, train_gpt2.c).
 */
double temporary_memory_layer_activations(const struct temporary_memory_shape *shape)
{
    double tokens = shape->seq_len * shape->micro_batch;
    double scores = shape->heads * shape->seq_len * tokens;
    if (shape->activation_bytes == 2)
        return 34 * tokens * shape->width + 5 * scores;
    return shape->activation_bytes * (18 * tokens * shape->width + 2 * scores + 4 * tokens);
}

double temporary_memory_layer_input(const struct temporary_memory_shape *shape)
{
    return shape->seq_len * shape->micro_batch * shape->width * shape->activation_bytes;
}

/*
 * Outside the layers. 16 bit: the final norm's and the head's input, 2 T B C bytes each, and the
 * logits in 32 bit, 4 T B V (arXiv:2205.05198, section 4.3). 32 bit: the embedding and the final
 * norm, 2 B T C, the logits and the probabilities, 2 B T V, and 3 of B T (llm.c, train_gpt2.c).
 */
double temporary_memory_root_activations(const struct temporary_memory_shape *shape)
{
    double tokens = shape->seq_len * shape->micro_batch;
    if (shape->activation_bytes == 2)
        return 4 * tokens * shape->width + 4 * tokens * shape->vocab;
    return shape->activation_bytes *
           (2 * tokens * shape->width + 2 * tokens * shape->vocab + 3 * tokens);
}

/* With checkpointing a layer keeps its input alone, T B C elements (2 T B C bytes in 16 bit:
 * arXiv:2205.05198, section 5), and the one being recomputed its full set. */
static void add_activations(const struct temporary_memory_shape *shape,
                            struct temporary_memory *memory)
{
    double layer = temporary_memory_layer_activations(shape);
    double inputs = temporary_memory_layer_input(shape);
    if (shape->activation_checkpointing > 0)
        add(memory, "activations", "each layer's input, one layer recomputed, the head",
            shape->layers * inputs + layer + temporary_memory_root_activations(shape));
    else if (shape->activation_checkpointing == 0)
        add(memory, "activations", "every layer's and the head's values kept for the backward",
            shape->layers * layer + temporary_memory_root_activations(shape));
}

static void name_missing(const struct temporary_memory_shape *shape, enum strategy strategy,
                         struct temporary_memory *memory)
{
    bool gathers = strategy == STRATEGY_ZERO3 || strategy == STRATEGY_FSDP;
    bool reduces = gathers || strategy == STRATEGY_ZERO2;
    bool typed = !isnan(shape->activation_bytes) &&
                 (!gathers || !isnan(shape->parameter_wire_bytes)) &&
                 (!reduces || !isnan(shape->gradient_wire_bytes));
    const struct {
        const char *name;
        bool missing;
    } inputs[] = {
        {"workload.width", isnan(shape->width)},
        {"workload.layers", isnan(shape->layers)},
        {"workload.heads", isnan(shape->heads)},
        {"workload.vocab", isnan(shape->vocab)},
        {"workload.seq_len", isnan(shape->seq_len)},
        {"workload.micro_batch", isnan(shape->micro_batch)},
        {"workload.dtype", !typed},
        {"workload.activation_checkpointing", shape->activation_checkpointing < 0},
    };
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
        if (inputs[i].missing)
            memory->missing[memory->missing_count++] = inputs[i].name;
}

/* A dimension beyond this is a mistake, and products of such would leave the range of a double. */
#define LARGEST_DIMENSION 1e15

static double dimension(double value)
{
    return value <= LARGEST_DIMENSION ? value : NAN;
}

void temporary_memory_of(const struct temporary_memory_shape *given, enum strategy strategy,
                         struct temporary_memory *memory)
{
    struct temporary_memory_shape known = *given;
    known.width = dimension(given->width);
    known.layers = dimension(given->layers);
    known.heads = dimension(given->heads);
    known.vocab = dimension(given->vocab);
    known.seq_len = dimension(given->seq_len);
    known.micro_batch = dimension(given->micro_batch);
    known.parameter_wire_bytes = dimension(given->parameter_wire_bytes);
    known.gradient_wire_bytes = dimension(given->gradient_wire_bytes);
    known.bucket_bytes = dimension(given->bucket_bytes);
    const struct temporary_memory_shape *shape = &known;
    *memory = (struct temporary_memory){0};
    add_gathered(shape, strategy, memory);
    add_unsharded(shape, strategy, memory);
    add_reduced(shape, strategy, memory);
    add_activations(shape, memory);
    name_missing(shape, strategy, memory);
    for (size_t i = 0; i < memory->count; i++)
        memory->total_bytes += memory->amounts[i].bytes;
    if (memory->missing_count > 0)
        memory->total_bytes = NAN;
}
