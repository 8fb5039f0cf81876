#ifndef RANKLEDGER_NORMALISE_H
#define RANKLEDGER_NORMALISE_H

#include "record.h"

/*
 * Other producers' names and units in canonical ones (evidence contract, "Accepted spellings").
 * A spelling counts only where the canonical metric is absent, and each use is reported.
 */

/* What a member of `metrics` such as "peak_reserved_memory_gb" says. */
struct normalise_memory_name {
    enum memory_kind kind;
    double unit_bytes; /* bytes of one unit of the value */
};

/*
 * True if `name` is peak_<kind>[_<words>]_<unit>: kind device, reserved or allocated; any words
 * between (memory, gpu, per_rank, ...) but "checkpoint", which is another metric; unit bytes (1),
 * mb and mib (2^20), gib (2^30) or gb (10^9).
 */
bool normalise_memory_find(const char *name, struct normalise_memory_name *found);

/*
 * `value` units of `unit_bytes` bytes in MiB. A product within 1e-3 of a whole number is that
 * number: 83.86 GB is 83,860,000,000 bytes, whatever binary fractions make of it, so that one
 * amount written in two units compares equal. NAN if it is beyond a double.
 */
double normalise_mb(double value, double unit_bytes);

/* "bf16", "fp16" or "fp32" for the spellings in use (bfloat16, torch.float32, half, ...; any case);
 * any other text as it is; NULL for NULL. */
const char *normalise_dtype(const char *dtype);

/* What reading one record needs and collects. */
struct normalise {
    const struct json_read_document *json;
    struct arena *arena;
    struct normalised *items;
    size_t count, capacity;
    bool failed; /* memory exhausted: checked once at the end */
};

/* Fills *metrics from the object `node` (JSON_READ_NONE: nothing measured). */
void normalise_metrics(struct normalise *context, uint32_t node, struct metrics *metrics);

/* Adds to the report. `metric`, `from` and `unit` must outlive the record. */
void normalise_report(struct normalise *context, const char *metric, const char *from, double value,
                      const char *unit);

/* Typed look-ups that never guess: NAN, NULL or an empty series if the member is absent or of
 * another type. Texts and numbers live in the arena. */
double normalise_number(const struct normalise *context, uint32_t object, const char *name);
const char *normalise_text(struct normalise *context, uint32_t object, const char *name);
struct series normalise_series(struct normalise *context, uint32_t array);

/* The same where null stands for a number that was not finite: NAN in its place. */
struct series normalise_series_with_gaps(struct normalise *context, uint32_t array);

#endif
