#ifndef RANKLEDGER_CMD_ANALYZE_H
#define RANKLEDGER_CMD_ANALYZE_H

#include "diag.h"

/* `rankledger analyze`: from evidence to a decision; STATUS_NEGATIVE if sources were invalid. */
enum status cmd_analyze(int argc, char **argv, struct diag *diag) STATUS_CHECKED;

#endif
