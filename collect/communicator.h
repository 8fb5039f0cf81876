#ifndef RANKLEDGER_COMMUNICATOR_H
#define RANKLEDGER_COMMUNICATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "schedule.h"
#include "timeline.h"

/*
 * The ranks of one run and their collectives. communicator.c is what callers see: it counts, takes
 * the time, and hands on to an implementation (communicator_mpi.c; communicator_count.c, which
 * moves nothing; cuda/communicator_nccl.c).
 *
 * Sums travel in the wire dtype. Everything is in place: an all-reduce in the whole array; a
 * reduce-scatter reads the whole array and leaves the sum in the rank's own part of it (the other
 * parts are undefined afterwards); an all-gather fills the whole array from `shard` (which may be
 * the rank's own part of it). Until a call is complete nobody else may touch its arrays and shards.
 * All ranks must post the same calls, with the same tickets, in the same order, and wait for them
 * in the same order.
 */
struct communicator;

/* One array of a coalesced call. */
struct communicator_segment {
    void *whole;       /* N parts of `part_elements` each */
    const void *shard; /* all-gather: what this rank gives; otherwise NULL */
    uint64_t part_elements;
};

struct communicator_call {
    enum schedule_collective collective;
    enum schedule_purpose purpose;
    const struct communicator_segment *segments; /* copied by post */
    size_t segment_count;
    uint64_t payload_bytes; /* as counted: the whole arrays */
    size_t ticket;          /* below the ticket_count of create */
};

/* Where the exposed time of a call is booked: the phase in which the compute thread stood in it. */
struct communicator_usage {
    uint64_t calls[SCHEDULE_COLLECTIVE_COUNT][SCHEDULE_PURPOSE_COUNT];
    uint64_t payload_bytes[SCHEDULE_COLLECTIVE_COUNT][SCHEDULE_PURPOSE_COUNT];
    uint64_t exposed_ns[SCHEDULE_COLLECTIVE_COUNT][SCHEDULE_PURPOSE_COUNT];
    uint64_t in_flight_ns[SCHEDULE_COLLECTIVE_COUNT]
                         [SCHEDULE_PURPOSE_COUNT]; /* posting to completion */
    uint64_t exposed_phase_ns[SCHEDULE_PHASE_COUNT];
    uint64_t any_in_flight_ns; /* time during which at least one was */
};

struct communicator_operations {
    const char *name;      /* "mpi", "count", "nccl" */
    const char *progress;  /* "polling", "stream" */
    const char *algorithm; /* how the collectives are made, in words */
    /*
     * The collectives run on a stream of the device. Then post and wait only put things in order
     * and return at once: post lets the collective wait for what was computed until then, wait lets
     * what is computed from then on wait for the collective. post sets flight_begin and flight_end
     * of the communicator to marks around it, sum likewise.
     */
    bool streams;
    /* Starts a call. `complete` is set if it is finished already (done blocking). */
    enum status (*post)(struct communicator *communicator, const struct communicator_call *call,
                        bool *complete, struct diag *diag);
    /* Lets everything posted make progress; complete[ticket] of those that finished is set. */
    enum status (*poll)(struct communicator *communicator, bool *complete, struct diag *diag);
    /* Until complete[ticket]; others that finish meanwhile are set too. */
    enum status (*wait)(struct communicator *communicator, size_t ticket, bool *complete,
                        struct diag *diag);
    /* `value`: device memory. */
    enum status (*sum)(struct communicator *communicator, double *value, struct diag *diag);
    /* Waits on the host until all that was posted, and all that the backend was asked for, is
     * complete, watching for failures. NULL: there is nothing that poll and wait leave open. */
    enum status (*drain)(struct communicator *communicator, struct diag *diag);
    enum status (*barrier)(struct communicator *communicator, struct diag *diag);
    enum status (*broadcast)(struct communicator *communicator, void *host, uint64_t bytes,
                             int root, struct diag *diag);
    enum status (*gather)(struct communicator *communicator, const void *host, uint64_t bytes,
                          void *all, int root, struct diag *diag);
    void (*destroy)(struct communicator *communicator);
};

