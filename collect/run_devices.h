#ifndef RANKLEDGER_RUN_DEVICES_H
#define RANKLEDGER_RUN_DEVICES_H

#include "device_description.h"
#include "rank_record.h"

/*
 * Which device each rank computes on, for backends whose devices are not the host itself: before
 * any rank starts where one launcher starts them all on its host, and among the ranks that a
 * foreign mpirun or srun started.
 */

/* A backend's devices as one process sees them. */
struct run_devices {
    bool needed;   /* the backend has devices beside the host */
    char why[512]; /* why they cannot be used, safe to print; "": they can */
    struct device_description description;
};

/* Looks, without using a device unless `free_memory` asks for what cannot be known otherwise.
 * `backend`: a row of backend_table. Threads that this starts leave every signal alone. */
void run_devices_look(const char *backend, bool free_memory, struct run_devices *devices);

/* Where one rank computes, as it travels between ranks. */
struct run_devices_place {
    char why[512];       /* why it cannot; "": it can */
    uint64_t host;       /* number of its host (communicator_mpi_place.h) */
    uint64_t visible;    /* devices that it sees */
    uint64_t free_bytes; /* of its device; 0: not known */
    struct rank_device device;
};

/* The place of the `local_rank`-th rank of this host, number 0 until the caller says otherwise: it
 * takes the device of that number; where it sees fewer (each its own, or they share), they are
 * dealt out again from the first. */
void run_devices_place(const struct run_devices *devices, uint64_t local_rank,
                       struct run_devices_place *place);

/* The device of this host's `local_rank`-th rank, looked for in that rank; *device stays as it is
 * where the backend has none beside the host. STATUS_ENVIRONMENT in words if it cannot compute. */
enum status run_devices_find(const char *backend, uint64_t local_rank, struct rank_device *device,
                             struct diag *diag) STATUS_CHECKED;

/* Whether all of `count` ranks can compute where they are placed. What is in the way, and which
 * option to change, is in `why`. `share`: ranks may share a device. */
bool run_devices_check(const struct run_devices_place *places, uint64_t count, bool share,
                       char *why, size_t size);

/* Ranks on the same device as `rank`, itself included. */
uint64_t run_devices_sharers(const struct run_devices_place *places, uint64_t count, uint64_t rank);

/* The names of the ranks' devices, "NVIDIA A100 and NVIDIA H200", where they differ; otherwise
 * false. */
bool run_devices_mixed(const struct run_devices_place *places, uint64_t count, char *names,
                       size_t size);

/*
 * Lets ranks share a device: NCCL refuses two of a host on one, so each says that it is a host of
 * its own and talks through sockets. What the user has set stays, but for the host's name. Before
 * any thread is started.
 */
void run_devices_separate(uint64_t rank);

#endif
