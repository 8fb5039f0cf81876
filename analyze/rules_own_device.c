#include <math.h>
#include <string.h>

#include "validation_own.h"
#include "validation_rules.h"

/* What our own collector says of GPUs, in several places that must agree. */

#define MIB 1048576.0

/* ---- memory ---- */

/* What was in use for this rank: less what was before, where that was known. False if the record
 * does not say. */
static bool own_bytes(const struct validation *v, uint32_t rank, double *own)
{
    double before = 0;
    double peak;
    if (!validation_own_count(v, rank, "device_training_peak_bytes", &peak))
        return false;
    (void)validation_own_count(v, rank, "device_before_bytes", &before);
    *own = peak - before;
    return true;
}

static void check_rank(struct validation *v, uint32_t rank)
{
    double own;
    double arena;
    double residual;
    double training;
    double peak;
    if (!own_bytes(v, rank, &own))
        return;
    uint32_t node = validation_member(v, rank, "device_residual_bytes");
    if (validation_own_count(v, rank, "device_residual_bytes", &residual) &&
        validation_own_count(v, rank, "arena_bytes", &arena) && residual != own - arena)
        validation_report(
            v, VALIDATION_ERROR(node, "device_differs"),
            "%s bytes are stated, but the training's peak less what was in use before "
            "and the arena is %s",
            validation_format(residual).text, validation_format(own - arena).text);
    if (validation_own_count(v, rank, "device_training_peak_bytes", &training) &&
        validation_own_count(v, rank, "device_peak_bytes", &peak) && peak < training)
        validation_report(
            v, VALIDATION_ERROR(validation_member(v, rank, "device_peak_bytes"), "device_differs"),
            "%s bytes at most, but %s in training", validation_format(peak).text,
            validation_format(training).text);
}

static void check_memory(struct validation *v)
{
    double largest = NAN;
    double stated;
    uint32_t ranks = validation_own_list(v, validation_own_section(v, "memory"), "per_rank");
    uint32_t metrics = v->found[EVIDENCE_FIELD_METRICS];
    for (uint32_t rank = json_read_first(v->json, ranks); rank != JSON_READ_NONE;
         rank = json_read_next(v->json, ranks, rank)) {
        double own;
        check_rank(v, rank);
        if (own_bytes(v, rank, &own))
            largest = fmax(largest, own / MIB); /* fmax ignores the first NAN */
    }
    if (validation_own_number(v, metrics, "peak_device_mb", &stated) && !isnan(largest) &&
        fabs(stated - largest) * MIB >= 0.5)
        validation_report(
            v, VALIDATION_ERROR(validation_member(v, metrics, "peak_device_mb"), "device_differs"),
            "%s MiB are stated, but the ranks of memory.per_rank used at most %s",
            validation_format(stated).text, validation_format(largest).text);
}

/* ---- devices ---- */

/* The level that follows from the hardware; NULL: it says nothing of GPUs, or not enough. */
static const char *level_of(const struct validation *v, uint32_t hardware, uint32_t devices)
{
    double sharers;
    double ranks;
    bool several_hosts = false;
    double first = NAN;
    if (!validation_own_count(v, hardware, "ranks_per_device", &sharers) ||
        !validation_own_count(v, validation_own_section(v, "workload"), "world_size", &ranks))
        return NULL;
    for (uint32_t device = json_read_first(v->json, devices); device != JSON_READ_NONE;
         device = json_read_next(v->json, devices, device)) {
        double host;
        if (!validation_own_count(v, device, "host", &host))
            return NULL;
        several_hosts = several_hosts || (!isnan(first) && host != first);
        first = host;
    }
    if (sharers > 1)
        return "single_gpu_shared";
    if (several_hosts)
        return "multi_node_gpu";
    return ranks == 1 ? "single_gpu" : "multi_gpu";
}

static void check_level(struct validation *v, uint32_t hardware, uint32_t devices)
{
    const char *expected = level_of(v, hardware, devices);
    uint32_t level = validation_member(v, v->root, "evidence_level");
    if (expected == NULL || !json_read_is(v->json, level, JSON_READ_STRING) ||
        json_read_equals(v->json, level, expected) ||
        json_read_equals(v->json, level, "emulated_cuda"))
        return;
    validation_report(v, VALIDATION_ERROR(level, "level_differs"),
                      "the GPUs in hardware.devices make this %s", expected);
}

static void check_places(struct validation *v, double count)
{
    uint32_t ranks = validation_own_list(v, validation_own_section(v, "environment"), "per_rank");
    for (uint32_t rank = json_read_first(v->json, ranks); rank != JSON_READ_NONE;
         rank = json_read_next(v->json, ranks, rank)) {
        double number;
        if (validation_own_count(v, rank, "gpu", &number) && number >= count)
            validation_report(v,
                              VALIDATION_ERROR(validation_member(v, rank, "gpu"), "device_differs"),
                              "number %s, but hardware.devices has %s",
                              validation_format(number).text, validation_format(count).text);
    }
}

void rules_own_device(struct validation *v)
{
    double stated;
    if (!validation_own_whole(v))
        return;
    uint32_t hardware = validation_own_section(v, "hardware");
    uint32_t devices = validation_own_list(v, hardware, "devices");
    check_memory(v);
    if (devices == JSON_READ_NONE)
        return;
    double count = (double)json_read_count(v->json, devices);
    if (validation_own_count(v, hardware, "device_count", &stated) && stated != count)
        validation_report(
            v, VALIDATION_ERROR(validation_member(v, hardware, "device_count"), "device_differs"),
            "%s are stated, but devices has %s", validation_format(stated).text,
            validation_format(count).text);
    check_places(v, count);
    check_level(v, hardware, devices);
}
