#include "preflight_devices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define GIB 1073741824.0
/* More than the driver keeps for itself and a context takes: about half of it each. */
#define OTHERS_BYTES (UINT64_C(1) << 30)

static const char *gib(uint64_t bytes, char *text, size_t size)
{
    return text_rounded(text, size, (double)bytes / GIB, TEXT_ROUNDED_PLAIN, 0);
}

static const char *known(const char *version)
{
    return version[0] != '\0' ? version : "version not known";
}

static void check_libraries(struct preflight_checks *checks,
                            const struct device_description *description)
{
    preflight_checks_add(checks, "driver", PREFLIGHT_OK, NULL, "%s, serves CUDA %s%s",
                         known(description->driver), known(description->driver_cuda),
                         description->emulated ? " (all of it emulated)" : "");
    preflight_checks_add(checks, "CUDA", PREFLIGHT_OK, NULL, "runtime %s, cuBLASLt %s",
                         known(description->runtime), known(description->blas));
    preflight_checks_add(checks, "NCCL", PREFLIGHT_OK, NULL, "%s", known(description->nccl));
}

/* The devices that the ranks would take: the first ones. */
static size_t taken(const struct preflight_checks *checks,
                    const struct device_description *description)
{
    return checks->world_size < description->count ? (size_t)checks->world_size
                                                   : description->count;
}

static void check_count(struct preflight_checks *checks, const struct run_devices *devices,
                        bool share)
{
    char why[256];
    char size[64];
    char names[160];
    const struct device_description *description = &devices->description;
    const struct device_description_device *first = &description->devices[0];
    struct run_devices_place *places = calloc(checks->world_size, sizeof *places);
    if (places == NULL) {
        preflight_checks_add(checks, "GPUs", PREFLIGHT_MISSING, NULL, "no memory");
        return;
    }
    for (uint64_t rank = 0; rank < checks->world_size; rank++)
        run_devices_place(devices, rank, &places[rank]);
    if (!run_devices_check(places, checks->world_size, share, why, sizeof why))
        preflight_checks_add(checks, "GPUs", PREFLIGHT_MISSING, NULL, "%s", why);
    else if (run_devices_mixed(places, checks->world_size, names, sizeof names))
        preflight_checks_add(checks, "GPUs", PREFLIGHT_WARNING,
                             "different GPUs: the slowest sets the pace, the smallest the memory",
                             "%zu visible, for %" PRIu64 " ranks: %s", description->count,
                             checks->world_size, names);
    else
        preflight_checks_add(
            checks, "GPUs", PREFLIGHT_OK, NULL,
            "%zu visible, for %" PRIu64 " ranks: %s, compute capability %d.%d, %s GiB",
            description->count, checks->world_size, first->name, first->capability_major,
            first->capability_minor, gib(first->memory_bytes, size, sizeof size));
    free(places);
}

static void check_memory(struct preflight_checks *checks,
                         const struct device_description *description)
{
    char left[64];
    char all[64];
    size_t fullest = 0;
    for (size_t i = 0; i < taken(checks, description); i++) {
        const struct device_description_device *device = &description->devices[i];
        if (device->free_bytes < description->devices[fullest].free_bytes)
            fullest = i;
    }
    const struct device_description_device *device = &description->devices[fullest];
    const bool others = device->free_bytes + OTHERS_BYTES < device->memory_bytes;
    if (device->free_bytes == 0)
        preflight_checks_add(checks, "GPU memory", PREFLIGHT_WARNING, NULL,
                             "how much is free is not known");
    else
        preflight_checks_add(checks, "GPU memory", others ? PREFLIGHT_WARNING : PREFLIGHT_OK,
                             others ? "another process holds the rest: nvidia-smi says which"
                                    : NULL,
                             "%s GiB free of %s GiB, on GPU %zu, which has least",
                             gib(device->free_bytes, left, sizeof left),
                             gib(device->memory_bytes, all, sizeof all), fullest);
}

static void check_peers(struct preflight_checks *checks,
                        const struct device_description *description)
{
    const size_t count = taken(checks, description);
    size_t missing = 0;
    char first[64] = "";
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            if (description->devices[i].peer[j] && description->devices[j].peer[i])
                continue;
            if (missing++ == 0)
                snprintf(first, sizeof first, "GPU %zu and %zu", i, j);
        }
    if (count < 2)
        return;
    if (missing == 0)
        preflight_checks_add(checks, "peer access", PREFLIGHT_OK, NULL, "between all %zu GPUs",
                             count);
    else
        preflight_checks_add(
            checks, "peer access", PREFLIGHT_WARNING, "NCCL goes through the host's memory there",
            "not between %s, and %zu of %zu pairs in all", first, missing, count * (count - 1) / 2);
}

void preflight_devices_judge(struct preflight_checks *checks, const struct run_devices *devices,
                             bool share)
{
    if (devices->why[0] != '\0') {
        preflight_checks_add(checks, "GPUs", PREFLIGHT_MISSING, NULL, "%s", devices->why);
        return;
    }
    check_libraries(checks, &devices->description);
    check_count(checks, devices, share);
    check_memory(checks, &devices->description);
    check_peers(checks, &devices->description);
}

void preflight_devices_check(struct preflight_checks *checks, const char *backend, bool share)
{
    struct run_devices devices;
    run_devices_look(backend, true, &devices);
    if (devices.needed)
        preflight_devices_judge(checks, &devices, share);
}
