#include "communicator_nccl.h"

#include <sched.h>

#include "communicator_nccl_parts.h"

static ncclDataType_t type_of(const struct communicator_nccl *nccl)
{
    return nccl->base.wire == MODEL_BF16 ? ncclBfloat16 : ncclFloat32;
}

static ncclResult_t issue_segment(const struct communicator_nccl *nccl,
                                  enum schedule_collective collective,
                                  const struct communicator_segment *segment)
{
    const uint64_t part = segment->part_elements;
    const cudaStream_t stream = nccl->cuda->communication;
    unsigned char *own = (unsigned char *)segment->whole +
                         nccl->base.rank * part * model_dtype_bytes(nccl->base.wire);
    switch (collective) {
    case SCHEDULE_ALL_REDUCE:
        return ncclAllReduce(segment->whole, segment->whole, part * nccl->base.world_size,
                             type_of(nccl), ncclSum, nccl->nccl, stream);
    case SCHEDULE_REDUCE_SCATTER:
        return ncclReduceScatter(segment->whole, own, part, type_of(nccl), ncclSum, nccl->nccl,
                                 stream);
    case SCHEDULE_ALL_GATHER:
        return ncclAllGather(segment->shard, segment->whole, part, type_of(nccl), nccl->nccl,
                             stream);
    default:
        return ncclInvalidArgument;
    }
}

/* All segments as one operation of the library. */
static ncclResult_t issue(const struct communicator_nccl *nccl,
                          const struct communicator_call *call)
{
    ncclResult_t result = ncclGroupStart();
    if (result != ncclSuccess)
        return result;
    for (size_t i = 0; i < call->segment_count && result == ncclSuccess; i++) {
        result = issue_segment(nccl, call->collective, &call->segments[i]);
        if (result == ncclInProgress)
            result = ncclSuccess; /* the group's end tells */
    }
    ncclResult_t ended = ncclGroupEnd();
    return communicator_nccl_settle(nccl->nccl, result != ncclSuccess ? result : ended, 0);
}

/* One rank gives to itself. */
static cudaError_t copy_alone(const struct communicator_nccl *nccl,
                              const struct communicator_call *call)
{
    cudaError_t code = cudaSuccess;
    for (size_t i = 0; i < call->segment_count && code == cudaSuccess; i++) {
        const struct communicator_segment *segment = &call->segments[i];
        if (segment->shard != segment->whole)
            code = cudaMemcpyAsync(segment->whole, segment->shard,
                                   segment->part_elements * model_dtype_bytes(nccl->base.wire),
                                   cudaMemcpyDeviceToDevice, nccl->cuda->communication);
    }
    return code;
}

/* --- the order of the streams --- */

/* The collective waits for what was computed until now, unless an earlier one did, or the host. */
static cudaError_t await_compute(struct communicator_nccl *nccl)
{
    struct backend_cuda *cuda = nccl->cuda;
    const uint64_t noted = cuda->error.noted;
    if (noted == nccl->noted || noted == cuda->noted_then)
        return cudaSuccess;
    cudaError_t code = cudaEventRecord(nccl->computed, cuda->compute);
    if (code == cudaSuccess)
        code = cudaStreamWaitEvent(cuda->communication, nccl->computed, 0);
    nccl->noted = noted;
    return code;
}

/* What is computed from now on waits for the call, unless it waited for a later one, or the host
 * did. */
static cudaError_t await_call(struct communicator_nccl *nccl,
                              const struct communicator_nccl_call *call)
{
    if (call->number <= nccl->awaited || call->waits != nccl->cuda->waits)
        return cudaSuccess;
    nccl->awaited = call->number;
    return cudaStreamWaitEvent(nccl->cuda->compute, call->done, 0);
}

static void mark_begin(struct communicator *communicator)
{
    communicator->flight_begin = timeline_mark(communicator->timeline, TIMELINE_COMMUNICATION);
}

/* Behind the call's work on the stream. */
static cudaError_t mark_end(struct communicator_nccl *nccl, struct communicator_nccl_call *call)
{
    struct communicator *communicator = &nccl->base;
    communicator->flight_end = timeline_mark(communicator->timeline, TIMELINE_COMMUNICATION);
    call->number = ++nccl->posted;
    call->waits = nccl->cuda->waits;
    return cudaEventRecord(call->done, nccl->cuda->communication);
}

/* --- the operations --- */

/* With one rank only a gather from elsewhere moves anything. */
static bool moves(const struct communicator_nccl *nccl, const struct communicator_call *call)
{
    bool elsewhere = false;
    for (size_t i = 0; i < call->segment_count; i++)
        elsewhere = elsewhere || call->segments[i].shard != call->segments[i].whole;
    return nccl->base.world_size > 1 || (call->collective == SCHEDULE_ALL_GATHER && elsewhere);
}

