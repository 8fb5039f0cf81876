#include "rank_identity.h"

#include <stdio.h>
#include <unistd.h>

#include "communicator_mpi.h"
#include "host_info.h"
#include "stopwatch.h"

void rank_identity_begin(struct rank_record *record)
{
    record->started_ns = stopwatch_ns();
    record->phase = RANK_LAUNCH;
    __atomic_store_n(&record->pid, (int64_t)getpid(), __ATOMIC_RELEASE);
}

void rank_identity_fill(struct rank_record *record, uint64_t threads)
{
    struct host_info host;
    struct host_info_blas blas;
    host_info_load(&host);
    host_info_load_blas(&blas);
    if (gethostname(record->host, sizeof record->host - 1) != 0)
        record->host[0] = '\0';
    snprintf(record->device, sizeof record->device, "%s", host.cpu);
    snprintf(record->affinity, sizeof record->affinity, "%s", host.affinity);
    snprintf(record->blas, sizeof record->blas, "%.96s (%s)", blas.name,
             blas.openmp ? "OpenMP" : "pthreads");
    snprintf(record->blas_kernels, sizeof record->blas_kernels, "%s", blas.kernels);
    (void)communicator_mpi_library(record->mpi, sizeof record->mpi);
    record->cores = host.usable_cores;
    record->threads = threads;
}
