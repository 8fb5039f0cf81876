#include "cuda_memory.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_cuda.h"
#include "cuda_describe.h"

#define ARENA_ALIGNMENT 4096
#define STAGING_ALIGNMENT 64

/* --- staging --- */

cudaError_t cuda_staging_init(struct cuda_staging *staging)
{
    void *pinned = NULL;
    *staging = (struct cuda_staging){0};
    cudaError_t code = cudaHostAlloc(&pinned, CUDA_STAGING_BYTES, cudaHostAllocDefault);
    if (code == cudaSuccess)
        staging->pinned = pinned;
    return code;
}

void cuda_staging_fini(struct cuda_staging *staging)
{
    if (staging->pinned != NULL)
        (void)cudaFreeHost(staging->pinned);
    *staging = (struct cuda_staging){0};
}

void cuda_staging_settle(struct cuda_staging *staging)
{
    for (size_t i = 0; i < staging->answer_count; i++) {
        const struct cuda_staging_answer *answer = &staging->answers[i];
        memcpy(answer->host, answer->pinned, answer->bytes);
    }
    staging->answer_count = 0;
    staging->used = 0;
}

/* NULL if it is full: then the copy goes the slow way, straight from or to the caller's memory. */
static unsigned char *stage(struct cuda_staging *staging, uint64_t bytes)
{
    if (bytes > CUDA_STAGING_BYTES - staging->used)
        return NULL;
    unsigned char *place = staging->pinned + staging->used;
    staging->used += (bytes + STAGING_ALIGNMENT - 1) / STAGING_ALIGNMENT * STAGING_ALIGNMENT;
    return place;
}

/* --- the arena --- */

static enum status out_of_memory(struct backend *backend, uint64_t bytes, struct diag *diag)
{
    size_t left = 0;
    size_t whole = 0;
    char others[96] = ""; /* where it is not known what was in use before, nothing is said of it */
    const uint64_t before = backend_cuda_of(backend)->used_before;
    (void)cudaGetLastError(); /* the refusal shall not be found again by the next call */
    (void)cudaMemGetInfo(&left, &whole);
    if (before > 0)
        snprintf(others, sizeof others,
                 "; %" PRIu64 " were in use before this process, by the driver itself too", before);
    return diag_set(diag, STATUS_ENVIRONMENT,
                    "out of memory: an arena of %" PRIu64 " bytes is needed, and GPU %d has %zu "
                    "of %zu free%s (nvidia-smi: who has the rest); --micro-batch or "
                    "--activation-checkpointing ask for less",
                    bytes, backend->request.device, left, whole, others);
}

/* The runtime promises multiples of 256 only (CUDA programming guide, "Device Memory Accesses"), so
 * there is room to begin later. */
static cudaError_t take(uint64_t bytes, struct cuda_arena *arena)
{
    const cudaError_t code = cudaMalloc(&arena->memory, bytes + ARENA_ALIGNMENT);
    const uintptr_t address = (uintptr_t)arena->memory;
    const uintptr_t past = address % ARENA_ALIGNMENT;
    arena->base = (unsigned char *)arena->memory + (past > 0 ? ARENA_ALIGNMENT - past : 0);
    return code;
}

static enum status reserve(struct backend *backend, uint64_t bytes, struct cuda_arena *arena,
                           struct diag *diag)
{
    cudaError_t code = take(bytes, arena);
    if (code == cudaErrorMemoryAllocation)
        return out_of_memory(backend, bytes, diag);
    backend->lost = code != cudaSuccess; /* no want of memory: the device failed */
    if (backend->lost)
        return cuda_error_set(backend->request.device, "reserving the arena", code, diag);
    backend_cuda_fill_zero(backend, arena->base, bytes);
    enum status status = backend_cuda_synchronise(backend, diag);
    if (status != STATUS_OK)
        (void)cudaFree(arena->memory);
    return status;
}

