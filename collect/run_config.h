#ifndef RANKLEDGER_RUN_CONFIG_H
#define RANKLEDGER_RUN_CONFIG_H

#include <stdbool.h>

#include "diag.h"
#include "options.h"
#include "run_faults.h"
#include "training.h"

enum run_checkpoint {
    RUN_CHECKPOINT_NONE,
    RUN_CHECKPOINT_FULL,
    RUN_CHECKPOINT_SHARDED,
    RUN_CHECKPOINT_BOTH
};

enum run_fault {
    RUN_FAULT_NONE,
    RUN_FAULT_KILL,
    RUN_FAULT_HANG,
    RUN_FAULT_OOM,
    RUN_FAULT_NAN,
    RUN_FAULT_SLOW,
    RUN_FAULT_DISK_FULL
};

/* kill|hang|oom|nan|slow|disk_full@rank:R,step:S ; step: an optimizer step from 0 (warm-up
 * included), or "checkpoint" (kill, hang, oom; disk_full there alone). */
struct run_injection {
    enum run_fault fault;
    uint64_t rank;
    uint64_t step;
    bool at_checkpoint;
    const char *text; /* as given */
};

/* Everything `run` was asked for, checked. Texts are borrowed from argv. */
struct run_config {
    struct training training; /* training.schedule.strategy: the one that runs now */
    bool strategies[STRATEGY_COUNT];
    size_t strategy_count;
    const char *backend; /* a row of backend_table */
    uint64_t rounds;
    uint64_t memory_limit_bytes; /* UINT64_MAX: none */
    double timeout_s;            /* without a completed step */
    enum run_checkpoint checkpoint;
    const char *output_dir, *output; /* one of the two; output: one file, one strategy */
    const char *checkpoint_dir;      /* NULL: beside the evidence */
    const char *restore_dir, *dump_dir;
    struct run_injection injection;
    bool force;
    bool reference;
    bool share_device; /* ranks may share a GPU: an experiment */
    int threads;       /* per rank; 0: cores / ranks */
    int argc;          /* of the whole command line, for the evidence and for starting the ranks */
    char **argv;
};

/*
 * Reads `run`'s options (argv[0..argc): the whole command line; options begin behind the command's
 * name at index 2) and checks them: all faults are in `faults`. `joined_size` is the number of
 * ranks of the process group that this process was started in, 0 if it was started alone. Sets
 * *help if help was asked for, and prints it unless `quiet`. The config is complete only without
 * faults. A fault of the grammar (an unknown option) is the only one reported, in `diag`.
 */
struct run_config_input {
    int argc;
    char **argv;
    uint64_t joined_size;
    bool quiet; /* another rank speaks */
};
enum status run_config_read(const struct run_config_input *input, struct run_config *config,
                            struct run_faults *faults, enum options_help *help,
                            struct diag *diag) STATUS_CHECKED;

/* The same, with every fault in the message. */
enum status run_config_parse(const struct run_config_input *input, struct run_config *config,
                             enum options_help *help, struct diag *diag) STATUS_CHECKED;

/* Where a strategy's evidence goes: `output`, or in output_dir <strategy>.json
 * (zero_<strategy>.json of the reference experiment). STATUS_USAGE if that is too long a name. */
enum status run_config_target(const struct run_config *config, enum strategy strategy, char *path,
                              size_t size, struct diag *diag) STATUS_CHECKED;

/* Where checkpoints go, a folder a strategy and kind in it: checkpoint_dir, or "checkpoints" beside
 * the evidence. STATUS_USAGE if that is too long a name. */
enum status run_config_checkpoint_dir(const struct run_config *config, char *path, size_t size,
                                      struct diag *diag) STATUS_CHECKED;

/* A row's name for "auto" (the first that this machine can run) or a name, whether or not this
 * machine can run it; NULL if there is none. */
const char *run_config_backend(const char *name);

#endif
