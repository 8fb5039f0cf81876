#include "communicator_mpi.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "communicator_mpi_exchange.h"
#include "communicator_mpi_warm.h"
#include "huge_memory.h"

struct communicator_mpi {
    struct communicator base;
    MPI_Comm comm; /* duplicated: our errors and tags are our own */
    struct communicator_mpi_exchange exchange;
    void *own_buffer; /* where the caller gave none */
};

/* No single message is longer: MPI counts in int. */
#define MESSAGE_BYTES (UINT64_C(1) << 30)

#define ALGORITHM "pairwise exchange over MPI point-to-point messages"

static struct communicator_mpi *mpi_of(struct communicator *communicator)
{
    return (struct communicator_mpi *)communicator;
}

/* For callers that have no arena (tests, the bandwidth command). */
static enum status own_buffer(struct communicator_mpi *mpi, struct diag *diag)
{
    mpi->own_buffer = huge_memory_map((size_t)mpi->base.buffer_bytes);
    if (!mpi->own_buffer) {
        return diag_no_memory(diag);
    }
    mpi->base.buffer = mpi->own_buffer;
    return STATUS_OK;
}

static enum status mpi_post(struct communicator *communicator, const struct communicator_call *call,
                            bool *complete, struct diag *diag)
{
    struct communicator_mpi *mpi = mpi_of(communicator);
    enum status status = STATUS_OK;
    if (communicator->world_size == 1) {
        communicator_copy_alone(communicator->wire, call);
        *complete = true;
        return STATUS_OK;
    }
    if (!communicator->buffer) {
        status = own_buffer(mpi, diag);
    }
    mpi->exchange.buffer = communicator->buffer;
    if (status == STATUS_OK) {
        status = communicator_mpi_exchange_post(&mpi->exchange, call, diag);
    }
    return status == STATUS_OK
               ? communicator_mpi_exchange_advance(&mpi->exchange, communicator->complete, diag)
               : status;
}

static enum status mpi_poll(struct communicator *communicator, bool *complete, struct diag *diag)
{
    return communicator_mpi_exchange_advance(&mpi_of(communicator)->exchange, complete, diag);
}

static enum status mpi_wait(struct communicator *communicator, size_t ticket, bool *complete,
                            struct diag *diag)
{
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !complete[ticket]) {
        status = communicator_mpi_exchange_advance(&mpi_of(communicator)->exchange, complete, diag);
    }
    return status;
}

static enum status checked(struct communicator *communicator, int code, const char *what,
                           const char *purpose, struct diag *diag)
{
    return code == MPI_SUCCESS ? STATUS_OK
                               : communicator_mpi_transfer_fault(code, what, purpose,
                                                                 (int)communicator->rank, diag);
}

static enum status mpi_sum(struct communicator *communicator, double *value, struct diag *diag)
{
    if (communicator->world_size == 1) {
        return STATUS_OK;
    }
    int code =
        MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_DOUBLE, MPI_SUM, mpi_of(communicator)->comm);
    return checked(communicator, code, schedule_collective_name(SCHEDULE_ALL_REDUCE),
                   schedule_purpose_name(SCHEDULE_SCALAR), diag);
}

static enum status mpi_barrier(struct communicator *communicator, struct diag *diag)
{
    return checked(communicator, MPI_Barrier(mpi_of(communicator)->comm), "barrier", NULL, diag);
}

static enum status mpi_broadcast(struct communicator *communicator, void *host, uint64_t bytes,
                                 int root, struct diag *diag)
{
    enum status status = STATUS_OK;
    unsigned char *at = host;
    for (uint64_t done = 0; status == STATUS_OK && done < bytes; done += MESSAGE_BYTES) {
        uint64_t left = bytes - done;
        int count = (int)(left < MESSAGE_BYTES ? left : MESSAGE_BYTES);
        int code = MPI_Bcast(at + done, count, MPI_BYTE, root, mpi_of(communicator)->comm);
        status = checked(communicator, code, "broadcast", NULL, diag);
    }
    return status;
}

/* All of one rank's bytes, in messages that MPI can count. */
static int receive_from(MPI_Comm comm, unsigned char *to, uint64_t bytes, int source, int tag)
{
    int code = MPI_SUCCESS;
    for (uint64_t done = 0; code == MPI_SUCCESS && done < bytes; done += MESSAGE_BYTES) {
        uint64_t left = bytes - done;
        int count = (int)(left < MESSAGE_BYTES ? left : MESSAGE_BYTES);
        code = MPI_Recv(to + done, count, MPI_BYTE, source, tag, comm, MPI_STATUS_IGNORE);
    }
    return code;
}

