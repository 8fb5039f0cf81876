#ifndef RANKLEDGER_RUN_CONFIG_H
#define RANKLEDGER_RUN_CONFIG_H

#include <stdbool.h>

#include "diag.h"
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
 * included), or "checkpoint". */
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
    const char *backend; /* "cpu" */
    uint64_t rounds;
    uint64_t memory_limit_bytes; /* UINT64_MAX: none */
    double timeout_s;            /* without a completed step */
    enum run_checkpoint checkpoint;
    const char *output_dir, *output; /* output: one file, one strategy */
    const char *checkpoint_dir;      /* NULL: beside the evidence */
    const char *restore_dir, *dump_dir;
    struct run_injection injection;
    bool force;
    bool reference;
    int threads; /* per rank; 0: cores / ranks */
    int argc;    /* of the whole command line, for the evidence and for starting the ranks */
    char **argv;
};

/*
 * Parses and checks `run`'s options (argv after the command's name). All faults are found before
 * anything starts, and all are in the message. Sets *help if help was printed.
 */
enum status run_config_parse(int argc, char **argv, struct run_config *config, bool *help,
                             struct diag *diag) STATUS_CHECKED;

#endif
