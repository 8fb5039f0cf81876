#ifndef RANKLEDGER_MEMORY_CHANGE_H
#define RANKLEDGER_MEMORY_CHANGE_H

#include "planner.h"

/* What an adjustment does to memory, besides another strategy. */
struct memory_change {
    double batch_factor; /* b'/b */
    bool checkpointing;  /* activation checkpointing turned on */
};

struct memory_change_result {
    double peak_mb; /* NAN: cannot be predicted */
    const char *missing[PLANNER_MAX_MISSING];
    size_t missing_count;
};

/*
 * peak' = resident(strategy') + temporary(strategy') + (peak - resident - temporary) * b'/b. With
 * checkpointing the last part keeps each layer's input, and one layer's values or the head's. Pure.
 */
void memory_change_predict(const struct candidate *from, const struct planner_state *own,
                           const struct planner_state *other, const struct memory_change *change,
                           struct memory_change_result *result);

#endif
