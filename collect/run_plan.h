#ifndef RANKLEDGER_RUN_PLAN_H
#define RANKLEDGER_RUN_PLAN_H

#include "run_config.h"
#include "schedule_count.h"
#include "schedule_walk.h"

/* What one strategy's run will need and do, from its schedule alone. */
struct run_plan {
    struct schedule schedule;
    struct schedule_walk walk;
    struct schedule_count count;
    struct schedule_ledger ledger;
    bool incomplete; /* the backend cannot be had: its workspace is not known, and left out */
    uint64_t checkpoint_bytes; /* resident state and a checkpoint's buffers; 0: none is made */
    uint64_t peak_bytes;       /* live bytes of one rank at the worst moment */
    uint64_t arena_bytes;      /* what one rank reserves */
};

/* `threads`: of each rank. The schedule's arrays live in `arena`. STATUS_ENVIRONMENT if the backend
 * cannot be had. */
enum status run_plan_make(const struct run_config *config, enum strategy strategy, uint64_t threads,
                          struct arena *arena, struct run_plan *plan,
                          struct diag *diag) STATUS_CHECKED;

/* Device memory that the communicator of a run will want as its buffer. */
uint64_t run_plan_communicator_bytes(const struct run_config *config);

/* Arena of a rank: it holds a step, and at another time the resident state with the buffers of
 * checkpoints, restoring and dumps. */
enum status run_plan_arena_bytes(const struct run_config *config, const struct schedule *schedule,
                                 uint64_t *bytes, struct diag *diag) STATUS_CHECKED;

#endif
