#ifndef RANKLEDGER_LAUNCHER_FOLDER_H
#define RANKLEDGER_LAUNCHER_FOLDER_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#include "diag.h"
#include "launcher_leftovers.h"

/*
 * The folder of everything that exists only while ranks run: their records, MPI's session folders
 * and shared memory, what mpirun says. It lies in memory (/dev/shm) where there is room, because
 * pages of a file on a disk are written back and faulted in again while a step is measured.
 *
 * A small process of our own, the sweeper, waits until this program ends in whatever way, SIGKILL
 * included, and removes the folder and what the ranks left elsewhere. The orderly end is the same:
 * closing tells the sweeper.
 */
struct launcher_folder {
    char path[PATH_MAX / 2];
    pid_t sweeper;
    int lifeline; /* open as long as the folder is needed */
};

/* Makes the folder with at least `bytes` free, and starts the sweeper, which keeps a copy of
 * `leftovers` (NULL: none) and of what it refers to. */
enum status launcher_folder_create(uint64_t bytes, const struct launcher_leftovers *leftovers,
                                   struct launcher_folder *folder,
                                   struct diag *diag) STATUS_CHECKED;
/* Has it removed and waits for that. No process may use the folder any more. */
void launcher_folder_fini(struct launcher_folder *folder);

/* Removes a folder and what is in it, without following links; what resists is left. */
void launcher_folder_remove(const char *path);

#endif
