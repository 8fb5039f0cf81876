#ifndef RANKLEDGER_IMPORT_MEGATRON_H
#define RANKLEDGER_IMPORT_MEGATRON_H

#include <stdbool.h>
#include <stddef.h>

#include "import_failures.h"
#include "import_sample.h"

/*
 * A run of Megatron-LM as its log tells it (and of what builds on it and logs alike:
 * Megatron-DeepSpeed, Megatron-Bridge, Primus). import_megatron.c reads lines into it,
 * import_megatron_line.c an iteration's line, import_megatron_setup.c the arguments,
 * import_megatron_memory.c the memory of ranks; import_megatron_record.c makes the record,
 * import_megatron_rates.c its times and rates.
 */

/* A line " iteration       71/     100 | consumed samples: ... | ... |": means over the iterations
 * since the line before. What it lacks is NAN. */
struct import_megatron_line {
    double iteration;
    double consumed; /* samples */
    double ms;       /* per iteration */
    double batch;    /* samples per iteration over all ranks */
    double loss, norm;
    bool names_loss;     /* a loss of any name is printed */
    bool bad_norm;       /* the norm is printed, and is no finite number */
    double skipped, bad; /* iterations without a step of the optimizer, with a loss of NaN */
    double tflops;       /* of one GPU */
    double tokens;       /* tokens/s of one GPU, where a fork prints them */
    double seq_len;      /* where a fork prints it */
    double device_gib;   /* what the device holds, where a fork prints it */
    double covered;      /* iterations that it is the mean of; set by import_megatron_cover */
    bool fresh;          /* the first of a process whose start is in the log */
    bool back;           /* the iteration went back here */
    size_t line;
};

struct import_megatron_number {
    double value;
    size_t line; /* 0: not told */
};

enum import_megatron_argument {
    IMPORT_MEGATRON_WORLD_SIZE,
    IMPORT_MEGATRON_TENSOR,
    IMPORT_MEGATRON_PIPELINE,
    IMPORT_MEGATRON_CONTEXT,
    IMPORT_MEGATRON_EXPERT,
    IMPORT_MEGATRON_DATA, /* degree of data parallelism */
    IMPORT_MEGATRON_SEQ_LEN,
    IMPORT_MEGATRON_MICRO_BATCH,
    IMPORT_MEGATRON_GLOBAL_BATCH,
    IMPORT_MEGATRON_LAYERS,
    IMPORT_MEGATRON_WIDTH,
    IMPORT_MEGATRON_HEADS,
    IMPORT_MEGATRON_VOCAB,
    IMPORT_MEGATRON_LEARNING_RATE,
    IMPORT_MEGATRON_CLIP,
    IMPORT_MEGATRON_SEED,
    IMPORT_MEGATRON_ZERO_STAGE, /* Megatron-DeepSpeed */
    IMPORT_MEGATRON_PARAMETERS, /* of a rank of tensor and pipeline parallelism */
    IMPORT_MEGATRON_NUMBERS
};

enum import_megatron_switch {
    IMPORT_MEGATRON_DISTRIBUTED_OPTIMIZER, /* use_distributed_optimizer */
    IMPORT_MEGATRON_FSDP,                  /* use_megatron_fsdp, use_custom_fsdp */
    IMPORT_MEGATRON_TORCH_FSDP,            /* use_torch_fsdp2 */
    IMPORT_MEGATRON_DEEPSPEED,
    IMPORT_MEGATRON_BF16,
    IMPORT_MEGATRON_FP16,
    IMPORT_MEGATRON_SWITCHES
};

struct import_megatron_flag {
    bool on;
    size_t line; /* 0: not told */
};

struct import_megatron_text {
    struct import_span text;
    size_t line;
};

struct import_megatron_setup {
    struct import_megatron_number numbers[IMPORT_MEGATRON_NUMBERS];
    struct import_megatron_flag switches[IMPORT_MEGATRON_SWITCHES];
    struct import_megatron_text sharding; /* data_parallel_sharding_strategy */
    struct import_megatron_text optimizer, recompute, dtype;
};

/* What "[Rank 0] (after 10 iterations) memory (MB) | allocated: ..." says at most, MiB. */
struct import_megatron_memory {
    double rank;
    double allocated, reserved; /* largest; NAN: not told */
    size_t line;
};

struct import_megatron_run {
    struct import *import;
    struct import_megatron_setup setup;
    struct import_megatron_line *lines;
    size_t line_count, line_capacity;
    struct import_megatron_memory *ranks; /* one each, in the order of the log */
    size_t rank_count, rank_capacity;
    size_t *rank_places; /* of a rank: its place in `ranks` + 1; 0: none */
    struct import_megatron_number theoretical_mib; /* weights and optimizer, by formula */
    bool starting;                                 /* a start was seen since the last iteration */
    bool completed;                                /* "[after training is done]" */
    size_t repeated_line;                          /* an iteration printed again */
    bool loaded;                                   /* a checkpoint was read before training */
    struct import_failures failures;
};

/* Reads an iteration's line; false if it is none. */
bool import_megatron_line_read(const struct import_line *line, struct import_megatron_line *read);

/* Whether the line belongs to the start of training. */
bool import_megatron_setup_starts(const struct import_line *line);

/* Takes an argument or what stands before training. */
void import_megatron_setup_read(struct import_megatron_setup *setup,
                                const struct import_line *line);

/* What this start did not tell as the earlier one of the run told it. */
void import_megatron_setup_join(struct import_megatron_setup *setup,
                                const struct import_megatron_setup *earlier);
void import_megatron_setup_write(const struct import_megatron_setup *setup,
                                 struct import_record *record);

/* Takes a line of memory; false if it is none. */
bool import_megatron_memory_read(struct import_megatron_run *run, const struct import_line *line);
/* Joins what an earlier start of the run said of its ranks. */
void import_megatron_memory_join(struct import_megatron_run *run,
                                 const struct import_megatron_run *earlier);
void import_megatron_memory_write(struct import_megatron_run *run, struct import_record *record);

/* Makes the record, and its times and rates. */
void import_megatron_record(struct import_megatron_run *run);

/* Iterations from one logged line to the next. */
double import_megatron_interval(const struct import_megatron_run *run);
void import_megatron_rates(struct import_megatron_run *run, struct import_record *record);

#endif
