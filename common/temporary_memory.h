#ifndef RANKLEDGER_TEMPORARY_MEMORY_H
#define RANKLEDGER_TEMPORARY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "schedule.h"

/*
 * The memory that a rank needs for a while beside its resident training state, as the collector's
 * schedule of a strategy walks it (schedule_walk.h): for a decoder-only transformer with GPT-2's
 * conventions and tied embedding, whose attention keeps no probabilities. Each amount is its
 * category's largest value in a step. They need not stand at the same moment, so their sum is an
 * upper bound of the peak above the resident state; operators' workspace and libraries' own buffers
 * are not in it.
 *
 * Shape letters: C width, L layers, H heads, V vocabulary, T sequence length, B micro-batch, N
 * world size.
 */

/* NAN (or -1 for the flags) where unknown. A micro-batch of 0 leaves the activations out, and with
 * them the need for what only they have: heads, data type, checkpointing. */
struct temporary_memory_shape {
    double width, layers, heads, vocab, seq_len, micro_batch;
    double world_size;
    double parameter_wire_bytes;  /* of one parameter as gathered */
    double gradient_wire_bytes;   /* of one gradient as reduced */
    double activation_bytes;      /* of one activation: 2 or 4 */
    double bucket_bytes;          /* NAN: the collector's default, as of the next two */
    double prefetch;              /* units gathered ahead of use */
    double persistence_threshold; /* elements up to which a 2-D tensor persists (zero3) */
    int overlap;                  /* 0: every collective is waited for at once; -1 as 1 */
    int activation_checkpointing; /* -1 unknown, 0, 1 */
};

struct temporary_memory_amount {
    const char *category; /* as in the evidence contract: "gathered_parameters", ...; static */
    const char *text;     /* what it consists of, in words; static */
    double bytes;
};

#define TEMPORARY_MEMORY_MAX_AMOUNTS 4
#define TEMPORARY_MEMORY_MAX_MISSING 10

struct temporary_memory {
    struct temporary_memory_amount amounts[TEMPORARY_MEMORY_MAX_AMOUNTS];
    size_t count;
    double total_bytes; /* NAN if an input is missing */
    /* Not temporary, and in no formula of the resident state: parameters that zero3 keeps whole on
     * every rank (1-D tensors and those up to the threshold). NAN: another strategy, or unknown. */
    double persistent_bytes;
    const char *missing[TEMPORARY_MEMORY_MAX_MISSING]; /* names of workload fields; static */
    size_t missing_count;
};

/*
 * Fills *memory: each amount whose inputs are all there, and the names of the inputs that are not.
 * A strategy that needs no amount of a category has no row for it. Sizes are rounded to whole
 * numbers; one beyond what schedules count (schedule_build) is missing. STATUS_ENVIRONMENT without
 * memory.
 */
enum status temporary_memory_of(const struct temporary_memory_shape *given, enum strategy strategy,
                                struct temporary_memory *memory, struct diag *diag) STATUS_CHECKED;

/*
 * The schedule of one micro-batch of this shape: every other is like it. What an amount needs and
 * the shape lacks is replaced by the smallest size. False if a size that every unit depends on is
 * missing (width, layers, vocab, seq_len), or sizes do not fit together.
 */
bool temporary_memory_request(const struct temporary_memory_shape *shape, enum strategy strategy,
                              struct schedule_request *request);

/* Bytes of activations at their peak, without and with checkpointing; what one layer keeps for its
 * backward (its residual stream with it); what it keeps under checkpointing; what lies outside the
 * layers (the embedding's stream and the head). NAN where an input is unknown. */
double temporary_memory_activations(const struct temporary_memory_shape *shape, bool checkpointing);
double temporary_memory_layer_activations(const struct temporary_memory_shape *shape);
double temporary_memory_layer_input(const struct temporary_memory_shape *shape);
double temporary_memory_root_activations(const struct temporary_memory_shape *shape);

#endif
