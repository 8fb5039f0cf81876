#include "run_devices.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"

/* ---- what there is ---- */

static void look(const struct backend_row *row, bool free_memory, struct run_devices *devices)
{
    struct diag diag = {0};
    const char *why = row->unavailable();
    if (why != NULL)
        snprintf(devices->why, sizeof devices->why, "backend %s: %s", row->name, why);
    else if (row->describe(free_memory, &devices->description, &diag) != STATUS_OK)
        snprintf(devices->why, sizeof devices->why, "backend %s: %.*s", row->name, 400, diag.text);
    else if (devices->description.count == 0)
        snprintf(devices->why, sizeof devices->why, "backend %s: there is no device", row->name);
}

void run_devices_look(const char *backend, bool free_memory, struct run_devices *devices)
{
    const struct backend_row *row = backend_find(backend);
    *devices = (struct run_devices){.needed = row != NULL && row->describe != NULL};
    if (!devices->needed)
        return;
    /* An interrupt that a driver's thread takes would end the program on the spot. */
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    look(row, free_memory, devices);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void describe(const struct device_description *description, size_t index,
                     struct rank_device *device)
{
    const struct device_description_device *found = &description->devices[index];
    *device = (struct rank_device){
        .used = true,
        .emulated = description->emulated,
        .index = (uint32_t)index,
        .memory_bytes = found->memory_bytes,
        .capability_major = found->capability_major,
        .capability_minor = found->capability_minor,
        .multiprocessors = found->multiprocessors,
    };
    const struct {
        char *to;
        size_t size;
        const char *from;
    } texts[] = {
        {device->name, sizeof device->name, found->name},
        {device->bus, sizeof device->bus, found->bus},
        {device->driver, sizeof device->driver, description->driver},
        {device->driver_cuda, sizeof device->driver_cuda, description->driver_cuda},
        {device->runtime, sizeof device->runtime, description->runtime},
        {device->blas, sizeof device->blas, description->blas},
        {device->nccl, sizeof device->nccl, description->nccl},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        snprintf(texts[i].to, texts[i].size, "%.*s", (int)texts[i].size - 1, texts[i].from);
    for (size_t other = 0; other < description->count; other++)
        device->peers |= found->peer[other] ? UINT32_C(1) << other : 0;
}

void run_devices_place(const struct run_devices *devices, uint64_t local_rank,
                       struct run_devices_place *place)
{
    const struct device_description *description = &devices->description;
    *place = (struct run_devices_place){.visible = description->count};
    snprintf(place->why, sizeof place->why, "%s", devices->why);
    if (!devices->needed || place->why[0] != '\0')
        return;
    size_t index = (size_t)(local_rank % description->count);
    describe(description, index, &place->device);
    place->free_bytes = description->devices[index].free_bytes;
}

enum status run_devices_find(const char *backend, uint64_t local_rank, struct rank_device *device,
                             struct diag *diag)
{
    struct run_devices devices;
    struct run_devices_place place;
    run_devices_look(backend, false, &devices);
    if (!devices.needed)
        return STATUS_OK;
    run_devices_place(&devices, local_rank, &place);
    if (place.why[0] != '\0')
        return diag_set(diag, STATUS_ENVIRONMENT, "%s", place.why);
    *device = place.device;
    return STATUS_OK;
}

/* ---- whether they can all run ---- */

static bool same_host(const struct run_devices_place *a, const struct run_devices_place *b)
{
    return a->host == b->host;
}

static bool same_device(const struct run_devices_place *a, const struct run_devices_place *b)
{
    return a->device.used && b->device.used && same_host(a, b) &&
           strcmp(a->device.bus, b->device.bus) == 0;
}

/* The first rank that is on the same device as one before it; `count` if none is. */
static uint64_t first_shared(const struct run_devices_place *places, uint64_t count)
{
    for (uint64_t rank = 1; rank < count; rank++)
        for (uint64_t other = 0; other < rank; other++)
            if (same_device(&places[rank], &places[other]))
                return rank;
    return count;
}

uint64_t run_devices_sharers(const struct run_devices_place *places, uint64_t count, uint64_t rank)
{
    uint64_t sharers = 0;
    for (uint64_t other = 0; other < count; other++)
        sharers += other == rank || same_device(&places[rank], &places[other]);
    return sharers;
}

static void say_few(const struct run_devices_place *places, uint64_t count, uint64_t rank,
                    char *why, size_t size)
{
    uint64_t ranks = 0;
    uint64_t devices = 0;
    for (uint64_t i = 0; i < count; i++) {
        bool again = false;
        if (!same_host(&places[i], &places[rank]))
            continue;
        for (uint64_t other = 0; other < i; other++)
            again = again || same_device(&places[i], &places[other]);
        ranks++;
        devices += !again;
    }
    if (devices < places[rank].visible)
        devices = places[rank].visible;
    snprintf(why, size,
             "%" PRIu64 " ranks on %s host need %" PRIu64 " GPUs, and %" PRIu64
             " can be seen: %s %" PRIu64 ", or --share-device, an experiment",
             ranks, ranks == count ? "this" : "a", ranks, devices,
             ranks == count ? "--world-size" : "start at most this many there:", devices);
}

bool run_devices_check(const struct run_devices_place *places, uint64_t count, bool share,
                       char *why, size_t size)
{
    why[0] = '\0';
    for (uint64_t rank = 0; rank < count; rank++) {
        if (places[rank].why[0] == '\0')
            continue;
        if (count > 1 && !same_host(&places[rank], &places[0]))
            snprintf(why, size, "rank %" PRIu64 " on another host: %s", rank, places[rank].why);
        else
            snprintf(why, size, "%s", places[rank].why);
        return false;
    }
    const uint64_t shared = share ? count : first_shared(places, count);
    if (shared < count)
        say_few(places, count, shared, why, size);
    return shared == count;
}

bool run_devices_mixed(const struct run_devices_place *places, uint64_t count, char *names,
                       size_t size)
{
    size_t used = 0;
    bool mixed = false;
    names[0] = '\0';
    for (uint64_t rank = 0; rank < count && used < size; rank++) {
        bool again = false;
        for (uint64_t other = 0; other < rank && !again; other++)
            again = strcmp(places[other].device.name, places[rank].device.name) == 0;
        if (again)
            continue;
        mixed = rank > 0;
        used += (size_t)snprintf(names + used, size - used, "%s%s", rank > 0 ? " and " : "",
                                 places[rank].device.name);
    }
    return mixed;
}

/* ---- sharing ---- */

void run_devices_separate(uint64_t rank)
{
    char host[48];
    snprintf(host, sizeof host, "rankledger-%" PRIu64, rank);
    (void)setenv("NCCL_HOSTID", host, 1);
    static const char *const settings[][2] = {
        {"NCCL_P2P_DISABLE", "1"}, {"NCCL_SHM_DISABLE", "1"}, {"NCCL_NET", "Socket"}};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        (void)setenv(settings[i][0], settings[i][1], 0);
}
