#ifndef RANKLEDGER_CMD_VERIFY_H
#define RANKLEDGER_CMD_VERIFY_H

#include "diag.h"

/* `rankledger verify`: recomputes a summary from its sources; STATUS_NEGATIVE if it differs. */
enum status cmd_verify(int argc, char **argv, struct diag *diag) STATUS_CHECKED;

#endif
