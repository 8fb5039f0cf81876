#ifndef RANKLEDGER_SCHEDULE_WALK_H
#define RANKLEDGER_SCHEDULE_WALK_H

#include "schedule.h"

/* Live memory of one rank through a step, in bytes. */
struct schedule_walk {
    uint64_t resident[SCHEDULE_CATEGORY_COUNT]; /* taken in init (workspace among them) */
    uint64_t phase_peak[SCHEDULE_PHASE_COUNT];  /* largest sum over categories; init, forward,
                                                   backward and optimizer are filled */
    uint64_t at_peak[SCHEDULE_PHASE_COUNT][SCHEDULE_CATEGORY_COUNT]; /* what that sum consists of,
                                                     at the first moment it stood */
    uint64_t
        category_peak[SCHEDULE_CATEGORY_COUNT]; /* each category's own largest value in a step */
    uint64_t peak;                              /* largest of phase_peak */
};

/* Walks the list once. STATUS_BUG if a buffer is taken twice, released when not live, or left
 * behind at the end, or a wait names no posted ticket. */
enum status schedule_walk_of(const struct schedule *schedule, struct schedule_walk *walk,
                             struct diag *diag) STATUS_CHECKED;

/*
 * The ledger of one rank, bytes. resident state = parameters + gradients + optimizer_state +
 * persistent + padding, exactly, where the first three are the formula's shares (Psi * bytes / N
 * where sharded, rounded down) and padding takes what rounding and padded units add.
 */
struct schedule_ledger {
    uint64_t parameters, gradients, optimizer_state;
    uint64_t persistent;
    uint64_t padding;
};

struct schedule_ledger schedule_ledger_of(const struct schedule *schedule);

#endif
