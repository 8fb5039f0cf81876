#ifndef RANKLEDGER_IMPORT_TORCHTITAN_H
#define RANKLEDGER_IMPORT_TORCHTITAN_H

#include <stdbool.h>
#include <stddef.h>

#include "import_failures.h"
#include "import_sample.h"

/*
 * A run of torchtitan as its log tells it, of one rank or of several in one file.
 * import_torchtitan.c reads lines into it, import_torchtitan_setup.c what stands before the first
 * step, import_torchtitan_step.c a step's line; import_torchtitan_steps.c joins the ranks' lines of
 * a step, import_torchtitan_record.c makes the record.
 */

/* What slows the step after it. */
struct import_torchtitan_event {
    const char *name; /* NULL: nothing since the last step */
    size_t line;
};

/* A line "step: 210  loss:  6.0388  memory: 49.66GiB(52.28%)  tps: 5,593  ...", one rank's. What it
 * lacks is NAN. */
struct import_torchtitan_line {
    double step;
    double rank;    /* -1: the line does not say */
    double time_ms; /* of its time stamp, from an arbitrary day */
    double loss, grad_norm;
    bool has_loss, has_norm;
    double memory_gib, memory_percent;    /* largest reserved since the line before */
    double tps;                           /* tokens/s of one device ("wps" in old versions) */
    double tflops, mfu;                   /* of one device; percent */
    struct import_torchtitan_event event; /* before it */
    size_t attempt;                       /* how often the run had been resumed before */
    size_t line;
};

/* A step of all ranks that log it. */
struct import_torchtitan_step {
    double step;
    double time_ms;
    double loss, grad_norm;
    bool has_loss, has_norm;
    double tps; /* of the slowest */
    double tflops, mfu;
    struct import_torchtitan_event event; /* before it */
    size_t attempt;
    size_t line; /* of its first rank */
    bool warm_up;
};

struct import_torchtitan_number {
    double value;
    size_t line; /* 0: not told */
};

/* Degrees of parallelism: pipeline, replicas, shards, context, tensor, expert. */
enum import_torchtitan_dimension {
    IMPORT_TORCHTITAN_PP,
    IMPORT_TORCHTITAN_DP_REPLICATE,
    IMPORT_TORCHTITAN_DP_SHARD,
    IMPORT_TORCHTITAN_CP,
    IMPORT_TORCHTITAN_TP,
    IMPORT_TORCHTITAN_EP,
    IMPORT_TORCHTITAN_DIMENSIONS
};

struct import_torchtitan_setup {
    double degrees[IMPORT_TORCHTITAN_DIMENSIONS]; /* 1 where not told */
    size_t mesh_line;                             /* 0: no line tells the mesh */
    struct import_torchtitan_number local_batch, global_batch, accumulation, seq_len, total_steps;
    struct import_torchtitan_number parameters, width, layers, heads, vocab;
    struct import_torchtitan_number capacity_gib;
    struct import_span device, model;
    size_t device_line, model_line;
    const char *wrapper; /* "FSDP", "HSDP" or "DDP" as applied to the model; NULL */
    size_t wrapper_line;
    const char *checkpointing; /* "selective", "full"; NULL */
    size_t checkpointing_line;
    const char *dtype;
    size_t dtype_line;
    size_t keeps_line; /* fsdp_reshard_after_forward is "never" */
    double peak_flops; /* that MFU is counted against; NAN */
    size_t peak_line;
    size_t unknown_peak_line; /* the device is in no table, another's peak was taken */
};

struct import_torchtitan_run {
    struct import *import;
    struct import_torchtitan_setup setup;
    struct import_torchtitan_line *lines;
    size_t line_count, line_capacity;
    struct import_torchtitan_step *steps; /* of import_torchtitan_steps */
    size_t step_count;
    struct import_torchtitan_event event; /* since the last step */
    double top, below;                    /* largest step of the attempt, and the one before */
    bool several;                         /* some step has several lines: ranks, interleaved */
    size_t joined_line;                   /* the first such line; 0: there is none */
    size_t attempt;
    bool started;   /* the log has the start of the run */
    bool completed; /* "Training completed" */
    size_t back_line;
    struct import_failures failures;
    /* A start that was seen after steps: of a resumed run or of the next one, as the step that
     * follows tells. */
    bool restarting;
    struct import_torchtitan_setup restart_setup;
    struct import_failures failures_before, failures_after; /* until that start, and since */
};

/* A step's line in *read; false if it is none. */
bool import_torchtitan_line_read(const struct import_line *line,
                                 struct import_torchtitan_line *read);

void import_torchtitan_setup_init(struct import_torchtitan_setup *setup);

/* Whether the line belongs to the start of training. */
bool import_torchtitan_setup_starts(const struct import_line *line);

/* Takes what a line tells of the set-up. */
void import_torchtitan_setup_read(struct import_torchtitan_setup *setup,
                                  const struct import_line *line);

/* Writes it. */
void import_torchtitan_setup_write(const struct import_torchtitan_setup *setup,
                                   struct import_record *record);

/* Joins the lines of the ranks into run->steps, in the order of attempt and step. */
void import_torchtitan_steps(struct import_torchtitan_run *run);

/* Makes the record of a run that has a step, a header or a failure. */
void import_torchtitan_record(struct import_torchtitan_run *run);

#endif