static enum status post(struct communicator *communicator, const struct communicator_call *call,
                        bool *complete, struct diag *diag)
{
    struct communicator_nccl *nccl = communicator_nccl_of(communicator);
    struct communicator_nccl_call *posted = &nccl->calls[call->ticket];
    const char *doing = schedule_collective_name(call->collective);
    (void)complete; /* it is when the compute stream waits for it */
    if (!moves(nccl, call)) {
        *posted = (struct communicator_nccl_call){.done = posted->done};
        mark_begin(communicator);
        communicator->flight_end = communicator->flight_begin;
        return STATUS_OK;
    }
    if (communicator->world_size > 1 && nccl->nccl == NULL)
        return communicator_nccl_gone(nccl, diag);
    cudaError_t code = await_compute(nccl);
    mark_begin(communicator);
    if (code == cudaSuccess && communicator->world_size == 1)
        code = copy_alone(nccl, call);
    if (code != cudaSuccess)
        return communicator_nccl_device_failed(nccl, doing, code, diag);
    ncclResult_t result = communicator->world_size > 1 ? issue(nccl, call) : ncclSuccess;
    if (result != ncclSuccess)
        return communicator_nccl_failed(nccl, doing, result, diag);
    code = mark_end(nccl, posted);
    return code == cudaSuccess ? STATUS_OK
                               : communicator_nccl_device_failed(nccl, doing, code, diag);
}

static enum status poll(struct communicator *communicator, bool *complete, struct diag *diag)
{
    (void)communicator; /* the device needs no help */
    (void)complete;
    (void)diag;
    return STATUS_OK;
}

static enum status wait_for(struct communicator *communicator, size_t ticket, bool *complete,
                            struct diag *diag)
{
    struct communicator_nccl *nccl = communicator_nccl_of(communicator);
    cudaError_t code = await_call(nccl, &nccl->calls[ticket]);
    if (code != cudaSuccess)
        return communicator_nccl_device_failed(nccl, "waiting for a collective", code, diag);
    complete[ticket] = true;
    return STATUS_OK;
}

static enum status sum(struct communicator *communicator, double *value, struct diag *diag)
{
    static const char doing[] = "the sum of a number";
    struct communicator_nccl *nccl = communicator_nccl_of(communicator);
    struct communicator_nccl_call *call = &nccl->calls[communicator->ticket_count];
    if (communicator->world_size == 1) {
        mark_begin(communicator);
        communicator->flight_end = communicator->flight_begin;
        return STATUS_OK;
    }
    if (nccl->nccl == NULL)
        return communicator_nccl_gone(nccl, diag);
    cudaError_t code = await_compute(nccl);
    mark_begin(communicator);
    if (code != cudaSuccess)
        return communicator_nccl_device_failed(nccl, doing, code, diag);
    ncclResult_t result =
        ncclAllReduce(value, value, 1, ncclFloat64, ncclSum, nccl->nccl, nccl->cuda->communication);
    result = communicator_nccl_settle(nccl->nccl, result, 0);
    if (result != ncclSuccess)
        return communicator_nccl_failed(nccl, doing, result, diag);
    code = mark_end(nccl, call);
    if (code == cudaSuccess)
        code = await_call(nccl, call);
    return code == cudaSuccess ? STATUS_OK
                               : communicator_nccl_device_failed(nccl, doing, code, diag);
}

/* Whether NCCL knows of a failure, of another rank's too; its kernels would wait for ever. */
static enum status watch(struct communicator_nccl *nccl, struct diag *diag)
{
    ncclResult_t result = ncclSuccess;
    if (nccl->nccl == NULL)
        return STATUS_OK;
    if (ncclCommGetAsyncError(nccl->nccl, &result) != ncclSuccess)
        result = ncclInternalError;
    if (result == ncclSuccess || result == ncclInProgress)
        return STATUS_OK;
    return communicator_nccl_failed(nccl, "a collective under way", result, diag);
}

/* Of both streams: what is computed may wait for a collective. */
static cudaError_t ask_streams(const struct backend_cuda *cuda)
{
    cudaError_t code = cudaStreamQuery(cuda->communication);
    return code == cudaSuccess ? cudaStreamQuery(cuda->compute) : code;
}

static enum status drain(struct communicator *communicator, struct diag *diag)
{
    struct communicator_nccl *nccl = communicator_nccl_of(communicator);
    if (communicator->world_size > 1 && nccl->nccl == NULL)
        return communicator_nccl_gone(nccl, diag);
    for (;;) {
        cudaError_t code = ask_streams(nccl->cuda);
        if (code != cudaSuccess && code != cudaErrorNotReady)
            return communicator_nccl_device_failed(nccl, "waiting for the collectives", code, diag);
        enum status status = watch(nccl, diag);
        if (status != STATUS_OK || code == cudaSuccess)
            return status;
        (void)cudaGetLastError(); /* not ready is no error to be found later */
        (void)sched_yield();
    }
}

static void destroy(struct communicator *communicator)
{
    communicator_nccl_destroy(communicator_nccl_of(communicator));
}

/* --- what is the host's --- */

static enum status barrier(struct communicator *communicator, struct diag *diag)
{
    return communicator_barrier(communicator_nccl_of(communicator)->host, diag);
}

static enum status broadcast(struct communicator *communicator, void *host, uint64_t bytes,
                             int root, struct diag *diag)
{
    return communicator_broadcast(communicator_nccl_of(communicator)->host, host, bytes, root,
                                  diag);
}

static enum status gather(struct communicator *communicator, const void *host, uint64_t bytes,
                          void *all, int root, struct diag *diag)
{
    return communicator_gather(communicator_nccl_of(communicator)->host, host, bytes, all, root,
                               diag);
}

const struct communicator_operations communicator_nccl_operations = {
    .name = "nccl",
    .progress = "stream",
    .algorithm = "", /* communicator_nccl_start.c */
    .streams = true,
    .post = post,
    .poll = poll,
    .wait = wait_for,
    .sum = sum,
    .drain = drain,
    .barrier = barrier,
    .broadcast = broadcast,
    .gather = gather,
    .destroy = destroy,
};
