#include "device_arrays.h"

#include <stdlib.h>

#include "call_arrays.h"
#include "cuda_describe.h"
#include "cuda_emulation.h"
#include "mpi_expect.h"

static const uint64_t lengths[DEVICE_ARRAYS_MOST] = {16, 1, 4099};

/* In the place of cuda_describe.c, which asks libraries that are not needed here. */
bool cuda_describe_used(int device, uint64_t *bytes)
{
    (void)device;
    (void)bytes;
    return false;
}

static void expect(cudaError_t code, const char *what)
{
    mpi_expect(code == cudaSuccess, "%s: %s", what, cudaGetErrorString(code));
}

struct backend_cuda *device_arrays_backend(int device, enum model_dtype dtype)
{
    struct backend_cuda *cuda = calloc(1, sizeof *cuda);
    mpi_expect(cuda != NULL, "memory");
    cuda->base.request.device = device;
    cuda->bf16 = dtype == MODEL_BF16;
    expect(cudaSetDevice(device), "a device");
    expect(cudaStreamCreateWithFlags(&cuda->compute, cudaStreamNonBlocking), "a stream");
    expect(cudaStreamCreateWithFlags(&cuda->communication, cudaStreamNonBlocking), "a stream");
    expect(cuda_staging_init(&cuda->staging), "pinned memory");
    cuda_emulation_name_stream(cuda->compute, "compute");
    cuda_emulation_name_stream(cuda->communication, "communication");
    cuda_timeline_init(&cuda->timeline, cuda->compute, cuda->communication, &cuda->error);
    cuda->base.timeline = cuda_timeline_shown(&cuda->timeline);
    timeline_restart(&cuda->base.timeline);
    return cuda;
}

void device_arrays_backend_free(struct backend_cuda *cuda)
{
    cuda_timeline_fini(&cuda->timeline);
    cuda_staging_fini(&cuda->staging);
    expect(cudaStreamDestroy(cuda->compute), "the end of a stream");
    expect(cudaStreamDestroy(cuda->communication), "the end of a stream");
    free(cuda);
}

static void synchronise(struct backend_cuda *cuda)
{
    struct diag diag = {0};
    mpi_expect(backend_cuda_synchronise(&cuda->base, &diag) == STATUS_OK, "%s", diag.text);
}

static void *device_copy(struct backend_cuda *cuda, const void *host, uint64_t bytes)
{
    void *memory = NULL;
    expect(cudaMalloc(&memory, bytes), "memory");
    backend_cuda_from_host(&cuda->base, memory, host, bytes);
    return memory;
}

static void fill(struct device_arrays *arrays, size_t s, bool apart)
{
    const struct communicator *communicator = arrays->communicator;
    const uint64_t part = lengths[s], width = model_dtype_bytes(communicator->wire);
    const uint64_t count = part * communicator->world_size, first = part * communicator->rank;
    const bool gather = arrays->call.collective == SCHEDULE_ALL_GATHER;
    unsigned char *host = malloc(count * width);
    mpi_expect(host != NULL, "memory");
    for (uint64_t i = 0; i < count; i++) {
        const bool give = !gather || (i >= first && i < first + part);
        call_arrays_write(communicator, host, i,
                          give ? call_arrays_given(communicator->rank, i, s) : -1.0f);
    }
    if (apart)
        arrays->shards[s] = device_copy(arrays->cuda, host + first * width, part * width);
    for (uint64_t i = first; apart && i < first + part; i++)
        call_arrays_write(communicator, host, i, -1.0f);
    unsigned char *whole = device_copy(arrays->cuda, host, count * width);
    arrays->segments[s] = (struct communicator_segment){whole,
                                                        apart    ? arrays->shards[s]
                                                        : gather ? whole + first * width
                                                                 : NULL,
                                                        part};
    arrays->call.payload_bytes += count * width;
    free(host);
}

struct device_arrays device_arrays_make(struct backend_cuda *cuda,
                                        struct communicator *communicator,
                                        enum schedule_collective collective, size_t count,
                                        bool apart, size_t ticket)
{
    struct device_arrays arrays = {
        .cuda = cuda,
        .communicator = communicator,
        .call = {.collective = collective,
                 .purpose = SCHEDULE_PARAMETER_GATHER,
                 .segment_count = count,
                 .ticket = ticket},
    };
    for (size_t s = 0; s < count; s++)
        fill(&arrays, s, apart && collective == SCHEDULE_ALL_GATHER);
    return arrays;
}

void device_arrays_post(struct device_arrays *arrays)
{
    struct diag diag = {0};
    arrays->call.segments = arrays->segments;
    enum status status = communicator_post(arrays->communicator, &arrays->call, &diag);
    mpi_expect(status == STATUS_OK, "a post: %s", diag.text);
}

void device_arrays_wait(const struct device_arrays *arrays)
{
    struct diag diag = {0};
    enum status status = communicator_wait(arrays->communicator, arrays->call.ticket, &diag);
    mpi_expect(status == STATUS_OK, "a wait: %s", diag.text);
}

static bool right(const struct device_arrays *arrays, size_t s, const unsigned char *host)
{
    const struct communicator *communicator = arrays->communicator;
    const uint64_t part = lengths[s], world_size = communicator->world_size;
    const enum schedule_collective collective = arrays->call.collective;
    const bool whole = collective != SCHEDULE_REDUCE_SCATTER;
    const uint64_t first = whole ? 0 : communicator->rank * part;
    const uint64_t end = whole ? world_size * part : first + part;
    for (uint64_t i = first; i < end; i++) {
        const float expected = collective == SCHEDULE_ALL_GATHER
                                   ? call_arrays_given(i / part, i, s)
                                   : call_arrays_summed(communicator, i, s);
        if (call_arrays_read(communicator, host, i) != expected)
            return false;
    }
    return true;
}

bool device_arrays_right(const struct device_arrays *arrays)
{
    bool all = true;
    for (size_t s = 0; s < arrays->call.segment_count; s++) {
        const uint64_t bytes = lengths[s] * arrays->communicator->world_size *
                               model_dtype_bytes(arrays->communicator->wire);
        unsigned char *host = malloc(bytes);
        mpi_expect(host != NULL, "memory");
        backend_cuda_to_host(&arrays->cuda->base, host, arrays->segments[s].whole, bytes);
        synchronise(arrays->cuda);
        all = all && right(arrays, s, host);
        free(host);
    }
    return all;
}

void device_arrays_free(struct device_arrays *arrays)
{
    for (size_t s = 0; s < arrays->call.segment_count; s++) {
        expect(cudaFree(arrays->segments[s].whole), "memory given back");
        expect(cudaFree(arrays->shards[s]), "memory given back");
    }
}
