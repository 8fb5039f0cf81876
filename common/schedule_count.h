#ifndef RANKLEDGER_SCHEDULE_COUNT_H
#define RANKLEDGER_SCHEDULE_COUNT_H

#include "schedule.h"

/* What one rank's collectives of one optimizer step add up to. */
struct schedule_count {
    uint64_t calls[SCHEDULE_COLLECTIVE_COUNT][SCHEDULE_PURPOSE_COUNT];
    uint64_t payload_bytes[SCHEDULE_COLLECTIVE_COUNT][SCHEDULE_PURPOSE_COUNT];
};

struct schedule_count schedule_count_of(const struct schedule *schedule);

/*
 * Bytes that a rank sends for a payload: all-reduce 2 (N-1)/N, the others (N-1)/N of it (the bus
 * factors of NVIDIA/nccl-tests, doc/PERFORMANCE.md).
 */
double schedule_count_bus_factor(enum schedule_collective collective, uint64_t world_size);

#endif
