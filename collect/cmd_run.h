#ifndef RANKLEDGER_CMD_RUN_H
#define RANKLEDGER_CMD_RUN_H

#include "diag.h"
#include "launcher_marker.h"

/*
 * `rankledger-collect run`. argv is the whole command line, because it is passed on to the ranks.
 * Three programs in one: the launcher of its own ranks, such a rank, and a rank of a foreign mpirun
 * or srun.
 */
enum status cmd_run(int argc, char **argv, struct diag *diag) STATUS_CHECKED;

/* The parts; cmd_run chooses. */
enum status cmd_run_launch(int argc, char **argv, struct diag *diag) STATUS_CHECKED;
enum status cmd_run_rank(int argc, char **argv, const struct launcher_marker *marker,
                         struct diag *diag) STATUS_CHECKED;
enum status cmd_run_joined(int argc, char **argv, struct diag *diag) STATUS_CHECKED;

#endif
