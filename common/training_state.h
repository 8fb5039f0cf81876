#ifndef RANKLEDGER_TRAINING_STATE_H
#define RANKLEDGER_TRAINING_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"

/* The strategies in the order in which they shard more; names are those of the evidence contract. */
enum strategy { STRATEGY_DDP, STRATEGY_ZERO1, STRATEGY_ZERO2, STRATEGY_ZERO3, STRATEGY_FSDP, STRATEGY_COUNT };

/*
 * One row a strategy. A component (parameters, gradients, optimizer state) that is sharded is
 * divided by the world size, one that is not is replicated on every rank (ZeRO,
 * arXiv:1910.02054, section 3).
 */
struct training_state_row {
    const char *name;     /* as in the evidence contract */
    const char *group;    /* G0 baseline, G1 optimizer and gradient sharding, G2 full state sharding */
    bool shards_parameters;
    bool shards_gradients;
    bool shards_optimizer;
};

/* The row of a strategy; never NULL for a value below STRATEGY_COUNT. Static storage. */
const struct training_state_row *training_state_row(enum strategy strategy);

/* True and *strategy set if `name` (`length` bytes, exact) is a strategy. */
bool training_state_find(const char *name, size_t length, enum strategy *strategy);

/* Bytes per parameter of each component. */
struct training_state_bytes {
    double parameters;
    double gradients;
    double optimizer;
};

/*
 * Bytes per parameter of mixed-precision Adam: fp32 4+4+8; bf16 2+2+12 (fp32 master weights,
 * momentum, variance: ZeRO section 3), and for fsdp 4+4+8, whose fp32 shard is the master copy.
 * `dtype` is "fp32", "bf16" or "fp16" (as bf16). False if the dtype is another.
 */
bool training_state_bytes_of_dtype(const char *dtype, enum strategy strategy,
                                   struct training_state_bytes *bytes);

/* Resident state of one rank, in the unit of the inputs. */
struct training_state_ledger {
    double parameters;
    double gradients;
    double optimizer;
    double resident; /* the sum */
};

/*
 * Per-rank resident training state: each total divided by the world size where the strategy
 * shards it. 400/400/800 on 4 ranks give 1600, 1000, 700, 400, 400. Fails with STATUS_USAGE if
 * world_size < 1, the strategy is out of range, or a total or the sum is negative or not finite.
 */
enum status training_state_ledger(const struct training_state_bytes *totals, int64_t world_size,
                                  enum strategy strategy, struct training_state_ledger *ledger,
                                  struct diag *diag) STATUS_CHECKED;

#endif
