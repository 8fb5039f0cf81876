#ifndef RANKLEDGER_JOINED_REPORT_H
#define RANKLEDGER_JOINED_REPORT_H

#include <pthread.h>
#include <stdatomic.h>

#include "joined_link.h"

/*
 * The other end of joined_link.h, in every rank but 0: a thread that sends the rank's record to
 * rank 0. It also takes the signals by which mpirun and srun end a rank, so that rank 0 hears that
 * the rank was ended and did not die by itself.
 */
struct joined_report {
    pthread_t thread;
    bool is_running;
    atomic_bool stop;
    pthread_mutex_t lock; /* of what follows */
    int socket;           /* -1: nobody listens */
    const struct rank_record *record;
    uint64_t turn, rank;
    uint64_t sent_steps, sent_ns;
    bool has_told_failure;
    uint64_t period_ns;
    struct joined_link_report message; /* here, where no step meets its pages for the first time */
};

/* Call it before any thread is made: the signals are held back in all of them. */
enum status joined_report_start(struct joined_report *report, uint64_t rank, uint64_t world_size,
                                struct diag *diag) STATUS_CHECKED;
/* Connects to rank 0; false if it cannot be reached there. Then nothing will be sent. */
bool joined_report_connect(struct joined_report *report, const struct joined_link_address *address);
/* The next turn's record; it must live until joined_report_end. */
void joined_report_begin(struct joined_report *report, const struct rank_record *record);
void joined_report_end(struct joined_report *report);
void joined_report_stop(struct joined_report *report);

#endif
