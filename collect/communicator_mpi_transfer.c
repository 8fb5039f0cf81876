#include "communicator_mpi_transfer.h"

#include <stdlib.h>
#include <string.h>

#include "communicator_mpi_exchange.h"

/*
 * Sizes of messages. All ranks must agree in them. Measured with tests/bench/bench_collectives.c;
 * the numbers are in tests/bench/README.md, section Collectives.
 */

/* What is added up stays, with the peer's piece, in a second-level cache of 1 MiB. */
#define SUM_BYTES (UINT64_C(512) << 10)
/* With many ranks less, so that the buffer for pieces stays small. */
#define SUM_BYTES_LEAST (UINT64_C(16) << 10)
#define BUFFER_BYTES (UINT64_C(2) << 20)
/* Parts on their way to where they belong: far below 2^31-1, which MPI's counts end at. */
#define PART_BYTES (UINT64_C(4) << 20)
/* Short runs go in messages that Open MPI copies through its own shared memory (its limit there is
 * 4096 bytes with a header); longer messages are read by the receiver, at two system calls each. */
#define SHORT_RUN_BYTES (UINT64_C(16) << 10)
#define SHORT_MESSAGE_BYTES UINT64_C(3584)
/* An all-reduce of payload x N up to this goes whole to everyone, in one step instead of two. */
#define WHOLE_BYTES (UINT64_C(64) << 10)

size_t communicator_mpi_transfer_sum_bytes(uint64_t world_size)
{
    uint64_t peers = world_size > 1 ? world_size - 1 : 1;
    uint64_t bytes = SUM_BYTES;
    while (bytes * peers * COMMUNICATOR_MPI_SLOTS > BUFFER_BYTES && bytes > SUM_BYTES_LEAST) {
        bytes /= 2;
    }
    return (size_t)bytes;
}

enum status communicator_mpi_transfer_fault(int code, const char *what, const char *purpose,
                                            int rank, struct diag *diag)
{
    char words[MPI_MAX_ERROR_STRING] = "unknown error";
    int length = 0;
    MPI_Error_string(code, words, &length);
    return diag_set(diag, STATUS_ENVIRONMENT, "rank %d: MPI refused the %s%s%s%s: %s", rank, what,
                    purpose ? " (" : "", purpose ? purpose : "", purpose ? ")" : "", words);
}

static enum status checked(const struct communicator_mpi_ranks *ranks,
                           const struct communicator_mpi_transfer *transfer, int code,
                           struct diag *diag)
{
    return code == MPI_SUCCESS ? STATUS_OK
                               : communicator_mpi_transfer_fault(
                                     code, schedule_collective_name(transfer->collective),
                                     schedule_purpose_name(transfer->purpose), ranks->rank, diag);
}

/* Everyone sends to the next rank first and receives from the one before: no two crowd a third. */
static int target_of(const struct communicator_mpi_ranks *ranks, size_t k)
{
    return (ranks->rank + 1 + (int)k) % ranks->world_size;
}

int communicator_mpi_transfer_source(const struct communicator_mpi_ranks *ranks, size_t k)
{
    return (ranks->rank + ranks->world_size - 1 - (int)k) % ranks->world_size;
}

static enum status reserve_pieces(struct communicator_mpi_transfer *transfer, size_t count,
                                  struct diag *diag)
{
    if (count <= transfer->piece_capacity) {
        return STATUS_OK;
    }
    struct communicator_mpi_piece *pieces = realloc(transfer->pieces, count * sizeof *pieces);
    if (!pieces) {
        return diag_no_memory(diag);
    }
    transfer->pieces = pieces;
    transfer->piece_capacity = count;
    return STATUS_OK;
}

static enum status reserve_requests(const struct communicator_mpi_ranks *ranks,
                                    struct communicator_mpi_transfer *transfer, struct diag *diag)
{
    size_t count = 2 * transfer->piece_count * ranks->peers;
    if (count > transfer->request_capacity) {
        MPI_Request *requests = realloc(transfer->requests, count * sizeof(MPI_Request));
        if (!requests) {
            return diag_no_memory(diag);
        }
        transfer->requests = requests;
        transfer->request_capacity = count;
    }
    for (size_t i = 0; i < count; i++) {
        transfer->requests[i] = MPI_REQUEST_NULL;
    }
    return STATUS_OK;
}

/* Cuts one array: `run` bytes of every part, parts `stride` apart. */
static enum status cut(struct communicator_mpi_transfer *transfer, unsigned char *whole,
                       uint64_t run, uint64_t stride, uint64_t limit, struct diag *diag)
{
    uint64_t bytes = run <= SHORT_RUN_BYTES ? SHORT_MESSAGE_BYTES : limit;
    size_t count = (size_t)((run + bytes - 1) / bytes);
    enum status status = reserve_pieces(transfer, transfer->piece_count + count, diag);
    if (status != STATUS_OK) {
        return status;
    }
    for (uint64_t offset = 0; offset < run; offset += bytes) {
        uint64_t left = run - offset;
        transfer->pieces[transfer->piece_count++] = (struct communicator_mpi_piece){
            .base = whole + offset,
            .stride = stride,
            .bytes = (size_t)(left < bytes ? left : bytes),
        };
    }
    return STATUS_OK;
}