enum status backend_cuda_reserve(struct backend *backend, uint64_t bytes, void **base,
                                 struct diag *diag)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    struct cuda_arena *arena = calloc(1, sizeof *arena);
    if (arena == NULL)
        return diag_no_memory(diag);
    enum status status = reserve(backend, bytes, arena, diag);
    if (status != STATUS_OK) {
        free(arena);
        return status;
    }
    arena->next = cuda->arenas;
    cuda->arenas = arena;
    *base = arena->base;
    return STATUS_OK;
}

void backend_cuda_unreserve(struct backend *backend, void *base, uint64_t bytes)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    struct cuda_arena **at = &cuda->arenas;
    (void)bytes;
    while (*at != NULL && (*at)->base != base)
        at = &(*at)->next;
    if (*at == NULL)
        return;
    struct cuda_arena *arena = *at;
    *at = arena->next;
    cuda_error_note(&cuda->error, "giving the arena back", cudaFree(arena->memory));
    free(arena);
}

/* --- copies --- */

void backend_cuda_fill_zero(struct backend *backend, void *to, uint64_t bytes)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    if (bytes > 0)
        cuda_error_note(&cuda->error, "zeroing memory",
                        cudaMemsetAsync(to, 0, bytes, cuda->compute));
}

void backend_cuda_copy(struct backend *backend, void *to, const void *from, uint64_t bytes)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    if (bytes > 0)
        cuda_error_note(&cuda->error, "copying memory",
                        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, cuda->compute));
}

void backend_cuda_to_host(struct backend *backend, void *host, const void *from, uint64_t bytes)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    struct cuda_staging *staging = &cuda->staging;
    void *to = host;
    if (bytes == 0)
        return;
    unsigned char *place =
        staging->answer_count < CUDA_STAGING_ANSWERS ? stage(staging, bytes) : NULL;
    if (place != NULL) {
        staging->answers[staging->answer_count++] =
            (struct cuda_staging_answer){host, place, bytes};
        to = place;
    }
    cuda_error_note(&cuda->error, "copying to the host",
                    cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, cuda->compute));
}

void backend_cuda_from_host(struct backend *backend, void *to, const void *host, uint64_t bytes)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    if (bytes == 0)
        return;
    unsigned char *place = stage(&cuda->staging, bytes);
    if (place != NULL)
        memcpy(place, host, bytes);
    cuda_error_note(&cuda->error, "copying from the host",
                    cudaMemcpyAsync(to, place != NULL ? place : host, bytes, cudaMemcpyHostToDevice,
                                    cuda->compute));
}

/* --- waiting --- */

/* Asks again and again: a rank has a core of its own, and a thread that sleeps would wake late. */
static cudaError_t wait_for(cudaStream_t stream)
{
    cudaError_t code;
    while ((code = cudaStreamQuery(stream)) == cudaErrorNotReady) {
        (void)cudaGetLastError(); /* not ready is no error to be found later */
        (void)sched_yield();
    }
    return code;
}

enum status backend_cuda_synchronise(struct backend *backend, struct diag *diag)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    if (!cuda_error_failed(&cuda->error))
        cuda_error_note(&cuda->error, "waiting for the operators", wait_for(cuda->compute));
    if (!cuda_error_failed(&cuda->error))
        cuda_error_note(&cuda->error, "waiting for the collectives", wait_for(cuda->communication));
    if (cuda_error_failed(&cuda->error)) {
        backend->lost = true;
        return cuda_error_report(&cuda->error, backend->request.device, diag);
    }
    cuda_staging_settle(&cuda->staging);
    cuda->waits++;
    cuda->noted_then = cuda->error.noted;
    return STATUS_OK;
}

/* Whoever told what was used before tells what is used now, or the difference would be wrong: the
 * management library counts what the driver keeps for itself, CUDA does not. */
void backend_cuda_memory_used(struct backend *backend, uint64_t *before, uint64_t *now)
{
    size_t left = 0;
    size_t whole = 0;
    *before = backend_cuda_of(backend)->used_before;
    *now = 0;
    if (*before > 0)
        (void)cuda_describe_used(backend->request.device, now);
    else if (cudaMemGetInfo(&left, &whole) == cudaSuccess)
        *now = whole - left;
}
