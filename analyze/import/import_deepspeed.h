#ifndef RANKLEDGER_IMPORT_DEEPSPEED_H
#define RANKLEDGER_IMPORT_DEEPSPEED_H

#include "import_sample.h"
#include "import_told.h"

/*
 * What DeepSpeed says of one run in a log: its configuration, the strategy that was set up, steps
 * and memory. Used by the readers of DeepSpeed's and of the HF Trainer's logs: the lines of a run
 * go through the `take` functions, then the `write` functions fill its record, the configuration
 * first. A zeroed struct is a run of which nothing is known yet.
 */

/* ---- Configuration: import_deepspeed_config.c, import_deepspeed_stage.c ---- */

/* The block `json = {` of the user's configuration, one member a line, while it is read. */
struct import_deepspeed_json {
    size_t line;  /* where it begins; 0: none */
    size_t depth; /* of the line that comes next; 0: outside */
    bool done;
    char sections[4][32]; /* the names of the open objects below the root */
};

enum import_deepspeed_dtype {
    IMPORT_DEEPSPEED_FP32,
    IMPORT_DEEPSPEED_FP16,
    IMPORT_DEEPSPEED_BF16,
};

struct import_deepspeed_config {
    struct import_told train_batch; /* samples a step over all ranks */
    struct import_told micro_batch;
    struct import_told accumulation;
    struct import_told
        data_parallel;        /* ranks that share a batch: what DeepSpeed calls world_size */
    struct import_told ranks; /* as launched */
    struct import_told seq_len, layers, width, heads;
    struct import_told fp16, bf16; /* 1 enabled, 0 not */
    struct import_told
        created_dtype;              /* enum import_deepspeed_dtype, "Creating torch.bfloat16 ..." */
    struct import_told stage_asked; /* in the user's configuration */
    struct import_told stage_set;   /* in the configuration that DeepSpeed made of it */
    struct import_told stage_created; /* "Creating ... ZeRO stage N optimizer" */
    size_t stage_3_line;              /* other lines that only stage 3 writes */
    size_t stage_1_2_line;            /* ... only stage 1 or 2 */
    size_t bf16_optimizer_line;       /* BF16_Optimizer, which shards whatever the stage is */
    size_t fp16_optimizer_line;       /* FP16_Optimizer, which shards nothing */
    size_t offload_line;
    size_t mics_line;
    size_t model_parallel_line;
    struct import_deepspeed_json json;
    bool elsewhere; /* the lines are another file's: they go into no record */
};

/* Notes what the line says; false if it says nothing of the configuration. */
bool import_deepspeed_take_config(struct import *import, struct import_deepspeed_config *config,
                                  const struct import_line *line);

/* The same for the lines that tell which strategy was set up; a part of the above. */
bool import_deepspeed_take_stage(struct import_deepspeed_config *config,
                                 const struct import_line *line);

/* The same for the user's configuration, printed as JSON behind "json = "; a part of the above. */
bool import_deepspeed_take_json(struct import *import, struct import_deepspeed_config *config,
                                const struct import_line *line);

/* One value of the configuration by its name in DeepSpeed ("train_batch_size"), of section
 * "zero_optimization" or others where it has one (else ""). */
void import_deepspeed_take_value(struct import_deepspeed_config *config, const char *section,
                                 const char *name, struct import_span value, size_t line);

/* The members of a configuration's object, and of those in it; `line` is that of all of them, 0:
 * each has its own in the document. */
void import_deepspeed_take_members(struct import_deepspeed_config *config, const char *section,
                                   const struct json_read_document *json, uint32_t object,
                                   size_t line);

/* The line as it goes into a record. */
size_t import_deepspeed_line(const struct import_deepspeed_config *config, size_t line);

void import_deepspeed_write_config(struct import_record *record,
                                   const struct import_deepspeed_config *config);

/* `strategy` and `strategy_options`, or why they are left out. */
void import_deepspeed_write_stage(struct import_record *record,
                                  const struct import_deepspeed_config *config);

/* ---- Steps: import_deepspeed_steps.c, import_deepspeed_times.c ---- */

/* Lines of an optimizer step, as Megatron-DeepSpeed and GPT-NeoX write them. */
struct import_deepspeed_iterations {
    struct import_sample steps, times_ms, rates, losses, norms;
    double half_unit_ms; /* with which times are printed */
    struct import_told global_batch, seq_len;
    double skipped, nans; /* sums */
    size_t skipped_line, nan_line;
    bool names_loss;  /* a loss of any name is printed */
    size_t bad_norms; /* norms that are printed and no number, */
    size_t bad_norm_line;
    size_t repeated; /* lines of a step that had one already */
};

/* DeepSpeed's own lines. */
struct import_deepspeed_timers {
    struct import_sample steps, running, current; /* steps and samples/s, one a line */
    struct import_sample clock_ms;                /* the time stamps of these lines */
    struct import_sample sums_ms, shares;         /* forward + backward + step; all-reduce / that */
    bool accumulates;   /* a step of the timer is an optimizer step: newer versions */
    double micro_steps; /* of the last line, with global_steps */
    double global_steps;
    double overflows; /* lines of a step that overflowed, where the next are not printed */
    size_t overflow_line;
    double skipped, step; /* of the last "step=40, skipped=2" */
    size_t skipped_line;
    size_t useless_line;               /* a rate that is none: 0, negative or not finite */
    size_t micro_line;                 /* times of micro-steps */
    size_t profiler_line;              /* the FLOPS profiler ran, and one step was slower for it */
    double profiled_ms, profiled_rate; /* of that step: forward, backward and step; 0: not told */
};

struct import_deepspeed_steps {
    struct import_deepspeed_iterations iterations;
    struct import_deepspeed_timers timers;
};

bool import_deepspeed_take_steps(struct import *import, struct import_deepspeed_steps *steps,
                                 const struct import_line *line);

/* Adds what the lines of steps tell of the configuration. */
void import_deepspeed_derive(struct import_deepspeed_config *config,
                             const struct import_deepspeed_steps *steps);

/* Whether the line is of a step at or before the first one: another run began. */
bool import_deepspeed_restarts(const struct import_deepspeed_steps *steps,
                               const struct import_line *line);

void import_deepspeed_write_steps(struct import *import, struct import_record *record,
                                  const struct import_deepspeed_steps *steps);

/* A loss or norm a line as metrics.<name> if the lines are those of every step from the first on,
 * else as a raw sample with the steps beside it. */
void import_deepspeed_write_series(struct import_record *record, const char *name,
                                   const struct import_sample *steps,
                                   const struct import_sample *series);

/* ---- Memory: import_deepspeed_memory.c ---- */

struct import_deepspeed_memory {
    struct import_span message;  /* what see_memory_usage was called for */
    double training_mib;         /* largest peaks of allocated memory in training lines; 0: none */
    double setup_mib;            /* ... before training */
    double reserved_mib;         /* exact */
    double rounded_reserved_gib; /* see_memory_usage prints whole units */
    size_t training_first, training_last, setup_line, reserved_line, rounded_line;
    double ranks[2]; /* the lowest and the highest rank that reported */
    bool reported;
};

/* `rank`: that of the launcher's prefix, -1 without one. */
bool import_deepspeed_take_memory(struct import_deepspeed_memory *memory, double rank,
                                  const struct import_line *line);

void import_deepspeed_write_memory(struct import_record *record,
                                   const struct import_deepspeed_memory *memory);

#endif
