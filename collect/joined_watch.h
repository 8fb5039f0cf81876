#ifndef RANKLEDGER_JOINED_WATCH_H
#define RANKLEDGER_JOINED_WATCH_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "joined_link.h"
#include "watchdog.h"

/*
 * Rank 0's watch where no launcher of ours is there: a thread that hears the other ranks
 * (joined_link.h) and sees when a rank has failed, is lost, or makes no progress, and when mpirun
 * or srun ends this one with a signal (as they do when another rank is lost). It then calls `end`
 * with the failure, once, in the middle of whatever the rank is doing.
 */
struct joined_watch {
    double timeout_s;
    void (*end)(void *context, const struct rank_failure *failure); /* does not return */
    void *context;
    /* --- its own --- */
    pthread_t thread;
    bool running;
    atomic_bool stop;
    pthread_mutex_t
        lock; /* of what follows; whoever waits for it while `end` works waits for ever */
    struct joined_link link;
    const struct rank_record *own; /* this rank's; NULL: no turn now */
    struct rank_board board;       /* of all ranks, as far as they were heard */
    uint64_t turn;
    struct watchdog watchdog;
    int signal;         /* that has come; 0: none */
    uint64_t failed_ns; /* when something was wrong first; 0: nothing is */
};

/* The signals by which mpirun and srun end a rank. */
void joined_watch_signals(sigset_t *signals);

/* Call it before any thread is made: the signals are held back in all of them. `timeout_s`, `end`
 * and `context` are set; the rest is zero. */
enum status joined_watch_start(struct joined_watch *watch, uint64_t world_size,
                               struct diag *diag) STATUS_CHECKED;
/* A turn begins: `own` is rank 0's record of it. Takes the board, which is empty. */
void joined_watch_begin(struct joined_watch *watch, const struct rank_record *own,
                        const struct rank_board *board);
/* It is over, and nobody failed; where somebody did, this does not return. Frees the board. */
void joined_watch_end(struct joined_watch *watch);
void joined_watch_stop(struct joined_watch *watch);

#endif
