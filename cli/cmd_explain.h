#ifndef RANKLEDGER_CMD_EXPLAIN_H
#define RANKLEDGER_CMD_EXPLAIN_H

#include "diag.h"

/* `rankledger explain`: why a strategy of a summary was chosen, or was not. */
enum status cmd_explain(int argc, char **argv, struct diag *diag) STATUS_CHECKED;

#endif
