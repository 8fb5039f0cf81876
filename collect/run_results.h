#ifndef RANKLEDGER_RUN_RESULTS_H
#define RANKLEDGER_RUN_RESULTS_H

#include "evidence_source.h"

/* One strategy's run as it goes along: its plan, the records of its rounds, how it ended. */
struct run_result {
    bool asked;
    struct run_plan plan;
    struct rank_board *boards; /* one a round that was started; room for all; heap, owned */
    size_t round_count;
    struct rank_failure failure; /* kind NONE: none so far */
    bool written;                /* its evidence */
};

/* Where memory is tightest for the ranks. */
struct run_room {
    uint64_t ranks;   /* that share it */
    uint64_t bytes;   /* available; 0: the system does not say */
    int64_t host;     /* number of the host; -1: there is only one */
    const char *name; /* of it */
};

struct run_results {
    const struct run_config *config;
    const struct host_info *host;
    const struct evidence_run *run;
    struct run_room room; /* zeros: this machine, for all ranks */
    /* Where the ranks compute if not on the host itself, one a rank; heap, owned. NULL: on it. */
    struct run_devices_place *places;
    struct arena arena; /* of the plans */
    struct run_result of[STRATEGY_COUNT];
    size_t failed;      /* of those written */
    enum status status; /* of the first evidence that could not be written */
};

/* Room for every strategy that was asked for and its plan. `config`, `host` and `run` must outlive
 * the results. */
enum status run_results_init(struct run_results *results, const struct run_config *config,
                             uint64_t threads, struct diag *diag) STATUS_CHECKED;
void run_results_fini(struct run_results *results);

/* Where the next round's records go; it counts when run_results_add is called. */
struct rank_board *run_results_next(struct run_results *results, enum strategy strategy);
void run_results_add(struct run_results *results, enum strategy strategy,
                     const struct rank_failure *failure);

/* Notes why no strategy can run at all: the failure of each that was asked for. */
void run_results_block(struct run_results *results, const char *why);

/* Writes a strategy's evidence and prints its line. A failure stays in `diag` and in the results,
 * and the others go on. */
void run_results_write(struct run_results *results, enum strategy strategy, struct diag *diag);

/* After all: where the evidence is and what to type next. STATUS_NEGATIVE if a strategy failed. */
enum status run_results_conclude(const struct run_results *results,
                                 struct diag *diag) STATUS_CHECKED;

/* The run's number and the time; the rest of it is the caller's. */
void run_results_begin(struct evidence_run *run);

#endif
