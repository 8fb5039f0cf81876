#ifndef RANKLEDGER_SESSION_H
#define RANKLEDGER_SESSION_H

#include "communicator.h"
#include "rank_record.h"
#include "run_config.h"

/*
 * One rank's run of one strategy, from a started launcher or MPI to the finished record: schedule,
 * backend, arena, initial values or restore, warm-up, measured steps, dump, checkpoints, the pass
 * without collectives, calibration.
 */
struct session_request {
    const struct run_config *config; /* checked; its world_size is the number of ranks */
    enum strategy strategy;
    uint64_t local_rank; /* among the ranks of this host: which of its devices is this rank's */
    /* What was in use of the device before this process' first session, which left its context and
     * libraries there; 0: this is the first, or it was not known then. */
    uint64_t device_before_bytes;
    uint64_t round; /* from 0; dump and checkpoints are made in round 0 alone */
    /* Makes the communicator of all ranks: communicator_mpi_create. The session destroys it, but
     * after a failure leaves it as it is: other ranks may stand in a collective of it. */
    enum status (*connect)(enum model_dtype wire, size_t ticket_count,
                           struct communicator **communicator, struct diag *diag);
    /* This rank's; the caller has written who and where it is (rank, host, threads, ...) and its
     * step_capacity, which is warm-up and repeats together. */
    struct rank_record *record;
};

/*
 * Runs it. The record is written as things happen, so whoever reads it after a kill finds what was
 * measured until then. STATUS_OK: record->complete is set. Otherwise record->failure says what,
 * where and when, and the caller ends the process at once, without finishing MPI
 * (communicator_mpi_abort, or an exit if a launcher ends the others): STATUS_NEGATIVE if the
 * gradients were not finite (all ranks return it in the same step), STATUS_ENVIRONMENT for memory,
 * communication or checkpoints, STATUS_INPUT if a checkpoint to restore does not fit.
 *
 * Injected faults (config->injection) happen in here, on the rank and in the step they name:
 * kill, hang, oom, nan once; slow in every step from there on; disk_full when a checkpoint is
 * written (a full checkpoint is written by rank 0, so only rank 0 can meet a full disk there).
 */
enum status session_run(const struct session_request *request, struct diag *diag) STATUS_CHECKED;

#endif
