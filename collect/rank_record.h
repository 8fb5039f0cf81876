#ifndef RANKLEDGER_RANK_RECORD_H
#define RANKLEDGER_RANK_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "communicator.h"
#include "diag.h"
#include "executor.h"
#include "schedule.h"

/*
 * Everything that one rank measured in one run of one strategy, as plain data without pointers. The
 * ranks write their records while they run; whoever writes the evidence reads them afterwards:
 *  - launched by us: all records of a run lie in one file (a board) that launcher and ranks map, so
 *    that what a killed rank had measured is not lost;
 *  - joined to a foreign mpirun: each rank has its own in memory, rank 0 gathers them at the end.
 * A rank writes only its own record. Times: CLOCK_MONOTONIC, nanoseconds. Unknown: 0, or NAN.
 */

enum rank_phase { /* where a rank is; for failures */
                  RANK_NOT_STARTED,
                  RANK_LAUNCH, /* up to MPI_Init's return */
                  RANK_INIT,
                  RANK_FORWARD,
                  RANK_BACKWARD,
                  RANK_OPTIMIZER,
                  RANK_CHECKPOINT_SAVE,
                  RANK_CHECKPOINT_RESTORE,
                  RANK_CALIBRATION,
                  RANK_BLOCKING,       /* the pass that waits for each collective at once */
                  RANK_NO_COLLECTIVES, /* the pass without collectives */
                  RANK_FINISH,
                  RANK_DONE
};
const char *rank_phase_name(enum rank_phase phase);

enum rank_failure_kind { /* as in the evidence's failure.kind */
                         RANK_FAILURE_NONE,
                         RANK_FAILURE_PREFLIGHT,
                         RANK_FAILURE_LAUNCH,
                         RANK_FAILURE_OUT_OF_MEMORY,
                         RANK_FAILURE_COMMUNICATION,
                         RANK_FAILURE_TIMEOUT,
                         RANK_FAILURE_RANK_LOST,
                         RANK_FAILURE_NON_FINITE,
                         RANK_FAILURE_CHECKPOINT,
                         RANK_FAILURE_INTERRUPTED
};
const char *rank_failure_kind_name(enum rank_failure_kind kind);

struct rank_failure {
    enum rank_failure_kind kind;
    enum rank_phase phase;
    int64_t rank;   /* -1: of no rank in particular */
    int64_t step;   /* the optimizer step it happened in, warm-up included, from 0; -1: none */
    uint64_t at_ns; /* when; of the failures of several ranks the first one is told */
    char detail[1024];
    /* out_of_memory; category SCHEDULE_CATEGORY_COUNT: the arena, in which all of them lie */
    uint64_t asked_bytes, in_use_bytes, limit_bytes;
    enum schedule_category category;
};

struct rank_step {
    uint64_t total_ns, forward_ns, backward_ns, optimizer_ns, exposed_ns, other_ns;
    uint64_t exposed_phase_ns[SCHEDULE_PHASE_COUNT];
    uint64_t in_flight_ns; /* time at least one collective was in flight */
    uint64_t minor_faults;
    double loss_sum; /* over this rank's tokens */
    double grad_norm;
};

#define RANK_RECORD_LINKS 24      /* calibration rows */
#define RANK_RECORD_CHECKPOINTS 2 /* full, sharded */
#define RANK_RECORD_TEXT 128

struct rank_link { /* one calibration measurement, waited for where it was posted */
    enum schedule_collective collective;
    uint64_t payload_bytes;
    double ms;
};

/* The device that a rank computes on where that is not the host itself; zeroed where it is. */
struct rank_device {
    bool used, emulated;
    uint32_t index; /* among those of its host that it sees */
    char name[96];  /* as the driver says */
    char bus[32];   /* PCI address */
    char driver[32], driver_cuda[32], runtime[32], blas[32], nccl[32]; /* versions */
    uint64_t memory_bytes;
    int32_t capability_major, capability_minor, multiprocessors;
    uint32_t peers; /* bit i: it reads and writes the memory of device i directly */
    /* Of its memory, in use by everybody: before this rank used it (0: not known), at most up to
     * the end of training, and at most. */
    uint64_t before_bytes, training_peak_bytes, peak_bytes;
};

struct rank_checkpoint {
    bool sharded, done, restored, verified;
    uint64_t files, bytes;
    double save_ms, restore_ms;
};

