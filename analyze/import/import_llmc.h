#ifndef RANKLEDGER_IMPORT_LLMC_H
#define RANKLEDGER_IMPORT_LLMC_H

#include <stdbool.h>
#include <stddef.h>

#include "import_failures.h"
#include "import_sample.h"

/*
 * A run of llm.c as its log tells it: train_gpt2.cu (all versions, one or several GPUs),
 * train_gpt2.c (CPU) and train_gpt2.py. import_llmc.c reads lines into it, import_llmc_step.c a
 * step's line, import_llmc_record.c makes the record, import_llmc_time.c its times.
 */

enum import_llmc_setting {
    IMPORT_LLMC_MICRO_BATCH, /* sequences of a process and micro-step (B) */
    IMPORT_LLMC_SEQ_LEN,
    IMPORT_LLMC_TOTAL_BATCH, /* tokens of an optimizer step over all processes */
    IMPORT_LLMC_ACCUMULATION,
    IMPORT_LLMC_PROCESSES,
    IMPORT_LLMC_ZERO_STAGE,
    IMPORT_LLMC_PARAMETERS,
    IMPORT_LLMC_PARAMETER_BYTES, /* of all parameters */
    IMPORT_LLMC_VOCAB,
    IMPORT_LLMC_LAYERS,
    IMPORT_LLMC_HEADS,
    IMPORT_LLMC_CHANNELS,
    IMPORT_LLMC_LEARNING_RATE,
    IMPORT_LLMC_RECOMPUTE,    /* 0 none, 1 GELU, 2 GELU and layer norm */
    IMPORT_LLMC_PEAK_TFLOPS,  /* of the device by llm.c's table; -1: not in it */
    IMPORT_LLMC_DEVICE_USED,  /* MiB, what the driver says of the device */
    IMPORT_LLMC_DEVICE_TOTAL, /* MiB */
    IMPORT_LLMC_TORCH_PEAK,   /* MiB, train_gpt2.py: torch.cuda.max_memory_allocated */
    IMPORT_LLMC_AVERAGE_MS,   /* "total average iteration time" */
    IMPORT_LLMC_VAL_LOSS,     /* the last one */
    IMPORT_LLMC_SETTINGS
};

struct import_llmc_number {
    double value;
    size_t line; /* 0: not told */
};

struct import_llmc_text {
    struct import_span text;
    size_t line;
};

/* A line "step 2/4 | loss ... | norm ... | lr ... | 287.00 ms | 43.3% bf16 MFU | 456697 tok/s"; a
 * number that it lacks is NAN, one printed as nan or inf is not finite. */
struct import_llmc_step {
    double step;  /* as printed; NAN: this is no step */
    double total; /* steps of the whole run */
    double loss, norm, ms;
    double mfu;  /* percent; -100: the device is not in llm.c's table */
    double rate; /* tokens/s, an exponential mean in newer versions */
    bool has_norm;
    size_t line;
};

enum { IMPORT_LLMC_ALLOCATIONS = 32 };

struct import_llmc_allocation { /* "allocated 237 MiB for model parameters" */
    struct import_span label;
    double mib;
    size_t line;
};

struct import_llmc_run {
    struct import *import;
    struct import_llmc_number settings[IMPORT_LLMC_SETTINGS];
    struct import_llmc_text device, precision;
    struct import_llmc_text fallback; /* the line that says that a ZeRO stage was not used */
    struct import_llmc_text sharded;  /* train_gpt2.py: "using ZeroRedundancyOptimizer" */
    struct import_llmc_allocation allocations[IMPORT_LLMC_ALLOCATIONS];
    size_t allocation_count;
    size_t repeated_allocation; /* line of the first label that comes again; 0: none */
    size_t header_line;         /* of the first line that is no step; 0: none before the steps */
    struct import_llmc_step *steps;
    size_t step_count, step_capacity;
    size_t same_step_line; /* a step's line that comes again: another process, or a copy */
    size_t back_line;      /* the step number went back */
    struct import_failures failures;
};

/* Reads a step's line into *step; false if it is none. */
bool import_llmc_step_read(const struct import_line *line, struct import_llmc_step *step);

/* Makes the record of a run that has a step or a header. */
void import_llmc_record(struct import_llmc_run *run);

/* Its part of times, throughput, utilisation, losses (import_llmc_time.c). */
void import_llmc_time(struct import_llmc_run *run, struct import_record *record);

/* A setting's number; NAN if the log does not tell it. */
double import_llmc_told(const struct import_llmc_run *run, enum import_llmc_setting setting);

#endif
