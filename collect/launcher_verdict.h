#ifndef RANKLEDGER_LAUNCHER_VERDICT_H
#define RANKLEDGER_LAUNCHER_VERDICT_H

#include "rank_record.h"

/* How a process group ended, as its launcher saw it. */
struct launcher_end {
    int signal; /* that interrupted the launcher; 0: none */
    bool timed_out;
    double allowed_s; /* without a sign of life, when it timed out */
    bool exited;      /* mpirun ended by itself */
    int status;       /* of mpirun, as waitpid(2) tells it, if it exited */
    int64_t lost;     /* the rank that was first seen dead without a word; -1: none */
    int64_t culprit;  /* of a time-out; -1: none */
    const char *said; /* by mpirun and the ranks, NUL-terminated; "" */
};

/*
 * What went wrong, from the ranks' records and how the group ended: kind RANK_FAILURE_NONE if every
 * rank completed. A rank's own word comes first, the earliest of several; but that communication
 * failed is believed only if no rank was lost, which is what makes it fail on the others.
 */
void launcher_verdict(const struct rank_board *board, const struct launcher_end *end,
                      struct rank_failure *failure);

#endif
