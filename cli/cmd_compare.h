#ifndef RANKLEDGER_CMD_COMPARE_H
#define RANKLEDGER_CMD_COMPARE_H

#include "diag.h"

/* `rankledger compare`: what changed between two summaries, evidence files or archives;
 * STATUS_NEGATIVE if something is worse than was allowed. */
enum status cmd_compare(int argc, char **argv, struct diag *diag) STATUS_CHECKED;

#endif
