#ifndef RANKLEDGER_HOST_INFO_H
#define RANKLEDGER_HOST_INFO_H

#include <stdbool.h>
#include <stdint.h>

#define HOST_INFO_TEXT 128

/* What this machine is. Unknown: 0 or an empty text. */
struct host_info {
    char cpu[HOST_INFO_TEXT];    /* model name */
    char kernel[HOST_INFO_TEXT]; /* "Linux 6.1.0" */
    char architecture[HOST_INFO_TEXT];
    uint64_t packages, numa_nodes;
    uint64_t cores, threads;       /* of the whole machine, as far as this process may see it */
    uint64_t usable_cores;         /* of these that this process may run on */
    char affinity[HOST_INFO_TEXT]; /* logical CPUs it may run on, as a list: "0-3,8" */
    uint64_t memory_bytes;
    uint64_t available_bytes; /* that new processes could take, control groups' limits included */
    uint64_t shared_bytes, shared_free_bytes; /* of /dev/shm */
    char huge_pages[HOST_INFO_TEXT]; /* transparent huge pages: "always", "madvise", "never" */
    char governor[HOST_INFO_TEXT];   /* of the first CPU's frequency */
};

void host_info_load(struct host_info *info);

/* Which library multiplies matrices, and how. */
struct host_info_blas {
    char name[HOST_INFO_TEXT];    /* "OpenBLAS 0.3.21" */
    char kernels[HOST_INFO_TEXT]; /* the processor it computes for: "Haswell" */
    bool openmp;                  /* its threads are OpenMP's */
};
void host_info_load_blas(struct host_info_blas *blas);

/*
 * The kernels that OpenBLAS should use and would not choose by itself: an OpenBLAS older than the
 * processor takes the last AVX2 kernels it knows, although the processor has what SkylakeX's need.
 * NULL: its own choice stands (or the user has made one, OPENBLAS_CORETYPE).
 */
const char *host_info_better_kernels(const struct host_info_blas *blas);

#endif
