#ifndef RANKLEDGER_COLLECTOR_COMMAND_H
#define RANKLEDGER_COLLECTOR_COMMAND_H

#include "arena.h"
#include "candidate.h"
#include "text_buffer.h"

/* What to run with the collector: a record's workload with some of it changed. */
struct collector_command {
    const struct candidate *like; /* its workload, and the first record's seed and the like */
    const char *strategy;         /* one, several with commas, or "all" */
    double world_size;            /* NAN and -1: as in `like` */
    double micro_batch;
    double gradient_accumulation;
    int activation_checkpointing;
    const char *backend; /* "cuda", "cpu"; NULL: from the record's evidence level */
};

/*
 * The command line, quoted for a POSIX shell, with every option whose value the record knows:
 * `rankledger-collect run --strategy zero2 --world-size 4 ...`; every option is one that the
 * collector accepts. *command is NULL where the collector could not run the same model, because the
 * record does not state its width, layers, sequence length or the number of ranks, or they do not
 * fit together. False: memory exhausted.
 */
bool collector_command_make(const struct collector_command *what, struct arena *arena,
                            const char **command);

#endif
