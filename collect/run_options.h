#ifndef RANKLEDGER_RUN_OPTIONS_H
#define RANKLEDGER_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "options.h"
#include "run_faults.h"

/* `run`'s options as they were typed, defaults filled in; run_config.h makes sense of them. */
struct run_options {
    const char *strategy, *output_dir, *output;
    int64_t world_size;
    int backend; /* index into run_options_backends */
    int64_t width, layers, heads, vocab, seq_len;
    int64_t micro_batch, gradient_accumulation;
    int dtype; /* enum model_dtype */
    int64_t warmup, repeats, rounds, seed;
    double learning_rate, max_grad_norm, bucket_mb;
    int64_t prefetch, persistence_threshold;
    bool no_overlap, activation_checkpointing, force, reference, share_device;
    const char *memory_limit;
    double timeout;
    int checkpoint; /* enum run_checkpoint */
    const char *checkpoint_dir, *restore, *dump, *inject;
    int64_t threads;
    bool world_size_given, heads_given, repeats_given, strategy_given;
    bool number_at_fault; /* a number could not be read: what is judged by several must wait */
};

extern const char *const run_options_backends[];

struct run_options_input {
    int argc; /* behind the command's name */
    char **argv;
    bool quiet; /* help is not printed */
};

/* Reads the options; everything wrong with them is noted as a fault. */
enum status run_options_read(const struct run_options_input *input, struct run_options *options,
                             struct run_faults *faults, enum options_help *help,
                             struct diag *diag) STATUS_CHECKED;

#endif
