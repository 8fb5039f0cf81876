#ifndef RANKLEDGER_LAUNCHER_GROUP_H
#define RANKLEDGER_LAUNCHER_GROUP_H

#include <signal.h>
#include <sys/types.h>

#include "launcher_command.h"
#include "rank_record.h"
#include "text_buffer.h"

/* The processes of one run: mpirun, in a session of its own, and the ranks that it starts. */
struct launcher_group {
    pid_t mpirun;
    bool ended; /* and waited for */
    int status; /* as waitpid(2) tells it */
    struct launcher_marker marker;
};

/* Starts mpirun with the signal mask `mask`; what it and the ranks say goes to a file in the launch
 * folder. */
enum status launcher_group_start(const struct launcher_command *command,
                                 const struct launcher_marker *marker, const sigset_t *mask,
                                 struct launcher_group *group, struct diag *diag) STATUS_CHECKED;

/* True if mpirun has ended; then *status is how. */
bool launcher_group_has_ended(struct launcher_group *group, int *status);

/* True if there is no such process any more. */
bool launcher_group_is_gone(int64_t pid);

/* Ends all of it, by force, and waits until nothing of it is left. With `listen` mpirun is given
 * the time to say why it lost a rank. */
void launcher_group_end(struct launcher_group *group, const struct rank_board *board, bool listen);

/* Appends what mpirun and the ranks said, at most its last 64 KiB. */
void launcher_group_said(const struct launcher_group *group, struct text_buffer *said);

#endif