struct rank_record {
    /* --- who and where, written at start --- */
    uint64_t rank, world_size;
    int64_t pid;
    char host[RANK_RECORD_TEXT], device[RANK_RECORD_TEXT], affinity[RANK_RECORD_TEXT];
    char blas[RANK_RECORD_TEXT], blas_kernels[RANK_RECORD_TEXT], mpi[RANK_RECORD_TEXT];
    char moved_by[16], algorithm[RANK_RECORD_TEXT]; /* collectives: "polling", "stream"; how */
    struct rank_device gpu;
    uint64_t host_number; /* of its host, from 0: communicator_mpi_place.h */
    uint64_t cores;       /* this rank may run on */
    uint64_t threads;     /* it uses */
    /* --- where it is now --- */
    enum rank_phase phase;
    int64_t step;      /* the optimizer step in work, -1 before the first */
    uint64_t progress; /* counts every sign of life that the watchdog accepts (a completed
                          step, a completed part of start-up or of a checkpoint) */
    uint64_t actions;  /* the schedule's actions begun so far: of ranks that stand still, the one
                          with the fewest is the one the others wait for */
    uint32_t inside;   /* the compute thread stands in the communication library: such a rank waits
                          for others (communicator.h's `inside` points here) */
    uint64_t started_ns, first_step_ns; /* process start; first step begun */
    struct rank_failure failure;
    bool injected; /* the fault in failure, or one that did no harm, was asked for */
    bool complete; /* everything below is final */
    /* --- memory --- */
    uint64_t arena_bytes, process_peak_bytes, process_before_bytes;
    uint64_t resident[SCHEDULE_CATEGORY_COUNT];
    uint64_t phase_peak[SCHEDULE_PHASE_COUNT];
    uint64_t at_peak[SCHEDULE_PHASE_COUNT][SCHEDULE_CATEGORY_COUNT];
    uint64_t category_peak[SCHEDULE_CATEGORY_COUNT];
    /* --- communication over the measured steps --- */
    struct communicator_usage usage;
    /* --- steps with every collective waited for at once, if that was measured: mean exposed time
           of one; NAN else --- */
    double blocking_ms;
    /* --- the pass without collectives --- */
    uint64_t bare_steps;
    uint64_t bare_ns[16];
    /* --- calibration --- */
    double matrix_product_flops; /* per second, all of this rank's threads */
    uint64_t link_count;
    struct rank_link links[RANK_RECORD_LINKS];
    struct rank_checkpoint checkpoints[RANK_RECORD_CHECKPOINTS];
    /* --- samples: warm-up, then measured steps --- */
    uint64_t step_capacity, step_count, warmup;
    struct rank_step steps[];
};

size_t rank_record_size(uint64_t step_capacity);

/* Writes how this rank's collectives are moved and made. */
void rank_record_note_communicator(struct rank_record *record,
                                   const struct communicator *communicator);

/*
 * Notes what ended this rank: when, and in which phase and step the record says it is; `rank` -1
 * means this one. The first failure stays. Whoever reads the record meanwhile sees all or nothing
 * of it. Amounts of an out_of_memory are written to the record before.
 */
void rank_record_fail(struct rank_record *record, enum rank_failure_kind kind, int64_t rank,
                      const char *detail);

/*
 * The rank that a message speaks of at its beginning ("rank 1: ...", as agreement.h words what went
 * wrong on another rank); *message is moved behind that. -1: of none.
 */
int64_t rank_record_origin(const char **message);

/* Records of all ranks of one run; `stride` bytes apart. */
struct rank_board {
    unsigned char *memory;
    size_t stride, size;
    uint64_t world_size;
    bool mapped;
};

/* Creates the file (it must not exist) and maps it; or takes memory if `path` is NULL. Records are
 * zero but for rank, world_size, step (-1), step_capacity and blocking_ms (NAN). */
enum status rank_board_create(const char *path, uint64_t world_size, uint64_t step_capacity,
                              struct rank_board *board, struct diag *diag) STATUS_CHECKED;
/* Maps an existing one. */
enum status rank_board_open(const char *path, uint64_t world_size, uint64_t step_capacity,
                            struct rank_board *board, struct diag *diag) STATUS_CHECKED;
void rank_board_fini(struct rank_board *board);
struct rank_record *rank_board_at(const struct rank_board *board, uint64_t rank);
/* The record of the rank with the least progress, the first of several: all wait for it. */
const struct rank_record *rank_board_least_advanced(const struct rank_board *board);

#endif
