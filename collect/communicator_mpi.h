#ifndef RANKLEDGER_COMMUNICATOR_MPI_H
#define RANKLEDGER_COMMUNICATOR_MPI_H

#include "communicator.h"

/*
 * Ranks over MPI. communicator_mpi_start makes malloc keep its memory (Open MPI's reductions
 * allocate temporary buffers anew at each call, and a fresh page costs up to 16 us), then starts
 * MPI with the threads it needs (funneled). Call it before anything else allocates much. It is
 * STATUS_ENVIRONMENT if the launcher's variables speak of another group than MPI knows.
 *
 * Of Open MPI's tunables nothing has to be set, except mpi_yield_when_idle where ranks share cores.
 */
enum status communicator_mpi_start(int *rank, int *world_size, struct diag *diag) STATUS_CHECKED;
/* Ends MPI in order; after a failure of another rank it would hang: use communicator_mpi_abort. */
void communicator_mpi_finish(void);
/* Ends every rank of the run at once. */
void communicator_mpi_abort(int exit_code);
/* True if this process was started by mpirun, srun or the like. `rank`, `world_size`: what they
 * say. A shell inside an allocation (sbatch's script, a step of one task) does not count. */
bool communicator_mpi_joined(int *rank, int *world_size);
/* "Open MPI v4.1.4 ..." in one line, without starting MPI. Returns `text`. */
const char *communicator_mpi_library(char *text, size_t size);

/* How the collectives are made, in words for the evidence; static storage. */
const char *communicator_mpi_algorithm(void);

/* Bytes of scratch of a communicator of that size: what its buffer_bytes will be. */
uint64_t communicator_mpi_buffer_bytes(uint64_t world_size);

/* Over all ranks of the run. Heap. With world size 1 nothing is sent. */
enum status communicator_mpi_create(enum model_dtype wire, size_t ticket_count,
                                    struct communicator **communicator,
                                    struct diag *diag) STATUS_CHECKED;
/* Over this process alone: for references in tests. */
enum status communicator_mpi_create_self(enum model_dtype wire, size_t ticket_count,
                                         struct communicator **communicator,
                                         struct diag *diag) STATUS_CHECKED;

#endif
