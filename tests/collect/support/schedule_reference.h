#ifndef RANKLEDGER_SCHEDULE_REFERENCE_H
#define RANKLEDGER_SCHEDULE_REFERENCE_H

#include "schedule.h"

/*
 * What a schedule must add up to, written down a second time as closed forms: own list of tensors,
 * own units, nothing but types and names from the product.
 */
struct schedule_reference {
    uint64_t calls[SCHEDULE_COLLECTIVE_COUNT][SCHEDULE_PURPOSE_COUNT];
    uint64_t payload[SCHEDULE_COLLECTIVE_COUNT][SCHEDULE_PURPOSE_COUNT];
    uint64_t resident[SCHEDULE_CATEGORY_COUNT];
    uint64_t category_peak[SCHEDULE_CATEGORY_COUNT];
    uint64_t phase_peak[SCHEDULE_PHASE_COUNT];
    uint64_t parameters, gradients, optimizer_state, persistent, padding; /* the ledger */
};

struct schedule_reference schedule_reference_of(const struct schedule_request *request);

/* --- shared by the two files of the reference --- */

#define REFERENCE_BLOCK_MODULES 6
#define REFERENCE_MOST_BUCKETS 64

struct reference_sizes {
    const struct schedule_request *request;
    uint64_t wire; /* bytes of an element in a collective */
    /* Elements, padded where they are units of their own. */
    uint64_t wte, wpe, root, block;      /* bucket and flat units */
    uint64_t block_gathered;             /* zero3: of the block's tensors that do not persist */
    uint64_t wte_gathered, wpe_gathered; /* zero3: 0 if it persists */
    uint64_t ln_f;                       /* zero3: weight and bias, two units */
    uint64_t persistent, persistent_valid;
    uint64_t all; /* of all units */
    uint64_t parameters;
    /* Buckets in backward order without wte's; by module: final norm, then 6 a block from the last
     * (down, up, ln2, projection, qkv, ln1), then wpe. */
    uint64_t buckets[REFERENCE_MOST_BUCKETS];
    uint64_t bucket_count;
    uint64_t bucket_of_module[REFERENCE_MOST_BUCKETS * REFERENCE_BLOCK_MODULES];
};

struct reference_sizes reference_sizes_of(const struct schedule_request *request);
void reference_memory(const struct reference_sizes *sizes, struct schedule_reference *reference);

#endif