static int send_to(MPI_Comm comm, const unsigned char *from, uint64_t bytes, int target, int tag)
{
    int code = MPI_SUCCESS;
    for (uint64_t done = 0; code == MPI_SUCCESS && done < bytes; done += MESSAGE_BYTES) {
        uint64_t left = bytes - done;
        int count = (int)(left < MESSAGE_BYTES ? left : MESSAGE_BYTES);
        code = MPI_Send(from + done, count, MPI_BYTE, target, tag, comm);
    }
    return code;
}

static enum status mpi_gather(struct communicator *communicator, const void *host, uint64_t bytes,
                              void *all, int root, struct diag *diag)
{
    MPI_Comm comm = mpi_of(communicator)->comm;
    int tag = (int)(2 * communicator->ticket_count); /* above those of the collectives */
    int code = MPI_SUCCESS;
    if (communicator->rank != (uint64_t)root) {
        code = send_to(comm, host, bytes, root, tag);
        return checked(communicator, code, "gather", NULL, diag);
    }
    for (uint64_t rank = 0; code == MPI_SUCCESS && rank < communicator->world_size; rank++) {
        unsigned char *to = (unsigned char *)all + rank * bytes;
        if (rank == communicator->rank) {
            if (to != host) {
                memcpy(to, host, bytes);
            }
        } else {
            code = receive_from(comm, to, bytes, (int)rank, tag);
        }
    }
    return checked(communicator, code, "gather", NULL, diag);
}

static void mpi_destroy(struct communicator *communicator)
{
    struct communicator_mpi *mpi = mpi_of(communicator);
    communicator_mpi_exchange_fini(&mpi->exchange);
    MPI_Comm_free(&mpi->comm);
    huge_memory_unmap(mpi->own_buffer, (size_t)mpi->base.buffer_bytes);
    communicator_fini(communicator);
    free(mpi);
}

static const struct communicator_operations operations = {
    .name = "mpi",
    .progress = "polling",
    .algorithm = ALGORITHM,
    .post = mpi_post,
    .poll = mpi_poll,
    .wait = mpi_wait,
    .sum = mpi_sum,
    .barrier = mpi_barrier,
    .broadcast = mpi_broadcast,
    .gather = mpi_gather,
    .destroy = mpi_destroy,
};

const char *communicator_mpi_algorithm(void)
{
    return ALGORITHM;
}

uint64_t communicator_mpi_buffer_bytes(uint64_t world_size)
{
    return communicator_mpi_exchange_buffer_bytes(world_size);
}

/* What needs the ranks' own MPI communicator, `mpi->comm`. */
static enum status set_up(struct communicator_mpi *mpi, enum model_dtype wire, size_t ticket_count,
                          struct diag *diag)
{
    int rank = 0;
    int world_size = 1;
    MPI_Comm_set_errhandler(mpi->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(mpi->comm, &rank);
    MPI_Comm_size(mpi->comm, &world_size);
    enum status status = communicator_init(&mpi->base, &operations, (uint64_t)rank,
                                           (uint64_t)world_size, wire, ticket_count, diag);
    if (status == STATUS_OK) {
        status =
            communicator_mpi_exchange_init(&mpi->exchange, mpi->comm, wire, ticket_count, diag);
    }
    mpi->base.buffer_bytes = communicator_mpi_exchange_buffer_bytes((uint64_t)world_size);
    return status == STATUS_OK ? communicator_mpi_warm(&mpi->exchange.ranks, diag) : status;
}

static enum status create(MPI_Comm parent, enum model_dtype wire, size_t ticket_count,
                          struct communicator **communicator, struct diag *diag)
{
    if (ticket_count > (INT_MAX - 1) / 2) {
        return diag_set(diag, STATUS_BUG, "%zu collectives are more than MPI has tags for",
                        ticket_count);
    }
    struct communicator_mpi *mpi = calloc(1, sizeof *mpi);
    if (!mpi) {
        return diag_no_memory(diag);
    }
    int code = MPI_Comm_dup(parent, &mpi->comm);
    if (code != MPI_SUCCESS) {
        free(mpi);
        return communicator_mpi_transfer_fault(code, "duplication of its communicator", NULL, 0,
                                               diag);
    }
    enum status status = set_up(mpi, wire, ticket_count, diag);
    if (status != STATUS_OK) {
        mpi_destroy(&mpi->base);
        return status;
    }
    *communicator = &mpi->base;
    return STATUS_OK;
}

enum status communicator_mpi_create(enum model_dtype wire, size_t ticket_count,
                                    struct communicator **communicator, struct diag *diag)
{
    return create(MPI_COMM_WORLD, wire, ticket_count, communicator, diag);
}

enum status communicator_mpi_create_self(enum model_dtype wire, size_t ticket_count,
                                         struct communicator **communicator, struct diag *diag)
{
    return create(MPI_COMM_SELF, wire, ticket_count, communicator, diag);
}
