#ifndef RANKLEDGER_COMMUNICATOR_MPI_PLACE_H
#define RANKLEDGER_COMMUNICATOR_MPI_PLACE_H

#include <stdint.h>

#include "diag.h"

/*
 * Where a rank is among the ranks of the run. A host is what MPI says can share memory; names would
 * not do, because several hosts may have the same.
 */
struct communicator_mpi_place {
    uint64_t local_rank, local_ranks; /* among the ranks of its host, in the order of the ranks */
    uint64_t host, hosts;             /* number of the host, in the order of their first ranks */
};

/* After communicator_mpi_start; all ranks must call it. STATUS_ENVIRONMENT if MPI fails. */
enum status communicator_mpi_place(struct communicator_mpi_place *place,
                                   struct diag *diag) STATUS_CHECKED;

#endif
