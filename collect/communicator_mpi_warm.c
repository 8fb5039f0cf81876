#include "communicator_mpi_warm.h"

#include <stdlib.h>

/*
 * A rank can have 512 fragments on their way (btl_vader_free_list_max); a few more wait inside. Of
 * the shorter ones fewer are expected. What comes before its receive is posted is kept in blocks of
 * powers of two, so there is one size for each.
 */
#define MOST_MESSAGES 640
#define LONGEST_BYTES 8192
static const struct {
    int bytes, count;
} kinds[] = {
    {192, 160},
    {384, 160},
    {768, 160},
    {1536, 160},
    {3584, MOST_MESSAGES},          /* the longest that is copied through shared memory */
    {LONGEST_BYTES, MOST_MESSAGES}, /* read by the receiver out of the sender's memory */
};

/*
 * All sends are handed over before anybody takes what comes (no rank does so before the second
 * barrier), and all of it comes unexpected (no receive is posted before it).
 */
static int exchange(const struct communicator_mpi_ranks *ranks, unsigned char *memory, size_t kind,
                    MPI_Request *requests)
{
    const int bytes = kinds[kind].bytes;
    const int count = kinds[kind].count;
    int code = MPI_Barrier(ranks->comm);
    for (int i = 0; code == MPI_SUCCESS && i < count; i++) {
        int target = (ranks->rank + 1 + i % (int)ranks->peers) % ranks->world_size;
        code = MPI_Isend(memory, bytes, MPI_BYTE, target, 0, ranks->comm, &requests[i]);
    }
    code = code == MPI_SUCCESS ? MPI_Barrier(ranks->comm) : code;
    for (int i = 0; code == MPI_SUCCESS && i < count; i++) {
        int distance = 1 + i % (int)ranks->peers;
        int source = (ranks->rank + ranks->world_size - distance) % ranks->world_size;
        code = MPI_Irecv(memory + (size_t)(i + 1) * LONGEST_BYTES, bytes, MPI_BYTE, source, 0,
                         ranks->comm, &requests[count + i]);
    }
    return code == MPI_SUCCESS ? MPI_Waitall(2 * count, requests, MPI_STATUSES_IGNORE) : code;
}

enum status communicator_mpi_warm(const struct communicator_mpi_ranks *ranks, struct diag *diag)
{
    if (ranks->peers == 0) {
        return STATUS_OK;
    }
    /* Given back touched, it stays with the process (communicator_mpi_start): heap for the rest. */
    unsigned char *memory = calloc(1 + MOST_MESSAGES, LONGEST_BYTES);
    MPI_Request *requests = calloc((size_t)2 * MOST_MESSAGES, sizeof(MPI_Request));
    enum status status = STATUS_OK;
    int code = MPI_SUCCESS;
    if (!memory || !requests) {
        status = diag_no_memory(diag);
    }
    for (size_t i = 0; status == STATUS_OK && i < sizeof kinds / sizeof *kinds; i++) {
        code = exchange(ranks, memory, i, requests);
        if (code != MPI_SUCCESS) {
            status =
                communicator_mpi_transfer_fault(code, "first messages", NULL, ranks->rank, diag);
        }
    }
    free(memory);
    free(requests);
    return status;
}
