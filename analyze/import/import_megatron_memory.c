#include <math.h>
#include <string.h>

#include "import_count.h"
#include "import_megatron.h"

#define BYTES_PER_MIB (1024.0 * 1024.0)

/* Bytes of the GB that Megatron-Bridge prints: 10^9. */
#define BYTES_PER_GB 1e9

enum { MOST_RANKS = 65536 }; /* of an array per rank */

/* The rank's element, a new one for a rank that printed nothing yet; NULL: there are too many, or
 * memory is exhausted. */
static struct import_megatron_memory *element(struct import_megatron_run *run, double rank,
                                              size_t line)
{
    if (!(rank < MOST_RANKS))
        return NULL;
    if (run->rank_places == NULL) {
        run->rank_places = import_take(run->import, MOST_RANKS, sizeof *run->rank_places);
        if (run->rank_places == NULL)
            return NULL;
        memset(run->rank_places, 0, MOST_RANKS * sizeof *run->rank_places);
    }
    size_t *place = &run->rank_places[(size_t)rank];
    if (*place > 0)
        return &run->ranks[*place - 1];
    struct import_megatron_memory *ranks = import_sample_room(
        run->import, run->ranks, run->rank_count, &run->rank_capacity, sizeof *ranks);
    if (ranks == NULL)
        return NULL;
    run->ranks = ranks;
    ranks[run->rank_count] = (struct import_megatron_memory){rank, NAN, NAN, line};
    *place = ++run->rank_count;
    return &ranks[*place - 1];
}

static void raise_to(struct import_megatron_memory *memory, double allocated, double reserved,
                     size_t line)
{
    if (allocated > memory->allocated || reserved > memory->reserved)
        memory->line = line;
    memory->allocated = fmax(memory->allocated, allocated); /* fmax passes over a NAN */
    memory->reserved = fmax(memory->reserved, reserved);
}

void import_megatron_memory_join(struct import_megatron_run *run,
                                 const struct import_megatron_run *earlier)
{
    for (size_t i = 0; i < earlier->rank_count; i++) {
        const struct import_megatron_memory *before = &earlier->ranks[i];
        struct import_megatron_memory *memory = element(run, before->rank, before->line);
        if (memory != NULL)
            raise_to(memory, before->allocated, before->reserved, before->line);
    }
}

static double labelled(const struct import_span *span, const char *mib, const char *gb)
{
    double value;
    if (import_scan_labelled(span, mib, &value) && import_count_plausible(value))
        return value;
    if (import_scan_labelled(span, gb, &value) && import_count_plausible(value))
        return value * BYTES_PER_GB / BYTES_PER_MIB;
    return NAN;
}

/*
 * "[Rank 0] (after 10 iterations) memory (MB) | allocated: 7253.68 | max allocated: 7959.97 |
 * reserved: 8266.0 | max reserved: 8266.0": MB of 2^20 bytes (Megatron divides by 1024 * 1024).
 */
static bool read_rank(struct import_megatron_run *run, const struct import_line *line)
{
    struct import_span rest = line->span;
    double rank;
    if (!import_scan_find(&rest, "[Rank ") || !import_scan_count_of(&rest, &rank) ||
        !import_scan_find(&rest, "iterations) memory ("))
        return false;
    struct import_megatron_memory *memory = element(run, rank, line->number);
    double allocated = labelled(&rest, "max allocated:", "mem-max-allocated-gigabytes:");
    double reserved = labelled(&rest, "max reserved:", "mem-max-reserved-gigabytes:");
    if (memory != NULL)
        raise_to(memory, allocated, reserved, line->number);
    return true;
}

bool import_megatron_memory_read(struct import_megatron_run *run, const struct import_line *line)
{
    double mib;
    if (import_scan_labelled(&line->span,
                             "Theoretical memory footprints: weight and optimizer=", &mib)) {
        if (isfinite(mib))
            run->theoretical_mib = (struct import_megatron_number){mib, line->number};
        return true;
    }
    return read_rank(run, line);
}

/* One element a rank, where all of them are there. */
static void write_ranks(const struct import_megatron_run *run, struct import_record *record)
{
    double ranks = NAN;
    if (!import_given_number(record, "workload.world_size", &ranks) ||
        ranks != (double)run->rank_count) {
        if (ranks > (double)run->rank_count)
            import_warn(record, run->ranks[0].line,
                        "memory of %zu of %.0f ranks is in the log: the largest of them is taken",
                        run->rank_count, ranks);
        return;
    }
    double *peaks = import_take(run->import, run->rank_count, sizeof *peaks);
    if (peaks == NULL)
        return;
    for (size_t i = 0; i < run->rank_count; i++)
        peaks[i] = NAN;
    for (size_t i = 0; i < run->rank_count; i++)
        if (run->ranks[i].rank < ranks)
            peaks[(size_t)run->ranks[i].rank] = run->ranks[i].allocated;
    for (size_t i = 0; i < run->rank_count; i++)
        if (isnan(peaks[i]))
            return;
    import_numbers(record, "metrics.peak_memory_mb_per_rank", peaks, run->rank_count,
                   run->ranks[0].line, run->ranks[run->rank_count - 1].line);
}

/* The largest of what the iterations say of the device (Primus), MiB; NAN. */
static double device_mib(const struct import_megatron_run *run, size_t *line)
{
    double most = NAN;
    for (size_t i = 0; i < run->line_count; i++)
        if (run->lines[i].device_gib * 1024 > most ||
            (isnan(most) && !isnan(run->lines[i].device_gib))) {
            most = run->lines[i].device_gib * 1024;
            *line = run->lines[i].line;
        }
    return most;
}

void import_megatron_memory_write(struct import_megatron_run *run, struct import_record *record)
{
    const struct import_megatron_memory *allocated = NULL;
    const struct import_megatron_memory *reserved = NULL;
    size_t device_line = 0;
    double device = device_mib(run, &device_line);
    for (size_t i = 0; i < run->rank_count; i++) {
        const struct import_megatron_memory *rank = &run->ranks[i];
        if (!isnan(rank->allocated) &&
            (allocated == NULL || rank->allocated > allocated->allocated))
            allocated = rank;
        if (!isnan(rank->reserved) && (reserved == NULL || rank->reserved > reserved->reserved))
            reserved = rank;
    }
    if (allocated != NULL) {
        import_number(record, "metrics.peak_memory_mb", allocated->allocated, allocated->line);
        import_text(record, "metrics.memory_kind", "allocated", allocated->line);
        import_value(record, "max_allocated_mib", allocated->allocated);
        import_value(record, "max_allocated_gib", allocated->allocated / 1024);
        write_ranks(run, record);
    }
    if (reserved != NULL) {
        import_number(record, "metrics.peak_reserved_mb", reserved->reserved, reserved->line);
        import_value(record, "max_reserved_mib", reserved->reserved);
        import_value(record, "max_reserved_gib", reserved->reserved / 1024);
    }
    if (!isnan(device))
        import_number(record, "metrics.peak_device_mb", device, device_line);
    if (run->theoretical_mib.line != 0)
        import_value(record, "theoretical_weights_and_optimizer_mib", run->theoretical_mib.value);
}
