#ifndef RANKLEDGER_TEMPORARY_MEMORY_H
#define RANKLEDGER_TEMPORARY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "training_state.h"

/*
 * Closed forms of the memory that a rank needs for a while beside its resident training state, for
 * a decoder-only transformer with GPT-2's conventions and tied embedding. The amounts of one
 * strategy need not stand at the same moment, so their sum is an upper bound of the peak above the
 * resident state; libraries' own buffers are not in it.
 *
 * Shape letters: C width, L layers, H heads, V vocabulary, T sequence length, B micro-batch.
 */

#define TEMPORARY_MEMORY_DEFAULT_BUCKET_BYTES 26214400.0 /* 25 MiB, the usual gradient bucket */

/* NAN (or -1 for the flag) where unknown. */
struct temporary_memory_shape {
    double width, layers, heads, vocab, seq_len, micro_batch;
    double parameter_wire_bytes;  /* of one parameter as gathered */
    double gradient_wire_bytes;   /* of one gradient as reduced */
    double activation_bytes;      /* of one activation: 2 or 4 */
    double bucket_bytes;          /* NAN: the default */
    int activation_checkpointing; /* -1 unknown, 0, 1 */
};

struct temporary_memory_amount {
    const char *category; /* as in the evidence contract: "gathered_parameters", ...; static */
    const char *text;     /* the formula in words; static */
    double bytes;
};

#define TEMPORARY_MEMORY_MAX_AMOUNTS 4
#define TEMPORARY_MEMORY_MAX_MISSING 10

struct temporary_memory {
    struct temporary_memory_amount amounts[TEMPORARY_MEMORY_MAX_AMOUNTS];
    size_t count;
    double total_bytes;                                /* NAN if an input is missing */
    const char *missing[TEMPORARY_MEMORY_MAX_MISSING]; /* names of workload fields; static */
    size_t missing_count;
};

/*
 * Fills *memory: each amount whose inputs are all there, and the names of the inputs that are not.
 * A strategy that needs no amount of a category has no row for it. An input above 1e15 counts as
 * missing.
 */
void temporary_memory_of(const struct temporary_memory_shape *given, enum strategy strategy,
                         struct temporary_memory *memory);

/* Parameters of one block: the 2-D tensors alone, and all: 12 C^2 and 12 C^2 + 13 C (query, key,
 * value 3C^2 + 3C; projection C^2 + C; up 4C^2 + 4C; down 4C^2 + C; two norms 4C). */
double temporary_memory_block_matrices(double width);
double temporary_memory_block_parameters(double width);

/* Parameters outside the blocks: V C + T C + 2 C (embeddings and final norm). */
double temporary_memory_root_parameters(const struct temporary_memory_shape *shape);

/* Bytes that one layer keeps for its backward, that it keeps under checkpointing (its input), and
 * that lie outside the layers (embedding, head, logits). NAN where an input is unknown. */
double temporary_memory_layer_activations(const struct temporary_memory_shape *shape);
double temporary_memory_layer_input(const struct temporary_memory_shape *shape);
double temporary_memory_root_activations(const struct temporary_memory_shape *shape);

#endif