enum status communicator_mpi_transfer_begin(const struct communicator_mpi_ranks *ranks,
                                            const struct communicator_call *call,
                                            struct communicator_mpi_transfer *transfer,
                                            struct diag *diag)
{
    uint64_t world_size = (uint64_t)ranks->world_size;
    bool all_reduce = call->collective == SCHEDULE_ALL_REDUCE;
    transfer->collective = call->collective;
    transfer->purpose = call->purpose;
    transfer->reduces = call->collective != SCHEDULE_ALL_GATHER;
    transfer->whole = all_reduce && call->payload_bytes * world_size <= WHOLE_BYTES;
    transfer->results = all_reduce && !transfer->whole;
    transfer->tag = (int)(2 * call->ticket);
    transfer->piece_count = 0;
    transfer->awaited = transfer->summed = transfer->cleared = 0;
    transfer->in_done = transfer->out_done = 0;
    uint64_t limit =
        transfer->reduces ? communicator_mpi_transfer_sum_bytes(world_size) : PART_BYTES;
    for (size_t i = 0; i < call->segment_count; i++) {
        const struct communicator_segment *segment = &call->segments[i];
        uint64_t part = segment->part_elements * model_dtype_bytes(ranks->wire);
        enum status status = transfer->whole
                                 ? cut(transfer, segment->whole, part * world_size, 0, limit, diag)
                                 : cut(transfer, segment->whole, part, part, limit, diag);
        if (status != STATUS_OK) {
            return status;
        }
    }
    return reserve_requests(ranks, transfer, diag);
}

void communicator_mpi_transfer_fini(struct communicator_mpi_transfer *transfer)
{
    free(transfer->pieces);
    free(transfer->requests);
    *transfer = (struct communicator_mpi_transfer){0};
}

MPI_Request *communicator_mpi_transfer_requests(const struct communicator_mpi_ranks *ranks,
                                                const struct communicator_mpi_transfer *transfer,
                                                enum communicator_mpi_half half, size_t index)
{
    size_t first = half == COMMUNICATOR_MPI_FIRST ? 0 : transfer->piece_count;
    return transfer->requests + (first + index) * ranks->peers;
}

enum status communicator_mpi_transfer_send(const struct communicator_mpi_ranks *ranks,
                                           struct communicator_mpi_transfer *transfer, size_t index,
                                           enum communicator_mpi_half half, struct diag *diag)
{
    const struct communicator_mpi_piece *piece = &transfer->pieces[index];
    MPI_Request *requests = communicator_mpi_transfer_requests(ranks, transfer, half, index);
    bool contribution = half == COMMUNICATOR_MPI_FIRST;
    int tag = contribution ? transfer->tag : transfer->tag + 1;
    int code = MPI_SUCCESS;
    for (size_t k = 0; code == MPI_SUCCESS && k < ranks->peers; k++) {
        int target = target_of(ranks, k);
        uint64_t part = (uint64_t)(contribution ? target : ranks->rank);
        code = MPI_Isend(piece->base + part * piece->stride, (int)piece->bytes, MPI_BYTE, target,
                         tag, ranks->comm, &requests[k]);
    }
    return checked(ranks, transfer, code, diag);
}

enum status communicator_mpi_transfer_receive(const struct communicator_mpi_ranks *ranks,
                                              struct communicator_mpi_transfer *transfer,
                                              size_t index, struct diag *diag)
{
    const struct communicator_mpi_piece *piece = &transfer->pieces[index];
    MPI_Request *requests =
        communicator_mpi_transfer_requests(ranks, transfer, COMMUNICATOR_MPI_FIRST, index);
    int code = MPI_SUCCESS;
    for (size_t k = 0; code == MPI_SUCCESS && k < ranks->peers; k++) {
        int source = communicator_mpi_transfer_source(ranks, k);
        code = MPI_Irecv(piece->base + (uint64_t)source * piece->stride, (int)piece->bytes,
                         MPI_BYTE, source, transfer->tag + 1, ranks->comm, &requests[k]);
    }
    return checked(ranks, transfer, code, diag);
}

enum status communicator_mpi_transfer_collect(const struct communicator_mpi_ranks *ranks,
                                              struct communicator_mpi_transfer *transfer,
                                              size_t index, unsigned char *memory, size_t stride,
                                              MPI_Request *requests, struct diag *diag)
{
    int code = MPI_SUCCESS;
    for (size_t k = 0; code == MPI_SUCCESS && k < ranks->peers; k++) {
        code = MPI_Irecv(memory + k * stride, (int)transfer->pieces[index].bytes, MPI_BYTE,
                         communicator_mpi_transfer_source(ranks, k), transfer->tag, ranks->comm,
                         &requests[k]);
    }
    return checked(ranks, transfer, code, diag);
}

enum status communicator_mpi_transfer_test(const struct communicator_mpi_ranks *ranks,
                                           const struct communicator_mpi_transfer *transfer,
                                           MPI_Request *requests, bool *done, struct diag *diag)
{
    int flag = 0;
    int code = MPI_Testall((int)ranks->peers, requests, &flag, MPI_STATUSES_IGNORE);
    *done = flag != 0;
    return checked(ranks, transfer, code, diag);
}

enum status communicator_mpi_transfer_advance(const struct communicator_mpi_ranks *ranks,
                                              const struct communicator_mpi_transfer *transfer,
                                              enum communicator_mpi_half half, size_t limit,
                                              size_t *done, struct diag *diag)
{
    enum status status = STATUS_OK;
    bool complete = true;
    while (status == STATUS_OK && complete && *done < limit) {
        status = communicator_mpi_transfer_test(
            ranks, transfer, communicator_mpi_transfer_requests(ranks, transfer, half, *done),
            &complete, diag);
        if (status == STATUS_OK && complete) {
            (*done)++;
        }
    }
    return status;
}
