#ifndef TRIAL_H
#define TRIAL_H

#include "executor_parts.h"

/*
 * One rank of a small training run for tests: schedule, backend, arena, communicator and executor,
 * made as the session makes them. A test may change what a trial consists of before it
 * runs a step: that is how faults are planted.
 */
struct trial_request {
    struct training training; /* workspace_bytes is filled in */
    const char *backend;      /* by name; NULL: cpu */
    int device;
    /* Makes the communicator, which a backend with collectives of its own then takes; NULL: one
     * that only counts, as rank `rank`, and in whose gathers copies of that rank's part stand in
     * for those of the others. */
    enum status (*connect)(enum model_dtype wire, size_t ticket_count,
                           struct communicator **communicator, struct diag *diag);
    uint64_t communicator_bytes; /* that the arena keeps for it */
    bool checkpoints;            /* the arena has room for them, too */
    uint64_t rank;
    uint64_t limit; /* of memory; 0: none */
    int threads;    /* 0: one */
    struct executor_observer observer;
    void (*change)(struct schedule *schedule); /* before the executor is made; NULL: nothing */
};

struct trial {
    struct training training;
    struct arena arena;
    struct schedule schedule;
    struct backend *backend;
    struct communicator *communicator;
    struct communicator_operations counting; /* where nothing is connected */
    void *base;
    uint64_t arena_bytes;
    struct device_memory memory;
    struct executor *executor;
    int32_t *tokens;
};

/* Heap. A failure leaves *trial as it was. */
enum status trial_create(const struct trial_request *request, struct trial **trial,
                         struct diag *diag) STATUS_CHECKED;
void trial_destroy(struct trial *trial);

/* One optimizer step on the tokens that belong to it. */
enum status trial_step(struct trial *trial, struct executor_step *step,
                       struct diag *diag) STATUS_CHECKED;

/*
 * A state of all ranks as fp32 [all tensors in order, without padding], on rank 0; elsewhere
 * `values` is not touched. All ranks call.
 */
enum status trial_collect(struct trial *trial, enum executor_state state, float *values,
                          struct diag *diag) STATUS_CHECKED;

/* The shape of most tests, odd on purpose: C=36 H=3 V=101 L=2 T=17, so that 1-D tensors leave the
 * last of four shards without an element. Seed 7, learning rate 1e-3, clipping at 1, buckets of
 * 16 KiB, overlap and one unit of prefetch. */
struct training trial_training(enum strategy strategy, enum model_dtype dtype, uint64_t world_size,
                               uint64_t gradient_accumulation, uint64_t micro_batch);

/* The variants of a schedule that tests go through: 0 as above; 1 without overlap and prefetch;
 * 2 recomputing activations, two units ahead; 3 more persistence, one bucket for all. */
#define TRIAL_VARIANTS 4
void trial_vary(struct schedule_request *request, unsigned variant);

#endif
