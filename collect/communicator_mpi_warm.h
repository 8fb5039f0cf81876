#ifndef RANKLEDGER_COMMUNICATOR_MPI_WARM_H
#define RANKLEDGER_COMMUNICATOR_MPI_WARM_H

#include "communicator_mpi_transfer.h"

/*
 * Brings Open MPI's own memory to the size it can ever have: its lists of fragments and requests
 * grow, and touch fresh pages, whenever more messages are on their way than ever before, which
 * would happen in the middle of measured steps. Every rank calls, with nothing else in flight.
 */
enum status communicator_mpi_warm(const struct communicator_mpi_ranks *ranks,
                                  struct diag *diag) STATUS_CHECKED;

#endif
