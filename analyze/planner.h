#ifndef RANKLEDGER_PLANNER_H
#define RANKLEDGER_PLANNER_H

#include "analysis.h"

/*
 * The table of adjustments: what may make a candidate pass the gate that it fails. Predictions are
 * pure functions of what was measured and of the memory model, so that sensitivity can ask under
 * other limits.
 */

/* What one strategy holds on the workload of one candidate. */
struct planner_state {
    double resident_mb;         /* with persistent parameters and padding; NAN: not known */
    double temporary_mb;        /* what does not grow with the micro-batch; NAN: not known */
    const char *const *missing; /* inputs that were absent */
    size_t missing_count;
};

/* How a predicted peak was come by. */
enum planner_basis {
    PLANNER_SCALED,  /* measured amounts, scaled (memory_change.h) */
    PLANNER_DEVICE,  /* the schedule walked, and what a GPU held besides as measured: libraries */
    PLANNER_AT_MOST, /* the schedule walked, with the largest workspace that there can be */
    PLANNER_EXACT    /* the schedule walked, with the workspace that was measured */
};

/* One peak that the schedule of our own collector's run gives (walked_memory.h). */
struct planner_walk {
    enum strategy strategy;
    double micro_batch;
    int activation_checkpointing;
    double peak_mb;
    enum planner_basis basis;
};

struct planner_subject { /* a candidate that may be adjusted */
    size_t candidate;    /* index */
    struct planner_state states[STRATEGY_COUNT];
    const struct planner_walk *walks; /* every adjustment's, where the candidate can be walked */
    size_t walk_count;
};

struct planner {
    const struct group *group;
    struct planner_subject *subjects; /* the best-ranked candidates, PLANNER_MAX_SUBJECTS at most */
    size_t subject_count;
    const struct candidate **measured; /* all candidates, sorted by their settings */
};

#define PLANNER_MAX_SUBJECTS 32
#define PLANNER_MAX_MISSING 8

/* Micro-batches are divided by 2 to 16 or down to 1, multiplied by 2 to 8: larger steps would
 * extrapolate too far from what was measured. */
#define PLANNER_LARGEST_DIVISOR 16
#define PLANNER_LARGEST_MULTIPLE 8

enum planner_kind { /* best first: the order in which actions are listed */
                    PLANNER_STRATEGY,
                    PLANNER_MICRO_BATCH,
                    PLANNER_ACCUMULATION,
                    PLANNER_CHECKPOINTING,
                    PLANNER_COLLECT,
                    PLANNER_FIX_INPUT
};

enum planner_gate { PLANNER_MEMORY, PLANNER_THROUGHPUT, PLANNER_COMMUNICATION, PLANNER_OTHER };

/* One adjustment of one candidate, as numbers. */
struct plan {
    const struct candidate *from; /* what is adjusted */
    enum planner_gate gate;       /* the gate for which it is proposed */
    enum planner_kind kind;
    const char *message; /* id without "_unverified" */
    const char *metric;  /* COLLECT: what to measure */
    enum strategy strategy;
    double micro_batch, gradient_accumulation, global_batch; /* NAN: not known */
    int activation_checkpointing;                            /* -1, 0, 1 */
    bool changes_global_batch;
    double peak_mb, communication_ratio, throughput; /* predicted; NAN: cannot be predicted */
    enum planner_basis basis;                        /* of peak_mb */
    double limit_mb; /* that peak_mb is held against: the policy's, else the one that the run met */
    const char *missing[PLANNER_MAX_MISSING]; /* why */
    size_t missing_count;                     /* 0: verified */
    bool fails;                               /* a prediction misses its limit: no action */
};

/* Prepares a planner for a group that gates_apply has judged. All memory is the arena's. */
enum status planner_prepare(const struct group *group, const size_t *order, struct arena *arena,
                            struct planner *planner, struct diag *diag) STATUS_CHECKED;

/* Visits every adjustment of every subject that is not eligible under the policy, those whose
 * prediction fails too. Pure. */
typedef void planner_visit(void *context, const struct plan *plan);
void planner_each(const struct planner *planner, const struct policy *policy, planner_visit *visit,
                  void *context);

/* True if some adjustment is not predicted to fail. Pure. */
bool planner_finds(const struct planner *planner, const struct policy *policy);

/* The best few adjustments as actions with sentences and commands. */
enum status planner_actions(const struct planner *planner, const struct policy *policy,
                            struct arena *arena, const struct action **actions, size_t *count,
                            struct diag *diag) STATUS_CHECKED;

/* "strategy", "micro_batch", ...; "memory", ...; static storage. */
const char *planner_kind_name(enum planner_kind kind);
const char *planner_gate_name(enum planner_gate gate);
/* "exact", "at most", "estimated"; static storage. */
const char *planner_basis_name(enum planner_basis basis);

/* Fills the walks of every subject; the ledgers of the candidates are filled (planner_walks.c). */
enum status planner_walks_add(const struct group *group, struct planner_subject *subjects,
                              size_t count, struct arena *arena, struct diag *diag) STATUS_CHECKED;

/* The walk of a plan's settings; NULL: none. */
const struct planner_walk *planner_walks_find(const struct planner_subject *subject,
                                              const struct plan *plan);

/* True if a candidate of these settings was run. */
bool planner_was_run(const struct planner *planner, enum strategy strategy,
                     const struct workload *workload);

#endif
