#ifndef RANKLEDGER_LAUNCHER_H
#define RANKLEDGER_LAUNCHER_H

#include <limits.h>
#include <signal.h>

#include "arena.h"
#include "host_info.h"
#include "launcher_folder.h"
#include "launcher_verdict.h"
#include "text_buffer.h"

/*
 * Starts process groups of ranks through mpirun, one at a time, and ends them: this process never
 * calls MPI, so that it outlives whatever happens to the ranks. Interrupts are held back while it
 * is open and are noticed in launcher_run.
 *
 * Nobody is left behind: a rank ends with mpirun and mpirun with us (PR_SET_PDEATHSIG), orphans
 * become our children (PR_SET_CHILD_SUBREAPER) and are waited for, and the launch folder is removed
 * by its sweeper even if we are killed.
 */
struct launcher {
    struct launcher_folder folder;
    char executable[PATH_MAX]; /* this program */
    char mpirun[PATH_MAX];
    sigset_t signals, previous; /* those waited for; the mask to restore */
    int signal;                 /* the interrupt that came; 0: none */
};

/* `shared_bytes`: what the folder must have room for; `leftovers`: what killed ranks may leave
 * outside of it (NULL: nothing). */
enum status launcher_open(uint64_t shared_bytes, const struct launcher_leftovers *leftovers,
                          struct launcher *launcher, struct diag *diag) STATUS_CHECKED;
/* Removes the folder; an interrupt that came is not delivered again. */
void launcher_close(struct launcher *launcher);

/* The path of Open MPI's mpirun from PATH; STATUS_ENVIRONMENT, with what to install, if there is
 * none. */
enum status launcher_find_mpirun(char path[PATH_MAX], struct diag *diag) STATUS_CHECKED;

struct launcher_job {
    uint64_t ranks, threads;
    bool bind, oversubscribed;
    const char *kernels; /* OPENBLAS_CORETYPE; NULL: as it is */
    uint64_t strategy, round;
    char *const *arguments; /* of the ranks: this program's own, NULL-terminated */
    uint64_t step_capacity; /* of the records */
    double timeout_s;
    /* Called about twenty times a second with the records as they stand; may be NULL. */
    void (*look)(void *context, const struct rank_board *board);
    void *context;
};

/* Shares a machine's cores among `ranks`: fills ranks, threads (of each; 0: cores / ranks), bind,
 * oversubscribed and kernels. */
void launcher_plan(const struct host_info *host, uint64_t ranks, uint64_t threads,
                   struct launcher_job *job);

/* Bytes that the launch folder needs for so many ranks: Open MPI's shared memory is 4 MiB a rank,
 * its folders and the records are small. */
uint64_t launcher_shared_bytes(uint64_t ranks);

/* The environment that the job's ranks get, NULL-terminated, in the arena. */
enum status launcher_environment(const struct launcher *launcher, const struct launcher_job *job,
                                 struct arena *arena, char ***environment,
                                 struct diag *diag) STATUS_CHECKED;

/*
 * Runs one group to its end, whatever that is. *board: the records, the caller's to fini; *failure:
 * kind NONE if every rank completed; what mpirun and the ranks said is appended to `said`. A status
 * other than STATUS_OK means that nothing was started.
 */
enum status launcher_run(struct launcher *launcher, const struct launcher_job *job,
                         struct rank_board *board, struct rank_failure *failure,
                         struct text_buffer *said, struct diag *diag) STATUS_CHECKED;

#endif
