#include <sched.h>
#include <string.h>

#include "communicator_nccl_parts.h"
#include "stopwatch.h"
#include "text.h"

ncclResult_t communicator_nccl_settle(ncclComm_t comm, ncclResult_t result, double seconds)
{
    const uint64_t begin = stopwatch_ns();
    while (result == ncclInProgress) {
        if (ncclCommGetAsyncError(comm, &result) != ncclSuccess)
            return ncclInternalError;
        if (result == ncclInProgress && seconds > 0 &&
            (double)(stopwatch_ns() - begin) > seconds * 1e9)
            return ncclInProgress;
        (void)sched_yield();
    }
    return result;
}

void communicator_nccl_abort(struct communicator_nccl *nccl)
{
    if (nccl->nccl != NULL)
        (void)ncclCommAbort(nccl->nccl);
    nccl->nccl = NULL;
}

/* What became of the device; success also while it works. */
static cudaError_t device_of(const struct communicator_nccl *nccl)
{
    const cudaError_t code = cudaStreamQuery(nccl->cuda->compute);
    if (code != cudaErrorNotReady)
        return code;
    (void)cudaGetLastError(); /* not ready is no error to be found later */
    return cudaSuccess;
}

/* Where CUDA failed below the library, the runtime knows whether the device is lost. */
enum status communicator_nccl_failed(struct communicator_nccl *nccl, const char *doing,
                                     ncclResult_t result, struct diag *diag)
{
    const cudaError_t code = result == ncclUnhandledCudaError ? device_of(nccl) : cudaSuccess;
    if (code != cudaSuccess)
        return communicator_nccl_device_failed(nccl, doing, code, diag);
    char last[COMMUNICATOR_NCCL_WORDS];
    const char *said = ncclGetLastError(NULL); /* nccl.h: of this thread, whatever is given */
    const size_t length = said != NULL ? strlen(said) : 0;
    enum status status =
        diag_set(diag, STATUS_ENVIRONMENT, "NCCL failed in %s on GPU %d: %s%s%s", doing,
                 nccl->cuda->base.request.device, ncclGetErrorString(result),
                 length > 0 ? "; its own words: " : "",
                 length > 0 ? text_escape_into(last, sizeof last, said, length) : "");
    communicator_nccl_abort(nccl);
    return status;
}

/* The collectives' kernels ended with the device. The library is not asked to abort: it could wait
 * for the device for ever, and the process ends soon. */
enum status communicator_nccl_device_failed(struct communicator_nccl *nccl, const char *doing,
                                            cudaError_t code, struct diag *diag)
{
    struct backend_cuda *cuda = nccl->cuda;
    cuda_error_note(&cuda->error, doing, code);
    cuda->base.lost = true;
    nccl->nccl = NULL;
    return cuda_error_report(&cuda->error, cuda->base.request.device, diag);
}

enum status communicator_nccl_gone(const struct communicator_nccl *nccl, struct diag *diag)
{
    return diag_set(diag, STATUS_ENVIRONMENT,
                    "the collectives on GPU %d ended with an earlier failure",
                    nccl->cuda->base.request.device);
}
