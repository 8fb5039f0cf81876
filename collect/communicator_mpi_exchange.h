#ifndef RANKLEDGER_COMMUNICATOR_MPI_EXCHANGE_H
#define RANKLEDGER_COMMUNICATOR_MPI_EXCHANGE_H

#include "communicator_mpi_transfer.h"

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
 * can read the sender's memory needs no help of a sender that is computing. Ranks must post the
 * same calls in the same order.
 */

/* Pieces received ahead while the oldest one is not there yet. */
#define COMMUNICATOR_MPI_SLOTS 2

struct communicator_mpi_slot {
    size_t ticket, piece;
};

struct communicator_mpi_exchange {
    struct communicator_mpi_ranks ranks;
    size_t ticket_count;
    struct communicator_mpi_transfer *transfers; /* one a ticket */
    size_t *active;                              /* tickets in flight, the oldest first */
    size_t active_count;
    /* A ring of pieces whose contributions are on their way, the oldest first. */
    struct communicator_mpi_slot slots[COMMUNICATOR_MPI_SLOTS];
    size_t first_slot, used_slots;
    MPI_Request *slot_requests; /* [slot][peer] */
    unsigned char *buffer;      /* [slot][peer][sum bytes]; given by the caller */
    size_t sum_bytes;
    const void **sources; /* one a rank, of the sum in work */
};

/* Bytes of `buffer`. */
uint64_t communicator_mpi_exchange_buffer_bytes(uint64_t world_size);

/* `comm` is borrowed. */
enum status communicator_mpi_exchange_init(struct communicator_mpi_exchange *exchange,
                                           MPI_Comm comm, enum model_dtype wire,
                                           size_t ticket_count, struct diag *diag) STATUS_CHECKED;
void communicator_mpi_exchange_fini(struct communicator_mpi_exchange *exchange);

/* `buffer` must be set. */
enum status communicator_mpi_exchange_post(struct communicator_mpi_exchange *exchange,
                                           const struct communicator_call *call,
                                           struct diag *diag) STATUS_CHECKED;
/* Moves on everything that can; sets complete[ticket] of what is finished. */
enum status communicator_mpi_exchange_advance(struct communicator_mpi_exchange *exchange,
                                              bool *complete, struct diag *diag) STATUS_CHECKED;

#endif
