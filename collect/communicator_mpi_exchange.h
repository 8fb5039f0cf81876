#ifndef RANKLEDGER_COMMUNICATOR_MPI_EXCHANGE_H
#define RANKLEDGER_COMMUNICATOR_MPI_EXCHANGE_H

#include <mpi.h>

#include "communicator.h"

/*
 * The three collectives as direct exchanges between every pair of ranks, in pieces, over
 * non-blocking point-to-point messages:
 *  - all-gather: each rank sends its part to every other, and receives where it belongs;
 *  - reduce-scatter: each rank sends every other its contribution to that one's part, and adds up
 *    what it receives for its own, piece by piece, in a small buffer that stays in the cache;
 *  - all-reduce: a reduce-scatter whose finished pieces are sent on at once. A small array is sent
 *    whole to everyone instead, and everyone adds.
 * Sums are added in the order of the ranks and rounded once, so every rank and every run has the
 * same bits. What a rank has to send is handed to MPI when the call is posted, so a receiver that
 * can read the sender's memory needs no help of a sender that is computing.
 */
struct exchange {
    MPI_Comm comm;
    int rank, world_size;
    enum model_dtype wire;
    size_t ticket_count;
    struct exchange_transfer *transfers; /* one a ticket */
    size_t *active;                      /* tickets in flight, the oldest first */
    size_t active_count;
    struct exchange_slot *slots; /* a ring: pieces on their way to be added, the oldest first */
    size_t first_slot, used_slots;
    MPI_Request *slot_requests;
    const void **sources; /* one a rank, of the sum in work */
    unsigned char *buffer;
};

/* Bytes of the buffer that pieces are received into. */
uint64_t exchange_buffer_bytes(uint64_t world_size);

/* `comm` is borrowed. Frees itself on failure. */
enum status exchange_init(struct exchange *exchange, MPI_Comm comm, enum model_dtype wire,
                          size_t ticket_count, struct diag *diag) STATUS_CHECKED;
void exchange_fini(struct exchange *exchange);

/* `buffer` must be set. */
enum status exchange_post(struct exchange *exchange, const struct communicator_call *call,
                          struct diag *diag) STATUS_CHECKED;
/* Moves on everything that can; sets complete[ticket] of what is finished. */
enum status exchange_advance(struct exchange *exchange, bool *complete,
                             struct diag *diag) STATUS_CHECKED;

/* The one message for what MPI refuses; `what` is the collective. STATUS_ENVIRONMENT. */
enum status exchange_fault(int code, const char *what, const char *purpose, int rank,
                           struct diag *diag);

#endif
