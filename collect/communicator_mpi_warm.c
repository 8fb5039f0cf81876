#include "communicator_mpi_warm.h"

#include <stdlib.h>

/* A rank can have 512 fragments on their way (btl_vader_free_list_max); a few more wait inside. */
#define MESSAGES 640
/* Two kinds: copied through shared memory, and read by the receiver (above 4096 bytes). */
#define SHORT_BYTES 3584
#define LONG_BYTES 8192
/* Heap for what the library will keep of messages of other sizes that come too early. */
#define SPARE_BYTES ((size_t)2 << 20)

/*
 * All sends are handed over before anybody takes what comes (no rank does so before the second
 * barrier), and all of it comes unexpected (no receive is posted before it).
 */
static int exchange(const struct communicator_mpi_ranks *ranks, unsigned char *memory, int bytes,
                    MPI_Request *requests)
{
    int code = MPI_Barrier(ranks->comm);
    for (int i = 0; code == MPI_SUCCESS && i < MESSAGES; i++) {
        int target = (ranks->rank + 1 + i % (int)ranks->peers) % ranks->world_size;
        code = MPI_Isend(memory, bytes, MPI_BYTE, target, 0, ranks->comm, &requests[i]);
    }
    code = code == MPI_SUCCESS ? MPI_Barrier(ranks->comm) : code;
    for (int i = 0; code == MPI_SUCCESS && i < MESSAGES; i++) {
        int distance = 1 + i % (int)ranks->peers;
        int source = (ranks->rank + ranks->world_size - distance) % ranks->world_size;
        code = MPI_Irecv(memory + LONG_BYTES, bytes, MPI_BYTE, source, 0, ranks->comm,
                         &requests[MESSAGES + i]);
    }
    return code == MPI_SUCCESS ? MPI_Waitall(2 * MESSAGES, requests, MPI_STATUSES_IGNORE) : code;
}

/* Touched and given back, it stays with the process (communicator_mpi_start) for the next who asks.
 */
static void touch_heap(void)
{
    void *spare = malloc(SPARE_BYTES);
    volatile unsigned char *bytes = spare;
    for (size_t i = 0; spare && i < SPARE_BYTES; i += 1024) {
        bytes[i] = 0;
    }
    free(spare);
}

enum status communicator_mpi_warm(const struct communicator_mpi_ranks *ranks, struct diag *diag)
{
    if (ranks->peers == 0) {
        return STATUS_OK;
    }
    unsigned char *memory = calloc(2, LONG_BYTES);
    MPI_Request *requests = calloc((size_t)2 * MESSAGES, sizeof(MPI_Request));
    enum status status = STATUS_OK;
    if (!memory || !requests) {
        status = diag_no_memory(diag);
    } else {
        int code = exchange(ranks, memory, SHORT_BYTES, requests);
        code = code == MPI_SUCCESS ? exchange(ranks, memory, LONG_BYTES, requests) : code;
        if (code != MPI_SUCCESS) {
            status =
                communicator_mpi_transfer_fault(code, "first messages", NULL, ranks->rank, diag);
        }
    }
    free(memory);
    free(requests);
    touch_heap();
    return status;
}
