#ifndef RANKLEDGER_COMMUNICATOR_MPI_TRANSFER_H
#define RANKLEDGER_COMMUNICATOR_MPI_TRANSFER_H

#include <mpi.h>

#include "communicator.h"

/* Between whom: of one communicator. */
struct communicator_mpi_ranks {
    MPI_Comm comm;
    int rank, world_size;
    size_t peers; /* world_size - 1 */
    enum model_dtype wire;
};

/*
 * A run of bytes of every rank's part: rank r's at base + r * stride. Of an array that is sent
 * whole the stride is 0: every rank's part is the same run.
 */
struct communicator_mpi_piece {
    unsigned char *base;
    uint64_t stride;
    size_t bytes;
};

/*
 * One collective call, cut into pieces; every rank cuts it alike. Requests are [2][piece][peer].
 * First half: contributions on their way out; afterwards, or in a gather, parts on their way in.
 * Second half: this rank's own part on its way out.
 */
struct communicator_mpi_transfer {
    enum schedule_collective collective;
    enum schedule_purpose purpose;
    bool reduces; /* all-reduce, reduce-scatter */
    bool whole;   /* an all-reduce so small that everyone sends all of it to everyone */
    bool results; /* an all-reduce in two steps: sums are sent back */
    int tag;      /* of contributions; tag + 1: of finished parts */
    struct communicator_mpi_piece *pieces;
    size_t piece_count, piece_capacity;
    MPI_Request *requests;
    size_t request_capacity;
    size_t awaited, summed; /* pieces whose contributions a slot waits for, or has added up */
    size_t cleared; /* results: pieces whose contributions are gone, so that sums may come */
    size_t in_done, out_done;
};

enum communicator_mpi_half { COMMUNICATOR_MPI_FIRST, COMMUNICATOR_MPI_SECOND };

/* The most bytes of a piece that is added up. */
size_t communicator_mpi_transfer_sum_bytes(uint64_t world_size);

/* Cuts `call`. The heap is used only when a ticket needs more than ever before. */
enum status communicator_mpi_transfer_begin(const struct communicator_mpi_ranks *ranks,
                                            const struct communicator_call *call,
                                            struct communicator_mpi_transfer *transfer,
                                            struct diag *diag) STATUS_CHECKED;
void communicator_mpi_transfer_fini(struct communicator_mpi_transfer *transfer);

/* Starts to send piece `index` to every peer: of the peer's part (FIRST), or of this rank's own
 * (SECOND). */
enum status communicator_mpi_transfer_send(const struct communicator_mpi_ranks *ranks,
                                           struct communicator_mpi_transfer *transfer, size_t index,
                                           enum communicator_mpi_half half,
                                           struct diag *diag) STATUS_CHECKED;
/* Starts to receive every peer's part of a piece where it belongs (requests of FIRST). */
enum status communicator_mpi_transfer_receive(const struct communicator_mpi_ranks *ranks,
                                              struct communicator_mpi_transfer *transfer,
                                              size_t index, struct diag *diag) STATUS_CHECKED;
/* Starts to receive every peer's contribution to piece `index`: the k-th source's to
 * memory + k * stride. */
enum status communicator_mpi_transfer_collect(const struct communicator_mpi_ranks *ranks,
                                              struct communicator_mpi_transfer *transfer,
                                              size_t index, unsigned char *memory, size_t stride,
                                              MPI_Request *requests,
                                              struct diag *diag) STATUS_CHECKED;
/* The k-th rank that is received from. */
int communicator_mpi_transfer_source(const struct communicator_mpi_ranks *ranks, size_t k);

/* *done: whether one request a peer, those of a piece, are complete. */
enum status communicator_mpi_transfer_test(const struct communicator_mpi_ranks *ranks,
                                           const struct communicator_mpi_transfer *transfer,
                                           MPI_Request *requests, bool *done,
                                           struct diag *diag) STATUS_CHECKED;
/* Counts *done on to `limit` as far as the pieces' requests of a half are complete. */
enum status communicator_mpi_transfer_advance(const struct communicator_mpi_ranks *ranks,
                                              const struct communicator_mpi_transfer *transfer,
                                              enum communicator_mpi_half half, size_t limit,
                                              size_t *done, struct diag *diag) STATUS_CHECKED;
MPI_Request *communicator_mpi_transfer_requests(const struct communicator_mpi_ranks *ranks,
                                                const struct communicator_mpi_transfer *transfer,
                                                enum communicator_mpi_half half, size_t index);

/* The one message for what MPI refuses; `what` is the collective. STATUS_ENVIRONMENT. */
enum status communicator_mpi_transfer_fault(int code, const char *what, const char *purpose,
                                            int rank, struct diag *diag);

#endif
