#ifndef RANKLEDGER_EVIDENCE_LEVEL_H
#define RANKLEDGER_EVIDENCE_LEVEL_H

#include <stdbool.h>
#include <stddef.h>

/* How real a record's numbers are (evidence contract, "Evidence levels"). */
struct evidence_level {
    const char *name;
    int rank;         /* larger is stronger; equal for levels of the same strength */
    bool times_count; /* whether times, throughput and communication may be judged */
    bool several_gpus; /* real training on several GPUs; below it a chart says so */
};

/* The row of a level's exact name (`length` bytes), or NULL if the contract does not list it. An
 * unknown level ranks lowest and its times do not count. */
const struct evidence_level *evidence_level_find(const char *name, size_t length);

/* The rank of a level, 0 for an unknown one. */
int evidence_level_rank(const struct evidence_level *level);

/* All rows, weakest first; *count set. */
const struct evidence_level *evidence_level_table(size_t *count);

#endif
