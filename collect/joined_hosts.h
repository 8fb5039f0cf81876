#ifndef RANKLEDGER_JOINED_HOSTS_H
#define RANKLEDGER_JOINED_HOSTS_H

#include "communicator.h"
#include "communicator_mpi_place.h"
#include "host_info.h"

/* What a rank of a foreign mpirun or srun says about where it is. */
struct joined_hosts_word {
    struct communicator_mpi_place place;
    char name[HOST_INFO_TEXT];     /* of the host */
    char affinity[HOST_INFO_TEXT]; /* as host_info has it */
    uint64_t cores, usable_cores, available_bytes;
};

/* What follows for the run. Plain data. */
struct joined_hosts {
    uint64_t hosts;
    uint64_t threads;    /* of every rank: all have as many, so that one plan fits all */
    bool bound;          /* each rank has cores of its own, not all of its host */
    bool oversubscribed; /* somewhere more threads than cores */
    /* The host with the least memory for a rank: which, its ranks, and what is left for them. */
    uint64_t tightest, tightest_ranks, tightest_bytes;
    char tightest_name[HOST_INFO_TEXT];
};

/*
 * `threads` as asked for; 0: as many as every rank has cores for. Ranks of one host that may run on
 * the same logical CPUs share these cores. (Sets that overlap without being the same count as cores
 * of their own; no launcher makes such.)
 */
void joined_hosts_plan(const struct joined_hosts_word *words, uint64_t ranks, uint64_t threads,
                       struct joined_hosts *plan);

/* The same from all ranks, to all; all must call. */
enum status joined_hosts_gather(struct communicator *communicator,
                                const struct communicator_mpi_place *place,
                                const struct host_info *host, uint64_t threads,
                                struct joined_hosts *plan, struct diag *diag) STATUS_CHECKED;

#endif
