#ifndef RANKLEDGER_COMMUNICATOR_NCCL_PARTS_H
#define RANKLEDGER_COMMUNICATOR_NCCL_PARTS_H

#include <nccl.h>

#include "backend_cuda.h"
#include "communicator_nccl.h"

/* What the files of the communicator share: its making and end (communicator_nccl_start.c), its
 * collectives (communicator_nccl.c), its failures (communicator_nccl_failure.c). */

#define COMMUNICATOR_NCCL_WORDS 512

/* A call that was posted: `number` counts the calls of the stream in order, from 1. */
struct communicator_nccl_call {
    cudaEvent_t done; /* behind it on the communication stream */
    uint64_t number;
    uint64_t waits; /* the backend's, when it was posted */
};

struct communicator_nccl {
    struct communicator base;
    struct communicator_operations operations; /* the common ones, with this library's words */
    char algorithm[COMMUNICATOR_NCCL_WORDS];
    struct backend_cuda *cuda;
    struct communicator *host; /* owned */
    ncclComm_t nccl;           /* owned; NULL with one rank, and after a failure */
    cudaEvent_t computed;
    struct communicator_nccl_call *calls; /* owned; one a ticket, and one for sums behind them */
    uint64_t posted;                      /* calls so far */
    uint64_t awaited;                     /* the last one that the compute stream waits for */
    uint64_t noted; /* cuda->error.noted when the communication stream last waited */
};

static inline struct communicator_nccl *communicator_nccl_of(struct communicator *communicator)
{
    return (struct communicator_nccl *)(void *)communicator;
}

extern const struct communicator_operations communicator_nccl_operations;
void communicator_nccl_destroy(struct communicator_nccl *nccl);

/*
 * Until what was asked of a non-blocking communicator is under way (only then do the streams hold
 * it), for `seconds` at most; 0: for ever, which the run's watchdog ends. `result`: of the asking.
 */
ncclResult_t communicator_nccl_settle(ncclComm_t comm, ncclResult_t result, double seconds);

/* Ends what is under way, which may wait for ever; the communicator cannot be used any more. */
void communicator_nccl_abort(struct communicator_nccl *nccl);
/* No collective is possible after either. STATUS_ENVIRONMENT with the library's words. */
enum status communicator_nccl_failed(struct communicator_nccl *nccl, const char *doing,
                                     ncclResult_t result, struct diag *diag);
enum status communicator_nccl_device_failed(struct communicator_nccl *nccl, const char *doing,
                                            cudaError_t code, struct diag *diag);
/* The same for whoever asks after that. */
enum status communicator_nccl_gone(const struct communicator_nccl *nccl, struct diag *diag);

#endif
