#ifndef RANKLEDGER_BANDWIDTH_RANKS_H
#define RANKLEDGER_BANDWIDTH_RANKS_H

#include "diag.h"

/*
 * `rankledger-collect bandwidth`, the whole command: starts the ranks that measure
 * (cmd_bandwidth.h), or joins those of a foreign mpirun or srun, and prints what rank 0 measured.
 * argv is the whole command line.
 */
enum status bandwidth_ranks(int argc, char **argv, struct diag *diag) STATUS_CHECKED;

#endif
