#ifndef RANKLEDGER_WATCHDOG_H
#define RANKLEDGER_WATCHDOG_H

#include <stdbool.h>

#include "rank_record.h"

enum watchdog_stage { WATCHDOG_LAUNCH, WATCHDOG_START_UP, WATCHDOG_TRAINING };

/*
 * Watches the ranks' records for signs of life. A step counts when every rank has completed it, so
 * it is the least advanced rank's progress that must grow: within `timeout_s`, and within ten times
 * that until all ranks have begun their first step. Until all ranks exist, which takes a launcher
 * seconds, it is the longer of `timeout_s` and a minute (and at most those ten times).
 */
struct watchdog {
    double timeout_s;
    enum watchdog_stage stage; /* of the rank that is least far */
    uint64_t progress;         /* of the least advanced rank, at `since_ns` */
    uint64_t since_ns;
};

void watchdog_start(struct watchdog *watchdog, double timeout_s, uint64_t now_ns);
/* True if the time is over. */
bool watchdog_check(struct watchdog *watchdog, const struct rank_board *board, uint64_t now_ns);
/* Seconds that are allowed now. */
double watchdog_allowed_s(const struct watchdog *watchdog);

/*
 * Which rank the others wait for; -1 if it cannot be told. A process that is stopped is it; else,
 * of the ranks that do not stand in the communication library, the one that has begun the fewest
 * actions; else that one of all, if it is alone. `stopped` says whether a rank's process is stopped
 * (NULL: nobody knows).
 */
int64_t watchdog_culprit(const struct rank_board *board, bool (*stopped)(int64_t pid));

/* For watchdog_culprit: proc(5), state T or t. */
bool watchdog_is_stopped(int64_t pid);

#endif
