#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_cpu.h"
#include "backend_module.h"

/*
 * In the place of the CUDA backend's module: the CPU's operators, on devices that are made up, so
 * that what the collector does about devices is tested as a whole. Their memory counts as not the
 * host's.
 *
 *   MADE_UP_DEVICES  "NAME:GIB[:FREE_GIB],..."; absent: there is none
 *   MADE_UP_LOSS     "RANK:N": that rank's device is lost when it is waited for the N-th time
 *   MADE_UP_SMALL    "RANK": that rank's arena cannot be had
 */
#define GIB (UINT64_C(1) << 30)
#define BEFORE_BYTES (UINT64_C(7) << 20) /* of somebody else */
#define LIBRARY_BYTES (UINT64_C(300) << 20)

/* One a process: the CPU's operators, changed where a device is another thing. */
static struct {
    struct backend_operations operations;
    uint64_t reserved, waits, made;
} made_up;

static bool is_this_rank(const char *variable, unsigned long *number)
{
    const char *text = getenv(variable);
    const char *own = getenv("OMPI_COMM_WORLD_RANK");
    unsigned long rank = 0;
    *number = 0;
    return text != NULL && own != NULL && sscanf(text, "%lu:%lu", &rank, number) >= 1 &&
           rank == strtoul(own, NULL, 10);
}

static enum status reserve(struct backend *backend, uint64_t bytes, void **base, struct diag *diag)
{
    unsigned long none;
    if (is_this_rank("MADE_UP_SMALL", &none))
        return diag_set(diag, STATUS_ENVIRONMENT, "GPU %d has no room for the arena",
                        backend->request.device);
    made_up.reserved = bytes;
    return backend_cpu_reserve(backend, bytes, base, diag);
}

static enum status synchronise(struct backend *backend, struct diag *diag)
{
    unsigned long when;
    made_up.waits++;
    if (!is_this_rank("MADE_UP_LOSS", &when) || made_up.waits < when)
        return STATUS_OK;
    backend->lost = true;
    return diag_set(diag, STATUS_ENVIRONMENT, "GPU %d: layer norm: it fell off the bus",
                    backend->request.device);
}

static void memory_used(struct backend *backend, uint64_t *before, uint64_t *now)
{
    (void)backend;
    *before = BEFORE_BYTES + (made_up.made > 1 ? LIBRARY_BYTES : 0); /* they stay */
    *now = BEFORE_BYTES + made_up.reserved + LIBRARY_BYTES;
}

static enum status create(const struct backend_request *request, struct backend **backend,
                          struct diag *diag)
{
    enum status status = backend_cpu_create(request, backend, diag);
    if (status != STATUS_OK)
        return status;
    made_up.made++;
    made_up.operations = *(*backend)->operations;
    made_up.operations.name = "cuda";
    made_up.operations.host_memory = false;
    made_up.operations.reserve = reserve;
    made_up.operations.synchronise = synchronise;
    made_up.operations.memory_used = memory_used;
    (*backend)->operations = &made_up.operations;
    return STATUS_OK;
}

static enum status connect(struct backend *backend, struct communicator *host, size_t ticket_count,
                           struct communicator **communicator, struct diag *diag)
{
    (void)backend;
    (void)ticket_count;
    (void)diag;
    *communicator = host;
    return STATUS_OK;
}

static const char *unavailable(void)
{
    return getenv("MADE_UP_DEVICES") != NULL ? NULL : "none is made up";
}

static void make_device(const char *text, size_t index, struct device_description_device *device)
{
    unsigned gib = 0;
    unsigned free_gib = 0;
    int given = sscanf(text, "%90[^:]:%u:%u", device->name, &gib, &free_gib);
    snprintf(device->bus, sizeof device->bus, "0000:%02zx:00.0", index + 1);
    device->memory_bytes = gib * GIB;
    device->free_bytes = given > 2 ? free_gib * GIB : device->memory_bytes;
    device->capability_major = 9;
    device->multiprocessors = 132;
}

static enum status describe(bool free_memory, struct device_description *description,
                            struct diag *diag)
{
    char text[512];
    char *rest = NULL;
    const char *devices = getenv("MADE_UP_DEVICES");
    (void)free_memory;
    if (devices == NULL)
        return diag_set(diag, STATUS_ENVIRONMENT, "none is made up");
    *description = (struct device_description){
        .driver = "1.2", .driver_cuda = "13.0", .runtime = "13.0", .blas = "13.0.0", .nccl = "2.0"};
    snprintf(text, sizeof text, "%s", devices);
    for (char *one = strtok_r(text, ",", &rest);
         one != NULL && description->count < DEVICE_DESCRIPTION_MOST;
         one = strtok_r(NULL, ",", &rest)) {
        make_device(one, description->count, &description->devices[description->count]);
        description->count++;
    }
    for (size_t i = 0; i < description->count; i++)
        for (size_t j = 0; j < description->count; j++)
            description->devices[i].peer[j] = i != j;
    return STATUS_OK;
}

const struct backend_row *backend_module_load(char why[BACKEND_MODULE_WHY_SIZE])
{
    static const struct backend_row row = {.name = "cuda",
                                           .unavailable = unavailable,
                                           .plan = backend_cpu_plan,
                                           .create = create,
                                           .connect = connect,
                                           .describe = describe};
    why[0] = '\0';
    return &row;
}
