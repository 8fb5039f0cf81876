#ifndef RANKLEDGER_EVIDENCE_PARTS_H
#define RANKLEDGER_EVIDENCE_PARTS_H

#include "evidence_metrics.h"
#include "json_write.h"

/*
 * The sections of an evidence document (evidence contract), a function each; evidence_write.c puts
 * them together. What was not measured is null or left out, never 0.
 */
struct evidence_parts {
    struct json_write *writer;
    const struct evidence_source *source;
    struct evidence_metrics metrics;
};

/* evidence_workload.c */
json_t *evidence_parts_workload(const struct evidence_parts *parts);
json_t *evidence_parts_strategy_options(const struct evidence_parts *parts);
json_t *evidence_parts_ledger(const struct evidence_parts *parts);
/* evidence_measured.c */
json_t *evidence_parts_metrics(const struct evidence_parts *parts);
json_t *evidence_parts_timing(const struct evidence_parts *parts);
json_t *evidence_parts_rounds(const struct evidence_parts *parts);
json_t *evidence_parts_correctness(const struct evidence_parts *parts);
/* evidence_memory.c */
json_t *evidence_parts_memory(const struct evidence_parts *parts);
json_t *evidence_parts_checkpoint(const struct evidence_parts *parts);
/* evidence_communication.c */
json_t *evidence_parts_communication(const struct evidence_parts *parts);
json_t *evidence_parts_calibration(const struct evidence_parts *parts);
/* evidence_place.c */
json_t *evidence_parts_hardware(const struct evidence_parts *parts);
json_t *evidence_parts_environment(const struct evidence_parts *parts);
json_t *evidence_parts_run(const struct evidence_parts *parts);
/* evidence_device.c */
bool evidence_parts_on_device(const struct evidence_parts *parts); /* not on the host itself */
const char *evidence_parts_level(const struct evidence_parts *parts);
/* A rank's place in hardware.devices; false if it is not known. */
bool evidence_parts_device_number(const struct evidence_parts *parts, uint64_t rank,
                                  uint64_t *number);
void evidence_parts_set_devices(const struct evidence_parts *parts, json_t *hardware);
void evidence_parts_set_device_libraries(const struct evidence_parts *parts, json_t *environment);
/* evidence_failure.c; null if nothing failed */
json_t *evidence_parts_failure(const struct evidence_parts *parts);

/* Setters that name the writer once. */
static inline void evidence_parts_set(const struct evidence_parts *parts, json_t *object,
                                      const char *key, json_t *value)
{
    json_write_set(parts->writer, object, key, value);
}

static inline void evidence_parts_set_count(const struct evidence_parts *parts, json_t *object,
                                            const char *key, uint64_t value)
{
    json_write_set(parts->writer, object, key, json_write_integer(parts->writer, (int64_t)value));
}

static inline void evidence_parts_set_number(const struct evidence_parts *parts, json_t *object,
                                             const char *key, double value)
{
    json_write_set(parts->writer, object, key, json_write_real_or_null(parts->writer, value));
}

static inline void evidence_parts_set_text(const struct evidence_parts *parts, json_t *object,
                                           const char *key, const char *value)
{
    json_write_set(parts->writer, object, key, json_write_string(parts->writer, value));
}

static inline void evidence_parts_set_bool(const struct evidence_parts *parts, json_t *object,
                                           const char *key, bool value)
{
    json_write_set(parts->writer, object, key, json_write_bool(parts->writer, value));
}

#endif
