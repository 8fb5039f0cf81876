#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "evidence_parts.h"

/* What the ranks computed on where that is not the host itself, and the libraries it took. */

bool evidence_parts_on_device(const struct evidence_parts *parts)
{
    const struct backend_row *row = backend_find(parts->source->config->backend);
    return row != NULL && row->describe != NULL;
}

static uint64_t ranks_of(const struct evidence_parts *parts)
{
    return evidence_source_ranks(parts->source);
}

/* As the rank said itself, or as it was planned; NULL: not known. */
static const struct rank_device *device_of(const struct evidence_parts *parts, uint64_t rank)
{
    const struct evidence_source *source = parts->source;
    if (source->round_count > 0 && evidence_source_record(source, 0, rank)->gpu.used)
        return &evidence_source_record(source, 0, rank)->gpu;
    if (source->places != NULL && source->places[rank].device.used)
        return &source->places[rank].device;
    return NULL;
}

static uint64_t host_of(const struct evidence_parts *parts, uint64_t rank)
{
    return parts->source->places != NULL ? parts->source->places[rank].host : 0;
}

/* The first rank on this one's device. */
static uint64_t first_there(const struct evidence_parts *parts, uint64_t rank)
{
    const struct rank_device *own = device_of(parts, rank);
    for (uint64_t other = 0; own != NULL && other < rank; other++) {
        const struct rank_device *device = device_of(parts, other);
        if (device != NULL && host_of(parts, other) == host_of(parts, rank) &&
            strcmp(device->bus, own->bus) == 0)
            return other;
    }
    return rank;
}

bool evidence_parts_device_number(const struct evidence_parts *parts, uint64_t rank,
                                  uint64_t *number)
{
    const uint64_t first = first_there(parts, rank);
    *number = 0;
    if (device_of(parts, rank) == NULL)
        return false;
    for (uint64_t other = 0; other < first; other++)
        *number += device_of(parts, other) != NULL && first_there(parts, other) == other;
    return true;
}

const char *evidence_parts_level(const struct evidence_parts *parts)
{
    bool emulated = false;
    bool several_hosts = false;
    bool shared = false;
    if (!evidence_parts_on_device(parts))
        return "cpu_multi_process";
    for (uint64_t rank = 0; rank < ranks_of(parts); rank++) {
        const struct rank_device *device = device_of(parts, rank);
        if (device == NULL)
            return "predicted"; /* nothing ran: its numbers are the schedule's */
        emulated = emulated || device->emulated;
        several_hosts = several_hosts || host_of(parts, rank) != host_of(parts, 0);
        shared = shared || first_there(parts, rank) != rank;
    }
    if (emulated)
        return "emulated_cuda";
    if (shared)
        return "single_gpu_shared";
    if (several_hosts)
        return "multi_node_gpu";
    return ranks_of(parts) == 1 ? "single_gpu" : "multi_gpu";
}

/* ---- hardware ---- */

static json_t *peers_of(const struct evidence_parts *parts, const struct rank_device *device)
{
    json_t *peers = json_write_array(parts->writer);
    for (int64_t i = 0; i < 32; i++)
        if ((device->peers >> i & 1) != 0)
            json_write_append(parts->writer, peers, json_write_integer(parts->writer, i));
    return peers;
}

static json_t *row_of(const struct evidence_parts *parts, uint64_t rank)
{
    char capability[32];
    const struct rank_device *device = device_of(parts, rank);
    json_t *row = json_write_object(parts->writer);
    snprintf(capability, sizeof capability, "%d.%d", device->capability_major,
             device->capability_minor);
    evidence_parts_set_count(parts, row, "host", host_of(parts, rank));
    evidence_parts_set_count(parts, row, "index", device->index);
    evidence_parts_set_text(parts, row, "name", device->name);
    evidence_parts_set_text(parts, row, "pci", device->bus);
    evidence_parts_set_count(parts, row, "memory_bytes", device->memory_bytes);
    evidence_parts_set_text(parts, row, "compute_capability", capability);
    evidence_parts_set_count(parts, row, "multiprocessors", (uint64_t)device->multiprocessors);
    evidence_parts_set(parts, row, "peers", peers_of(parts, device));
    return row;
}

/* Every name once, in the order of the ranks; true if there are several. */
static bool add_names(const struct evidence_parts *parts, struct text_buffer *names)
{
    bool several = false;
    for (uint64_t rank = 0; rank < ranks_of(parts); rank++) {
        const struct rank_device *own = device_of(parts, rank);
        bool again = own == NULL;
        for (uint64_t other = 0; other < rank && !again; other++)
            again = device_of(parts, other) != NULL &&
                    strcmp(device_of(parts, other)->name, own->name) == 0;
        if (again)
            continue;
        several = names->length > 0;
        text_buffer_printf(names, "%s%s", several ? " and " : "", own->name);
    }
    return several;
}

void evidence_parts_set_devices(const struct evidence_parts *parts, json_t *object)
{
    struct text_buffer names = {0};
    uint64_t count = 0;
    uint64_t most_sharers = 0;
    json_t *rows = json_write_array(parts->writer);
    for (uint64_t rank = 0; rank < ranks_of(parts); rank++) {
        uint64_t sharers = 0;
        if (device_of(parts, rank) == NULL || first_there(parts, rank) != rank)
            continue;
        json_write_append(parts->writer, rows, row_of(parts, rank));
        for (uint64_t other = rank; other < ranks_of(parts); other++)
            sharers += first_there(parts, other) == rank;
        most_sharers = sharers > most_sharers ? sharers : most_sharers;
        count++;
    }
    const bool mixed = add_names(parts, &names);
    evidence_parts_set(parts, object, "devices", rows);
    if (count > 0) {
        evidence_parts_set_text(parts, object, "device", names.text);
        evidence_parts_set_count(parts, object, "device_count", count);
        evidence_parts_set_count(parts, object, "ranks_per_device", most_sharers);
    }
    if (mixed)
        evidence_parts_set_text(parts, object, "device_note",
                                "the ranks have different devices: the slowest sets the pace");
    text_buffer_fini(&names);
}

/* ---- libraries ---- */

void evidence_parts_set_device_libraries(const struct evidence_parts *parts, json_t *object)
{
    const struct rank_device *device = device_of(parts, 0);
    if (device == NULL)
        return;
    const struct {
        const char *key, *value;
    } rows[] = {{"driver", device->driver},
                {"driver_cuda", device->driver_cuda},
                {"cuda_runtime", device->runtime},
                {"cublas", device->blas},
                {"nccl", device->nccl}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].value[0] != '\0')
            evidence_parts_set_text(parts, object, rows[i].key, rows[i].value);
}
