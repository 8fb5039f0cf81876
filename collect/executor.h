#ifndef RANKLEDGER_EXECUTOR_H
#define RANKLEDGER_EXECUTOR_H

#include "backend.h"
#include "communicator.h"
#include "device_memory.h"
#include "schedule.h"
#include "training.h"

/*
 * Runs a schedule on a backend with a communicator. It owns nothing but its tables: schedule,
 * backend, communicator and memory outlive it.
 */
struct executor;

/* Where a step's time went, nanoseconds of the backend's timeline; the parts add up to `total_ns`.
 */
struct executor_times {
    uint64_t total_ns;
    uint64_t forward_ns, backward_ns, optimizer_ns; /* without what was exposed in them */
    uint64_t exposed_ns;
    uint64_t exposed_phase_ns[SCHEDULE_PHASE_COUNT]; /* of exposed_ns */
    uint64_t in_flight_ns;                           /* at least one collective was in flight */
    uint64_t other_ns;
};

struct executor_step {
    struct executor_times times;
    double loss_sum;  /* over this rank's tokens of the step */
    double grad_norm; /* of the global batch, before clipping */
    uint64_t minor_faults;
};

/* Called before an action is run: where the rank is now (for the watchdog and injected faults). A
 * status other than STATUS_OK stops the step. */
struct executor_observer {
    enum status (*before)(void *context, const struct schedule_action *action, struct diag *diag);
    void *context;
};

struct executor_request {
    const struct schedule *schedule;
    const struct training *training;
    struct backend *backend;
    struct communicator *communicator;
    struct device_memory *memory;
    struct executor_observer observer; /* may be zero */
};

/* Arena bytes that the schedule's buffers need (the allocator run dry), without checkpoints. */
enum status executor_arena_bytes(const struct schedule *schedule, uint64_t *bytes,
                                 struct diag *diag) STATUS_CHECKED;
/* Workspace of one rank: a step's tokens and sums, what the stages need, the operators
 * (`operator_bytes`, the backend's workspace_bytes) and what the communicator will want
 * (`communicator_bytes`, its buffer_bytes). A workspace without the last part will do; then the
 * communicator takes memory of its own. */
uint64_t executor_workspace_bytes(const struct schedule_request *request, uint64_t operator_bytes,
                                  uint64_t communicator_bytes);

/* Takes the resident buffers (phase init) and fills the initial parameters and zero state. Heap. */
enum status executor_create(const struct executor_request *request, struct executor **executor,
                            struct diag *diag) STATUS_CHECKED;
void executor_destroy(struct executor *executor);

/*
 * One optimizer step on `tokens` (host, [G][B][T+1], this rank's). STATUS_NEGATIVE if the gradient
 * norm is not finite: all ranks stop together, parameters and optimizer state unchanged. The host
 * waits for the device once, at the end of the step. STATUS_ENVIRONMENT if the device or a
 * collective failed. STATUS_BUG if the schedule
 * runs a stage whose parameters or gradients are not there.
 *
 * While the communicator is off, a gather fills the other ranks' parts with copies of this rank's,
 * so that stages work on real parameters; the time that takes is left out of the step's.
 */
enum status executor_run(struct executor *executor, const int32_t *tokens,
                         struct executor_step *result, struct diag *diag) STATUS_CHECKED;

/* Makes one number of the live logits' gradient not finite (an injected fault). To be called from
 * the observer, before an action that is the head's backward. */
void executor_poison(struct executor *executor);

/* Optimizer steps done so far (Adam's t); a restore sets it. */
uint64_t executor_steps(const struct executor *executor);
void executor_set_steps(struct executor *executor, uint64_t steps);

/*
 * The owned state as checkpoints and dumps see it. Unit `unit`'s shard (ddp: the r-th part, though
 * every rank has all): its address in device memory, NULL where the strategy keeps no such state
 * (a master under fp32). Elements: padded / N. dtype: of parameters as stored, the others fp32;
 * gradients as stored.
 */
enum executor_state {
    EXECUTOR_PARAMETERS,
    EXECUTOR_GRADIENTS,
    EXECUTOR_MASTER,
    EXECUTOR_MOMENT1,
    EXECUTOR_MOMENT2,
    EXECUTOR_STATE_COUNT
};
void *executor_shard(struct executor *executor, enum executor_state state, size_t unit);
/* Bytes of one element of that state: 2 or 4; 0 where there is none. */
uint64_t executor_state_bytes(const struct executor *executor, enum executor_state state);
/* After shards were written from outside (a restore): makes whole and persistent values agree with
 * them (collectives, not counted). */
enum status executor_publish(struct executor *executor, struct diag *diag) STATUS_CHECKED;

#endif
