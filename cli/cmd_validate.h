#ifndef RANKLEDGER_CMD_VALIDATE_H
#define RANKLEDGER_CMD_VALIDATE_H

#include "diag.h"

/* `rankledger validate`: checks evidence files; STATUS_NEGATIVE if one is invalid. */
enum status cmd_validate(int argc, char **argv, struct diag *diag) STATUS_CHECKED;

#endif
