#ifndef RANKLEDGER_COMMUNICATOR_NCCL_H
#define RANKLEDGER_COMMUNICATOR_NCCL_H

#include "backend.h"
#include "communicator.h"

/*
 * Collectives of the CUDA backend through NCCL, on the backend's communication stream. post makes
 * that stream wait for what was computed until then, wait makes the compute stream wait for the
 * call; neither waits on the host, and a wait that an earlier one already implies is left out.
 * The communicator is non-blocking, so that nothing hangs inside the library: whoever waits, asks
 * again and again and sees a failure (ncclCommGetAsyncError), after which the communicator is
 * aborted. With one rank NCCL is not used.
 */

/* As backend.h's row has it: on success `host` belongs to the communicator. */
enum status communicator_nccl_connect(struct backend *backend, struct communicator *host,
                                      size_t ticket_count, struct communicator **communicator,
                                      struct diag *diag) STATUS_CHECKED;

/* The loaded library's version, "2.28.9"; "" if it does not tell. */
void communicator_nccl_version(char *text, size_t size);

#endif
