#ifndef RANKLEDGER_EXECUTOR_PARTS_H
#define RANKLEDGER_EXECUTOR_PARTS_H

#include "arena.h"
#include "executor.h"
#include "model_stage.h"

/*
 * The executor's inside, shared by its files: executor.c makes it, executor_run.c runs the
 * list, executor_memory.c takes and
 * releases buffers and keeps the tables of pointers, executor_collective.c moves parameters and
 * gradients, executor_update.c sums, clips and updates, executor_state.c fills and shows the owned
 * state.
 */
#define EXECUTOR_PARTS_NOT_LIVE UINT64_MAX

struct executor {
    struct executor_request request;
    const struct backend_operations *operations;
    struct arena tables; /* everything below that is a pointer */
    struct model_stage stage;
    struct model_stage_between between;
    uint64_t rank;
    uint64_t steps;
    uint64_t *offsets; /* [buffer]: where it lies in the arena, or EXECUTOR_PARTS_NOT_LIVE */
    unsigned char *roles[SCHEDULE_ROLE_COUNT]; /* resident buffers; NULL where there is none */
    size_t *unit_tensors, *unit_begin;     /* tensors of unit u: unit_tensors[unit_begin[u]...] */
    const struct schedule_action **posted; /* [ticket]: what is in flight; NULL */
    struct communicator_segment *segments; /* room for every unit */
    struct executor_moment *moments;       /* of the step in work: moment_count of them */
    size_t moment_count, moment_capacity;
    /* In the workspace. */
    int32_t *tokens; /* [G][B][T+1] of the step in work */
    struct executor_sums *sums;
};

/* When the compute stream's work went over to a phase. */
struct executor_moment {
    enum schedule_phase phase; /* or EXECUTOR_PARTS_STAND_IN */
    uint64_t mark;
};
/* Work that is no part of the step: while the communicator is off, see executor_run. */
#define EXECUTOR_PARTS_STAND_IN SCHEDULE_PHASE_COUNT

/* What a step adds up in device memory, so that the host need not wait for it in the middle. */
struct executor_sums {
    double losses, squares;
    float scale; /* of the gradients: clipping */
};

/* From here on the step's time belongs to that phase. */
void executor_parts_enter(struct executor *executor, enum schedule_phase phase);

/* --- executor_memory.c --- */

/* Takes the resident buffers, zeroed. */
enum status executor_parts_take_residents(struct executor *executor, struct diag *diag);
enum status executor_parts_take(struct executor *executor, const struct schedule_action *action,
                                struct diag *diag);
enum status executor_parts_release(struct executor *executor, const struct schedule_action *action,
                                   struct diag *diag);
/* The address of a live buffer; NULL if it is not live. */
unsigned char *executor_parts_buffer(const struct executor *executor, size_t buffer);
/* Lets the tables point to a unit's tensors, stored from `base` on; a NULL `base` takes them out,
 * so that a schedule's fault cannot silently use what is stale. */
void executor_parts_bind_parameters(struct executor *executor, size_t unit, unsigned char *base);
void executor_parts_bind_gradients(struct executor *executor, size_t unit, unsigned char *base);
/* Whole and persistent parameters; NULL for a unit of which only the shard is stored. */
unsigned char *executor_parts_whole(const struct executor *executor, size_t unit);

/* --- executor_collective.c --- */

enum status executor_parts_gather(struct executor *executor, const struct schedule_action *action,
                                  struct diag *diag);
enum status executor_parts_reduce(struct executor *executor, const struct schedule_action *action,
                                  struct diag *diag);
enum status executor_parts_wait(struct executor *executor, const struct schedule_action *action,
                                struct diag *diag);

/* --- executor_update.c --- */

enum status executor_parts_accumulate(struct executor *executor,
                                      const struct schedule_action *action, struct diag *diag);
enum status executor_parts_norm(struct executor *executor, const struct schedule_action *action,
                                struct diag *diag);
enum status executor_parts_update(struct executor *executor, const struct schedule_action *action,
                                  struct diag *diag);

/* --- executor_state.c --- */

/* Initial values of the owned parameters, then everywhere else where they are kept. */
enum status executor_parts_initialise(struct executor *executor, struct diag *diag);
/* Elements [first, first + count) of a unit, padding included: this rank's shard. */
void executor_parts_shard_range(const struct executor *executor, size_t unit, uint64_t *first,
                                uint64_t *count);
/*
 * The state of a unit as it is stored: the address of its element `first`, which must be stored
 * here. NULL where there is no such state.
 */
unsigned char *executor_parts_state(const struct executor *executor, enum executor_state state,
                                    size_t unit, uint64_t first);
/* True if every rank has all of that state's elements, false if only its shards. */
bool executor_parts_replicated(const struct executor *executor, enum executor_state state);

#endif
