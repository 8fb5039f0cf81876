#ifndef RANKLEDGER_RUN_OPTIONS_H
#define RANKLEDGER_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"

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
    bool no_overlap, activation_checkpointing, force, reference;
    const char *memory_limit;
    double timeout;
    int checkpoint; /* enum run_checkpoint */
    const char *checkpoint_dir, *restore, *dump, *inject;
    int64_t threads;
    bool world_size_given, heads_given, repeats_given, strategy_given;
};

extern const char *const run_options_backends[];

/* Reads argv[0..argc) (behind the command's name). *help: printed unless `quiet`. */
enum status run_options_read(int argc, char **argv, bool quiet, struct run_options *options,
                             bool *help, struct diag *diag) STATUS_CHECKED;

#endif
