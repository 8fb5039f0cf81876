#ifndef RANKLEDGER_RECORD_H
#define RANKLEDGER_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "diag.h"
#include "evidence_level.h"
#include "json_read.h"
#include "training_state.h"

/*
 * An evidence record in canonical names and units. A number that is not measured is NAN, an absent
 * text NULL. Everything lives in the arena of the evidence set it belongs to.
 */

enum memory_kind { MEMORY_ALLOCATED, MEMORY_RESERVED, MEMORY_DEVICE, MEMORY_KIND_COUNT };

/* "allocated", "reserved", "device"; static storage. */
const char *memory_kind_name(enum memory_kind kind);
bool memory_kind_find(const char *name, size_t length, enum memory_kind *kind);

enum throughput_unit { THROUGHPUT_TOKENS, THROUGHPUT_SAMPLES };
const char *throughput_unit_name(enum throughput_unit unit); /* "tokens/s", "samples/s" */

struct series {
    const double *values;
    size_t count;
};

struct workload {
    const char *model, *dtype, *optimizer;
    double parameters, width, layers, heads, vocab, seq_len;
    double micro_batch, gradient_accumulation, global_batch, world_size;
    double warmup, repeats;
    struct training_state_bytes state_bytes;          /* bytes per parameter; NAN when absent */
    double state_bytes_sum;                           /* their sum, or the only number given; NAN */
    double parameter_wire_bytes, gradient_wire_bytes; /* of one element in a collective; NAN */
    /* Of strategy_options: gradient bucket, units gathered ahead, elements up to which tensors
     * persist; NAN. */
    double bucket_bytes, prefetch, persistence_threshold;
    int overlap;                  /* likewise; -1 absent, 0, 1 */
    int activation_checkpointing; /* -1 absent, 0, 1 */
};

/*
 * `hardware` is a text (the device's name) or an object. The device's name is the first text among
 * the members device, device_name, gpu, gpu_name, name, model, accelerator; the number of devices
 * the first number among device_count, gpu_count, num_gpus, gpus, count.
 */
struct hardware {
    const char *device; /* model name */
    double device_count;
};

struct failure {
    bool failed;
    const char *reason; /* NULL when not failed */
    const char *kind, *phase;
    double rank, step;
    double limit_mb; /* out of memory: what the rank was allowed, where it is told; NAN */
};

struct metrics {
    double peak_mb[MEMORY_KIND_COUNT];
    double checkpoint_peak_mb;
    double throughput;
    enum throughput_unit throughput_unit;
    double step_time_ms;
    double communication_ratio, skew_ratio, in_flight_ratio;
    double utilisation, achieved_tflops;
    struct series per_rank_peak_mb;
    const struct series *step_times_ms; /* one series a rank */
    size_t step_times_ranks;
    struct series losses, grad_norms; /* NAN where one was not finite */
};

/* A canonical value that was taken from another producer's spelling, or derived. */
struct normalised {
    const char *metric; /* "peak_memory_mb", "workload.global_batch" */
    const char *from;   /* "peak_reserved_gb", "micro_batch * gradient_accumulation * world_size" */
    double value;
    const char *unit;
};

struct record {
    const char
        *path; /* as printed and as in the summary: "a.json", "a.jsonl:3", "s.json#/sources/2" */
    const char *file;        /* the file it came from, raw bytes */
    const char *sha256;      /* of that file's bytes as they lie (for a .jsonl line: of the line) */
    const char *text_sha256; /* of the text: another one if the file is compressed */
    const struct json_read_document *json;
    uint32_t node; /* the record's object in `json` */
    enum strategy strategy;
    const char *level_name;
    const struct evidence_level *level; /* NULL: not a level of the contract */
    struct workload workload;
    struct hardware hardware;
    struct metrics metrics;
    struct failure failure;
    const char *decision;
    bool own_collector;   /* schema rankledger.evidence/N */
    const char *injected; /* the fault that was made on purpose; NULL: none */
    const struct normalised *normalised;
    size_t normalised_count;
    const char *const *warnings; /* validation's warnings, one line each */
    size_t warning_count;
    size_t incomplete; /* the summary it stands in, among the set's incomplete sources, from 1; 0 */
};

bool record_times_count(const struct record *record);

/*
 * Fills *record from an object that validation found sound: canonical metrics first, accepted
 * spellings of other producers where the canonical one is absent (each reported in `normalised`),
 * derived values (global batch) noted. path, file, sha256 and warnings are the caller's.
 */
enum status record_read(const struct json_read_document *json, uint32_t node, struct arena *arena,
                        struct record *record, struct diag *diag) STATUS_CHECKED;

/* The same of an object that was refused, as far as it tells with what it could be compared:
 * workload, hardware, level, metrics. Its strategy stays unset. */
enum status record_read_refused(const struct json_read_document *json, uint32_t node,
                                struct arena *arena, struct record *record,
                                struct diag *diag) STATUS_CHECKED;

#endif
