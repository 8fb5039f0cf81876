#ifndef RANKLEDGER_LAUNCHER_MARKER_H
#define RANKLEDGER_LAUNCHER_MARKER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * How a process knows that our launcher started it as a rank, and for what: an environment variable
 * with the launch folder's path at its end, so that it is also what a rank's /proc/<pid>/environ is
 * recognised by. The command line is passed on as it was.
 */
#define LAUNCHER_MARKER_NAME "RANKLEDGER_LAUNCH"
/* The process that starts the ranks (mpirun), in decimal: a rank whose parent is another has lost
 * it already. */
#define LAUNCHER_MARKER_PARENT "RANKLEDGER_LAUNCH_PARENT"

struct launcher_marker {
    uint64_t strategy; /* enum strategy */
    uint64_t round;
    uint64_t threads; /* of each rank */
    char folder[PATH_MAX / 2];
};

#define LAUNCHER_MARKER_SIZE (PATH_MAX / 2 + 64)

/* The variable's value. */
void launcher_marker_format(const struct launcher_marker *marker, char text[LAUNCHER_MARKER_SIZE]);
/* False if the text is none. */
bool launcher_marker_parse(const char *text, struct launcher_marker *marker);

/* The file of the ranks' records in the folder. */
void launcher_marker_board(const struct launcher_marker *marker, char path[PATH_MAX]);

/*
 * For a rank, first of all: it ends with its parent, whatever ends that, and mpirun's SIGTERM does
 * not end it, so that of several ranks the one that died by itself is still to be told from those
 * that were ended because of it. False if the parent is gone already.
 */
bool launcher_marker_bind_to_parent(void);

#endif
