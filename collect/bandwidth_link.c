#include "bandwidth_link.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "communicator_mpi.h"
#include "huge_memory.h"
#include "run_devices.h"

enum status bandwidth_link_check(const struct cmd_bandwidth *command, uint64_t world_size,
                                 struct diag *diag)
{
    struct run_devices devices;
    char why[512] = "";
    run_devices_look(command->backend, false, &devices);
    if (!devices.needed)
        return STATUS_OK;
    struct run_devices_place *places = calloc(world_size, sizeof *places);
    if (places == NULL)
        return diag_no_memory(diag);
    for (uint64_t rank = 0; rank < world_size; rank++)
        run_devices_place(&devices, rank, &places[rank]);
    const bool can = run_devices_check(places, world_size, false, why, sizeof why);
    free(places);
    return can ? STATUS_OK : diag_set(diag, STATUS_ENVIRONMENT, "%s", why);
}

/* A backend is made for a model; the smallest does, since no operator is asked for. */
static enum status create_backend(const struct cmd_bandwidth *command, uint64_t local_rank,
                                  struct rank_record *record, struct bandwidth_link *link,
                                  struct diag *diag)
{
    struct run_devices devices;
    struct run_devices_place place;
    run_devices_look(command->backend, false, &devices);
    run_devices_place(&devices, local_rank, &place);
    if (place.why[0] != '\0')
        return diag_set(diag, STATUS_ENVIRONMENT, "%s", place.why);
    record->gpu = place.device;
    const struct backend_request request = {
        .shape = {.width = 8, .layers = 1, .heads = 1, .vocab = 8, .seq_len = 8, .micro_batch = 1},
        .dtype = command->dtype,
        .threads = 1,
        .device = (int)place.device.index,
    };
    return backend_find(command->backend)->create(&request, &link->backend, diag);
}

/* The backend's own collectives take the ones over MPI as theirs. */
static enum status connect(const struct cmd_bandwidth *command, struct bandwidth_link *link,
                           struct diag *diag)
{
    struct communicator *host = NULL;
    enum status status = communicator_mpi_create(command->dtype, 1, &host, diag);
    if (status == STATUS_OK && link->backend != NULL)
        status = backend_find(command->backend)
                     ->connect(link->backend, host, 1, &link->communicator, diag);
    else if (status == STATUS_OK)
        link->communicator = host;
    if (status == STATUS_OK && link->backend != NULL)
        link->communicator->timeline = &link->backend->timeline;
    return status;
}

static enum status take_memory(struct bandwidth_link *link, struct diag *diag)
{
    if (link->backend != NULL)
        return link->backend->operations->reserve(link->backend, CMD_BANDWIDTH_LARGEST,
                                                  &link->memory, diag);
    link->memory = huge_memory_map(CMD_BANDWIDTH_LARGEST); /* as the arena of a run */
    return link->memory != NULL ? STATUS_OK : diag_no_memory(diag);
}

enum status bandwidth_link_open(const struct cmd_bandwidth *command, uint64_t local_rank,
                                struct rank_record *record, struct bandwidth_link *link,
                                struct diag *diag)
{
    *link = (struct bandwidth_link){0};
    enum status status = STATUS_OK;
    if (backend_find(command->backend)->connect != NULL)
        status = create_backend(command, local_rank, record, link, diag);
    if (status == STATUS_OK)
        status = take_memory(link, diag);
    if (status == STATUS_OK)
        status = connect(command, link, diag);
    if (status != STATUS_OK)
        return status;
    const struct communicator_operations *operations = link->communicator->operations;
    snprintf(record->moved_by, sizeof record->moved_by, "%s", operations->progress);
    snprintf(record->algorithm, sizeof record->algorithm, "%s", operations->algorithm);
    return STATUS_OK;
}

void bandwidth_link_close(struct bandwidth_link *link)
{
    communicator_destroy(link->communicator);
    if (link->backend == NULL) {
        huge_memory_unmap(link->memory, CMD_BANDWIDTH_LARGEST);
        return;
    }
    if (link->memory != NULL)
        link->backend->operations->unreserve(link->backend, link->memory, CMD_BANDWIDTH_LARGEST);
    link->backend->operations->destroy(link->backend);
}