struct communicator {
    const struct communicator_operations *operations;
    uint64_t rank, world_size;
    enum model_dtype wire;
    bool off; /* post, wait and sum do nothing and count nothing (the pass without collectives) */
    bool blocking;                   /* post waits at once (--no-overlap) */
    enum schedule_phase phase;       /* where exposed time is booked now */
    struct communicator_usage usage; /* since the last communicator_clear_usage */
    /* 1 is written here while the compute thread stands in a call that can wait for other ranks
     * (post, wait, sum, barrier, broadcast, gather), 0 afterwards; NULL: nobody looks. That is how
     * a watchdog tells a rank that hangs from those that wait for it (rank_record.h, `inside`). */
    volatile uint32_t *inside;
    /* The backend's; timeline_host unless the caller sets it. */
    const struct timeline *timeline;
    uint64_t flight_begin, flight_end; /* marks of the last post or sum; where it has streams */
    /* Scratch that the implementation wants in device memory (0: none), 64-byte aligned. The caller
     * books it and sets `buffer` before the first post; if it does not, the implementation takes
     * memory of its own. */
    uint64_t buffer_bytes;
    void *buffer;
    /* Set by agreement.h: the ranks stopped together because of what happened on this one. */
    bool failed;
    uint64_t failed_rank;
    struct communicator_booking *bookings; /* of streams, not settled yet: booking_count of them */
    size_t booking_count, booking_capacity;
    struct communicator_posted *posted; /* one a ticket; communicator.c's own */
    size_t *in_flight; /* tickets in flight, the oldest first: posted_now of them */
    bool *complete;    /* one a ticket; false between calls */
    size_t ticket_count;
    uint64_t posted_now; /* how many are in flight, and since when at least one was */
    uint64_t any_since_ns;
};

/* For implementations: fills the common part. `ticket_count` calls can be in flight. Heap. */
enum status communicator_init(struct communicator *communicator,
                              const struct communicator_operations *operations, uint64_t rank,
                              uint64_t world_size, enum model_dtype wire, size_t ticket_count,
                              struct diag *diag) STATUS_CHECKED;
void communicator_fini(struct communicator *communicator);
/* What a call does where there is one rank: a gather copies its shards, unless they are in place or
 * NULL. */
void communicator_copy_alone(enum model_dtype wire, const struct communicator_call *call);

/* Failures are STATUS_ENVIRONMENT with the collective, its purpose and the library's words. */
enum status communicator_post(struct communicator *communicator,
                              const struct communicator_call *call,
                              struct diag *diag) STATUS_CHECKED;
enum status communicator_poll(struct communicator *communicator, struct diag *diag) STATUS_CHECKED;
enum status communicator_wait(struct communicator *communicator, size_t ticket,
                              struct diag *diag) STATUS_CHECKED;
/* Sum of one fp64 in device memory over all ranks, to all. Counted as one all-reduce for the
 * purpose scalar, 8 bytes. */
enum status communicator_sum(struct communicator *communicator, double *value,
                             struct diag *diag) STATUS_CHECKED;
/* Waits on the host for the device's side of everything posted; where there are no streams, nothing
 * is left to wait for. */
enum status communicator_drain(struct communicator *communicator, struct diag *diag) STATUS_CHECKED;
/* Books the times of what ran on streams since the last time; after drain and the backend's
 * synchronise, and before the timeline is restarted. Elsewhere everything is booked at once. */
void communicator_settle(struct communicator *communicator);
void communicator_clear_usage(struct communicator *communicator);
/* Outside the step: not counted, and not switched off. */
enum status communicator_barrier(struct communicator *communicator,
                                 struct diag *diag) STATUS_CHECKED;
enum status communicator_broadcast(struct communicator *communicator, void *host, uint64_t bytes,
                                   int root, struct diag *diag) STATUS_CHECKED;
/* `bytes` of host memory of every rank to `root`'s `all` [world_size][bytes] (NULL elsewhere),
 * where the root's own may be already: `host` is its place then. */
enum status communicator_gather(struct communicator *communicator, const void *host, uint64_t bytes,
                                void *all, int root, struct diag *diag) STATUS_CHECKED;
/* Frees the communicator; NULL is allowed. */
void communicator_destroy(struct communicator *communicator);

#endif
