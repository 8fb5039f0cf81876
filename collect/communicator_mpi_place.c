#include "communicator_mpi_place.h"

#include <mpi.h>

#include "communicator_mpi_transfer.h"

/* The number of this rank's host, and how many there are. The first rank of a host counts it, with
 * those before it. */
static int number_hosts(MPI_Comm local, int local_rank, uint64_t *host, uint64_t *hosts)
{
    uint64_t is_first = local_rank == 0;
    uint64_t until_here = 0;
    int code = MPI_Scan(&is_first, &until_here, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (code == MPI_SUCCESS)
        code = MPI_Allreduce(&is_first, hosts, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    *host = until_here - 1;
    if (code == MPI_SUCCESS)
        code = MPI_Bcast(host, 1, MPI_UINT64_T, 0, local);
    return code;
}

enum status communicator_mpi_place(struct communicator_mpi_place *place, struct diag *diag)
{
    MPI_Comm local = MPI_COMM_NULL;
    int rank = 0;
    int local_rank = 0;
    int local_ranks = 1;
    struct communicator_mpi_place found = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int code =
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &local);
    if (code == MPI_SUCCESS) {
        MPI_Comm_set_errhandler(local, MPI_ERRORS_RETURN);
        MPI_Comm_rank(local, &local_rank);
        MPI_Comm_size(local, &local_ranks);
        code = number_hosts(local, local_rank, &found.host, &found.hosts);
        MPI_Comm_free(&local);
    }
    if (code != MPI_SUCCESS)
        return communicator_mpi_transfer_fault(code, "the search for ranks on the same host", NULL,
                                               rank, diag);
    found.local_rank = (uint64_t)local_rank;
    found.local_ranks = (uint64_t)local_ranks;
    *place = found;
    return STATUS_OK;
}
