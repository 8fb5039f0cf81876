#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "communicator_nccl_parts.h"
#include "text.h"

/* NCCL connects hosts within seconds; a rank that does not come never will. */
#define CONNECT_S 300
/* What is under way when a run ends in order is a moment's work. */
#define FINISH_S 30

void communicator_nccl_version(char *text, size_t size)
{
    int version = 0;
    text[0] = '\0';
    if (ncclGetVersion(&version) == ncclSuccess) /* nccl.h, NCCL_VERSION */
        snprintf(text, size, "%d.%d.%d", version / 10000, version % 10000 / 100, version % 100);
}

/* Two settings decide how collectives are made; without them the library chooses. */
static void describe(struct communicator_nccl *nccl)
{
    static const char *const settings[] = {"NCCL_ALGO", "NCCL_PROTO"};
    char version[32];
    if (nccl->base.world_size == 1) {
        snprintf(nccl->algorithm, sizeof nccl->algorithm, "one rank: nothing is sent");
        return;
    }
    communicator_nccl_version(version, sizeof version);
    int length = snprintf(nccl->algorithm, sizeof nccl->algorithm,
                          "chosen by NCCL %s for each size and topology", version);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        char shown[128];
        const char *value = getenv(settings[i]);
        if (value == NULL)
            continue;
        length +=
            snprintf(nccl->algorithm + length, sizeof nccl->algorithm - (size_t)length, ", %s=%s",
                     settings[i], text_escape_into(shown, sizeof shown, value, strlen(value)));
    }
}

/* --- making --- */

/* Rank 0's name for the group, for all. `result` is told, too: nobody shall wait for a rank 0 that
 * has given up. */
static enum status share_id(struct communicator_nccl *nccl, ncclUniqueId *id, struct diag *diag)
{
    struct {
        ncclUniqueId id;
        int32_t result;
    } shared = {.result = ncclSuccess};
    if (nccl->base.rank == 0)
        shared.result = (int32_t)ncclGetUniqueId(&shared.id);
    enum status status = communicator_broadcast(nccl->host, &shared, sizeof shared, 0, diag);
    if (status != STATUS_OK)
        return status;
    if (shared.result != ncclSuccess)
        return communicator_nccl_failed(nccl, "naming the group", (ncclResult_t)shared.result,
                                        diag);
    *id = shared.id;
    return STATUS_OK;
}

static enum status connect_ranks(struct communicator_nccl *nccl, struct diag *diag)
{
    ncclUniqueId id;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    enum status status = share_id(nccl, &id, diag);
    if (status != STATUS_OK)
        return status;
    config.blocking = 0;
    ncclResult_t result = ncclCommInitRankConfig(&nccl->nccl, (int)nccl->base.world_size, id,
                                                 (int)nccl->base.rank, &config);
    result = communicator_nccl_settle(nccl->nccl, result, CONNECT_S);
    if (result == ncclSuccess)
        return STATUS_OK;
    if (result != ncclInProgress)
        return communicator_nccl_failed(nccl, "connecting the ranks", result, diag);
    communicator_nccl_abort(nccl);
    return diag_set(diag, STATUS_ENVIRONMENT,
                    "NCCL did not connect %d ranks within %d s: see what it does with "
                    "NCCL_DEBUG=INFO, and which network it takes (NCCL_SOCKET_IFNAME)",
                    (int)nccl->base.world_size, CONNECT_S);
}

static enum status create_events(struct communicator_nccl *nccl, struct diag *diag)
{
    const size_t count = nccl->base.ticket_count + 1;
    nccl->calls = calloc(count, sizeof *nccl->calls);
    if (nccl->calls == NULL)
        return diag_no_memory(diag);
    cudaError_t code = cudaEventCreateWithFlags(&nccl->computed, cudaEventDisableTiming);
    for (size_t i = 0; i < count && code == cudaSuccess; i++)
        code = cudaEventCreateWithFlags(&nccl->calls[i].done, cudaEventDisableTiming);
    if (code == cudaSuccess)
        return STATUS_OK;
    nccl->cuda->base.lost = code != cudaErrorMemoryAllocation;
    return cuda_error_set(nccl->cuda->base.request.device, "preparing the collectives", code, diag);
}

/* --- the end --- */

/* In order where nothing failed: what is under way ends first. A device that failed is left alone
 * (communicator_nccl_failure.c). */
static void disconnect(struct communicator_nccl *nccl)
{
    ncclResult_t result = ncclSystemError;
    if (nccl->nccl == NULL || cuda_error_failed(&nccl->cuda->error))
        return;
    if (!nccl->base.failed)
        result = communicator_nccl_settle(nccl->nccl, ncclCommFinalize(nccl->nccl), FINISH_S);
    if (result != ncclSuccess) {
        communicator_nccl_abort(nccl);
        return;
    }
    (void)ncclCommDestroy(nccl->nccl);
    nccl->nccl = NULL;
}

static void destroy_events(struct communicator_nccl *nccl)
{
    if (nccl->computed != NULL)
        (void)cudaEventDestroy(nccl->computed);
    for (size_t i = 0; nccl->calls != NULL && i <= nccl->base.ticket_count; i++)
        if (nccl->calls[i].done != NULL)
            (void)cudaEventDestroy(nccl->calls[i].done);
    free(nccl->calls);
}

void communicator_nccl_destroy(struct communicator_nccl *nccl)
{
    disconnect(nccl);
    destroy_events(nccl);
    communicator_destroy(nccl->host);
    communicator_fini(&nccl->base);
    free(nccl);
}

static enum status prepare(struct communicator_nccl *nccl, struct diag *diag)
{
    enum status status = create_events(nccl, diag);
    if (status != STATUS_OK || nccl->base.world_size == 1)
        return status;
    return connect_ranks(nccl, diag);
}

enum status communicator_nccl_connect(struct backend *backend, struct communicator *host,
                                      size_t ticket_count, struct communicator **communicator,
                                      struct diag *diag)
{
    struct communicator_nccl *nccl = calloc(1, sizeof *nccl);
    if (nccl == NULL)
        return diag_no_memory(diag);
    nccl->operations = communicator_nccl_operations;
    nccl->operations.algorithm = nccl->algorithm;
    enum status status = communicator_init(&nccl->base, &nccl->operations, host->rank,
                                           host->world_size, host->wire, ticket_count, diag);
    if (status != STATUS_OK) {
        free(nccl);
        return status;
    }
    nccl->base.timeline = &backend->timeline;
    nccl->cuda = backend_cuda_of(backend);
    nccl->host = host;
    describe(nccl);
    status = prepare(nccl, diag);
    if (status != STATUS_OK) {
        nccl->host = NULL; /* the caller's still */
        communicator_nccl_destroy(nccl);
        return status;
    }
    *communicator = &nccl->base;
    return STATUS_OK;
}
