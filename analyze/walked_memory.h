#ifndef RANKLEDGER_WALKED_MEMORY_H
#define RANKLEDGER_WALKED_MEMORY_H

#include "candidate.h"
#include "schedule.h"

/*
 * The peak of a run that our collector has not made yet, by walking its schedule
 * (schedule_walk.h): exact, because the collector allocates what the schedule says and nothing
 * else. What does not follow from the schedule is the operators' workspace. It depends on the
 * model's shape, the micro-batch, the number format and the threads, not on the strategy nor on
 * activation checkpointing.
 */

struct walked_memory {
    bool known; /* the walk says of this candidate what was foreseen and measured of it */
    struct schedule_request request; /* as the candidate was run, its workspace included */
    /* Where the gate reads a device's memory: what that held besides, measured: context, kernels,
     * libraries, the arena's gaps. Otherwise 0. */
    bool on_device;
    double beside_mb;
};

/*
 * Whether a candidate (its ledger filled) can be walked: the records are our own collector's, the
 * gate reads allocated memory or a device's, the model's shape is known, and the walk gives exactly
 * the peak that was measured (of a run that failed: foreseen). STATUS_ENVIRONMENT without memory.
 */
enum status walked_memory_of(const struct candidate *candidate, struct walked_memory *walked,
                             struct diag *diag) STATUS_CHECKED;

/* Of other settings: request as it shall be run. STATUS_USAGE where no schedule can be built. */
enum status walked_memory_peak(const struct schedule_request *request, double *peak_mb,
                               struct diag *diag) STATUS_CHECKED;

#endif
