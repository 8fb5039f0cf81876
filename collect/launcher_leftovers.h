#ifndef RANKLEDGER_LAUNCHER_LEFTOVERS_H
#define RANKLEDGER_LAUNCHER_LEFTOVERS_H

#include <stdint.h>
#include <sys/types.h>

/*
 * What ranks may leave outside the launch folder when they are killed: whoever started them knows
 * where. Called, in the sweeper, for rank 0 of every group whose records are in the folder.
 */
struct launcher_leftovers {
    void (*discard)(void *context, uint64_t strategy, pid_t rank_0);
    void *context;
};

/* Waits for the end of the ranks, which follow a killed launcher within moments, then discards what
 * they left. `folder`: the launch folder. `leftovers` may be NULL. */
void launcher_leftovers_discard(const struct launcher_leftovers *leftovers, const char *folder);

#endif
