#include <stdlib.h>

#include "communicator_mpi.h"
#include "communicator_mpi_place.h"
#include "mpi_expect.h"

/* On one host; several are tested where there are namespaces (cli/test_hosts.py). */
int main(void)
{
    uint64_t rank;
    uint64_t world_size;
    struct diag diag = {0};
    struct communicator_mpi_place place = {.local_rank = 9, .host = 9};
    mpi_expect_start(&rank, &world_size);
    enum status status = communicator_mpi_place(&place, &diag);
    mpi_expect(status == STATUS_OK, "a place: %s", diag.text);
    mpi_expect(place.local_rank == rank && place.local_ranks == world_size,
               "rank %llu of %llu on its host, not %llu of %llu", (unsigned long long)rank,
               (unsigned long long)world_size, (unsigned long long)place.local_rank,
               (unsigned long long)place.local_ranks);
    mpi_expect(place.host == 0 && place.hosts == 1, "host 0 of 1, not %llu of %llu",
               (unsigned long long)place.host, (unsigned long long)place.hosts);
    communicator_mpi_finish();
    return EXIT_SUCCESS;
}
