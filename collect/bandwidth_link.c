#include "bandwidth_link.h"

#include <inttypes.h>

#include "communicator_mpi.h"
#include "huge_memory.h"
#include "run_devices.h"

enum status bandwidth_link_check(const struct cmd_bandwidth *command, uint64_t world_size,
                                 struct diag *diag)
{
    struct run_devices devices;
    run_devices_look(command->backend, false, &devices);
    const size_t count = devices.description.count;
    if (!devices.needed)
        return STATUS_OK;
    if (devices.why[0] != '\0')
        return diag_set(diag, STATUS_ENVIRONMENT, "%s", devices.why);
    if (world_size <= count)
        return STATUS_OK;
    return diag_set(diag, STATUS_ENVIRONMENT,
                    "%" PRIu64 " ranks need as many GPUs, and %zu can be seen: --world-size %zu",
                    world_size, count, count);
}

/* A backend is made for a model; the smallest does, since no operator is asked for. */
static enum status create_backend(const struct cmd_bandwidth *command, uint64_t local_rank,
                                  struct rank_record *record, struct bandwidth_link *link,
                                  struct diag *diag)
{
    enum status status = run_devices_find(command->backend, local_rank, &record->gpu, diag);
    if (status != STATUS_OK)
        return status;
    const struct backend_request request = {
        .shape = {.width = 8, .layers = 1, .heads = 1, .vocab = 8, .seq_len = 8, .micro_batch = 1},
        .dtype = command->dtype,
        .threads = 1,
        .device = (int)record->gpu.index,
    };
    return backend_find(command->backend)->create(&request, &link->backend, diag);
}

static enum status connect(const struct cmd_bandwidth *command, struct bandwidth_link *link,
                           struct diag *diag)
{
    const struct backend_row *row = backend_find(command->backend);
    struct communicator *host = NULL;
    enum status status = communicator_mpi_create(command->dtype, 1, &host, diag);
    if (status == STATUS_OK)
        status = backend_connect(row, link->backend, host, 1, &link->communicator, diag);
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
    if (status == STATUS_OK)
        rank_record_note_communicator(record, link->communicator);
    return status;
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
