#ifndef RANKLEDGER_SCHEDULE_CHECKER_H
#define RANKLEDGER_SCHEDULE_CHECKER_H

#include <stdio.h>

#include "schedule.h"

/*
 * Runs a schedule on paper, to see whether it trains the model: every tensor is whole where it is
 * read, every gradient is set once and added once, reduced once, and reaches its shard; every shard
 * is updated once and every copy refreshed; no buffer is used that is not live. It shares no code
 * with what builds schedules.
 */

/* NULL if the layout and the list are sound, or the first fault in words, in static storage. */
const char *schedule_checker_fault(const struct schedule *schedule);

/* --- shared by the checker's files --- */

enum checker_gather { CHECKER_ABSENT, CHECKER_POSTED, CHECKER_WHOLE };

/* A gradient's values in one place. */
struct checker_gradient {
    bool stale; /* what is there is no part of this step's gradient */
    unsigned parts;
};

struct checker_group {
    enum checker_gather gathered; /* of ROLE_GATHERED */
    bool reducing;                /* a reduction of it is on its way */
    bool reduced;                 /* it is done and not yet added */
    bool updated;
    bool syncing, synced; /* whole or persistent values after the update */
};

struct checker_ticket {
    bool posted, done;
    size_t action;
};

struct checker {
    const struct schedule *schedule;
    const struct schedule_action *action; /* the one being run */
    size_t index;
    bool *live, *filled;              /* by buffer; filled: holds what was computed */
    struct checker_group *groups;     /* by group */
    struct checker_gradient *whole;   /* by tensor: in whole gradients or in REDUCED */
    struct checker_gradient *sharded; /* by tensor: summed over the ranks */
    struct checker_ticket *tickets;
    size_t next_ticket, pending;
    size_t micro_batch;
    size_t position; /* in the order of computing within the micro-batch */
    bool normed;
    char *text;
};

/* Says what is wrong, once; returns false. */
bool checker_fail(struct checker *checker, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The group that a tensor is in. */
size_t checker_group_of(const struct checker *checker, size_t tensor);
/* The buffer of a role for a group or stage; SCHEDULE_NONE if there is none. */
size_t checker_buffer(const struct checker *checker, enum schedule_role role, size_t of);

bool checker_layout(struct checker *checker);     /* where everything lies */
bool checker_compute(struct checker *checker);    /* FORWARD, BACKWARD */
bool checker_collective(struct checker *checker); /* GATHER, REDUCE, WAIT */
bool checker_state(struct checker *checker);      /* TAKE, RELEASE, ACCUMULATE, NORM, UPDATE */
bool checker_end(struct checker *checker);
/* Whether all computing of all micro-batches is done. */
bool checker_computed(const struct checker *checker);

#endif
