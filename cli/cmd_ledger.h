#ifndef RANKLEDGER_CMD_LEDGER_H
#define RANKLEDGER_CMD_LEDGER_H

#include "diag.h"

/* `rankledger ledger`: resident training state by formula. argv after the command's name; the
 * result goes to standard output, the message of a failure to `diag`. */
enum status cmd_ledger(int argc, char **argv, struct diag *diag) STATUS_CHECKED;

#endif
