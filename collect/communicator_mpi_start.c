#include <limits.h>
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "communicator_mpi.h"

/* Heap that is asked for ahead; untouched, it costs addresses only. */
#define HEAP_AHEAD_BYTES (64 << 20)
/* Of it, what is touched before the first step. Open MPI's lists of requests and messages grow when
 * more of them are in flight than ever before, which can be in any step. */
#define HEAP_TOUCHED_BYTES (8 << 20)
/* Slurm's names for steps that are no launch of ranks (slurm.h: SLURM_BATCH_SCRIPT and others). */
#define SLURM_SPECIAL_STEPS 0xfffffff0L

/*
 * Freed memory stays with the process, mapped and touched: Open MPI's reductions take a temporary
 * buffer at every call, and a fresh page costs up to 16 us on a virtual machine.
 */
static void keep_memory(void)
{
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_TOP_PAD, HEAP_AHEAD_BYTES);
}

static void touch_heap(void)
{
    void *heap = malloc(HEAP_TOUCHED_BYTES);
    if (heap) {
        explicit_bzero(heap, HEAP_TOUCHED_BYTES); /* a memset before free is taken out */
    }
    free(heap);
}

/* Whether the system lets a process read another's memory; some containers forbid the call. */
static bool can_read_processes(void)
{
    char from = 1;
    char to = 0;
    struct iovec local = {.iov_base = &to, .iov_len = 1};
    struct iovec remote = {.iov_base = &from, .iov_len = 1};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1;
}

/*
 * Open MPI finds out at the first long message, and complains at every one, where the receiver may
 * not read the sender's memory: then it must be told beforehand to copy through shared memory. The
 * first name is Open MPI 4's, the second its successor's. What the user has set stays.
 */
static void choose_transport(void)
{
    if (!can_read_processes()) {
        setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
        setenv("OMPI_MCA_smsc", "^cma", 0);
    }
}

/* Another MPI's launcher starts as many processes of Open MPI as ranks, each of which is alone. */
static enum status compare(int told_rank, int told_size, int rank, int world_size,
                           struct diag *diag)
{
    if (told_rank == rank && told_size == world_size) {
        return STATUS_OK;
    }
    return diag_set(diag, STATUS_ENVIRONMENT,
                    "the environment says rank %d of %d, but MPI says rank %d of %d: start it with "
                    "Open MPI's mpirun (or srun --mpi=pmix), or take a launcher's variables "
                    "(PMI_RANK, PMIX_RANK, ...) out of the environment",
                    told_rank, told_size, rank, world_size);
}

enum status communicator_mpi_start(int *rank, int *world_size, struct diag *diag)
{
    int provided = MPI_THREAD_SINGLE;
    int told_rank = 0;
    int told_size = 1;
    const bool is_told = communicator_mpi_joined(&told_rank, &told_size);
    keep_memory();
    choose_transport();
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
        return diag_set(diag, STATUS_ENVIRONMENT, "MPI does not start");
    }
    if (provided < MPI_THREAD_FUNNELED) {
        return diag_set(diag, STATUS_ENVIRONMENT,
                        "this MPI does not allow threads beside the one that calls it "
                        "(MPI_THREAD_FUNNELED)");
    }
    touch_heap();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, world_size);
    return is_told ? compare(told_rank, told_size, *rank, *world_size, diag) : STATUS_OK;
}

void communicator_mpi_finish(void)
{
    MPI_Finalize();
}

void communicator_mpi_abort(int exit_code)
{
    MPI_Abort(MPI_COMM_WORLD, exit_code);
}

/* A whole number from 0; -1 if the variable is not set or is none. */
static long number_of(const char *variable)
{
    const char *text = getenv(variable);
    char *end = NULL;
    if (!text || text[0] == '\0') {
        return -1;
    }
    long number = strtol(text, &end, 10);
    return *end == '\0' && number >= 0 ? number : -1;
}

static bool pair_of(const char *rank_variable, const char *size_variable, int *rank,
                    int *world_size)
{
    long first = number_of(rank_variable);
    long second = number_of(size_variable);
    if (first < 0 || second < 1 || first >= second || second > INT_MAX) {
        return false;
    }
    *rank = (int)first;
    *world_size = (int)second;
    return true;
}

/* In a step of several tasks; sbatch sets SLURM_PROCID and SLURM_NTASKS for its script as well. */
static bool in_slurm_step(int *rank, int *world_size)
{
    long step = number_of("SLURM_STEP_ID");
    if (step < 0 || step >= SLURM_SPECIAL_STEPS) {
        return false;
    }
    return (pair_of("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", rank, world_size) ||
            pair_of("SLURM_PROCID", "SLURM_NTASKS", rank, world_size)) &&
           *world_size > 1;
}

bool communicator_mpi_joined(int *rank, int *world_size)
{
    return pair_of("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", rank, world_size) ||
           in_slurm_step(rank, world_size) ||
           (number_of("SLURM_JOB_ID") < 0 && (pair_of("PMI_RANK", "PMI_SIZE", rank, world_size) ||
                                              pair_of("PMIX_RANK", "PMIX_SIZE", rank, world_size)));
}

const char *communicator_mpi_library(char *text, size_t size)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\r\n")] = '\0';
    char *comma = strchr(version, ','); /* "Open MPI v4.1.4, package: ..., who built it" */
    if (comma) {
        *comma = '\0';
    }
    snprintf(text, size, "%s", version);
    return text;
}
