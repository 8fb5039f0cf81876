#ifndef RANKLEDGER_JOINED_WATCH_H
#define RANKLEDGER_JOINED_WATCH_H

#include <pthread.h>
#include <stdatomic.h>

#include "rank_record.h"

/*
 * Rank 0's watch over itself where no launcher of ours is there: a thread that sees when the rank
 * makes no progress (it waits for one that hangs), and when mpirun or srun ends it with SIGTERM (as
 * they do when another rank is lost). It then calls `end` with the failure, once, unless the rank
 * itself is about to write its evidence.
 */
struct joined_watch {
    double timeout_s;
    _Atomic(const struct rank_board *) board; /* of the record to watch; NULL: none now */
    atomic_bool ending; /* somebody writes the last evidence: the others keep still */
    atomic_bool stop;
    void (*end)(void *context, const struct rank_failure *failure); /* does not return */
    void *context;
    pthread_t thread;
    bool running;
};

/* Call it before any thread is made: the signals are held back in all of them. */
enum status joined_watch_start(struct joined_watch *watch, struct diag *diag) STATUS_CHECKED;
/* True if the caller may write now; false if the watch is at it already. */
bool joined_watch_claim(struct joined_watch *watch);
/* The rank has written and goes on. */
void joined_watch_release(struct joined_watch *watch);
void joined_watch_stop(struct joined_watch *watch);

#endif
