#ifndef RANKLEDGER_RECORD_SECTIONS_H
#define RANKLEDGER_RECORD_SECTIONS_H

#include "candidate.h"

/* The sections that our own collector writes besides metrics, in MiB and milliseconds. Everything
 * lives in the arena; a section that is absent or has another shape reads as empty. */

struct record_phase {
    const char *name;
    double peak_mb;
    const struct memory_amount *categories;
    size_t category_count;
};

/* Memory of the rank with the largest peak in training. */
struct record_memory {
    double rank; /* NAN: no such section */
    double arena_mb, process_peak_mb;
    const struct record_phase *phases;
    size_t phase_count;
    const struct record_phase
        *peak; /* the largest of training (checkpoints left out); NULL: none */
};

enum status record_sections_memory(const struct record *record, struct arena *arena,
                                   struct record_memory *memory, struct diag *diag) STATUS_CHECKED;

/* That of the candidate's fullest run. */
enum status record_sections_fullest(const struct candidate *candidate, struct arena *arena,
                                    struct record_memory *memory, struct diag *diag) STATUS_CHECKED;

struct record_collective {
    const char *collective, *purpose;
    double calls, expected_calls, payload_mb, expected_mb, exposed_ms, in_flight_ms, bus_gb_per_s;
};

enum status record_sections_collectives(const struct record *record, struct arena *arena,
                                        const struct record_collective **collectives, size_t *count,
                                        struct diag *diag) STATUS_CHECKED;

/* A step of the rank whose steps took longest, in parts: means over the measured steps. step =
 * forward + backward + optimizer (computing) + exposed + other; in_flight runs beside them. */
struct record_timing {
    double rank; /* NAN where it is not told */
    double step_ms, forward_ms, backward_ms, optimizer_ms, exposed_ms, other_ms, in_flight_ms;
};

/* False if the record has no such section. */
bool record_sections_slowest(const struct record *record, struct record_timing *timing);

struct record_link { /* a collective alone, measured on the same machine: `calibration` */
    const char *collective;
    double payload_mb, bus_gb_per_s;
};

enum status record_sections_links(const struct record *record, struct arena *arena,
                                  const struct record_link **links, size_t *count,
                                  struct diag *diag) STATUS_CHECKED;

/* One kind of checkpoint; saved and restored by the slowest rank. */
struct record_checkpoint {
    const char *kind;
    double files, mb, save_ms, restore_ms;
    int restore_verified; /* -1 not told, 0, 1 */
};

enum status record_sections_checkpoints(const struct record *record, struct arena *arena,
                                        const struct record_checkpoint **checkpoints, size_t *count,
                                        struct diag *diag) STATUS_CHECKED;

#endif
