#ifndef RANKLEDGER_CMD_IMPORT_H
#define RANKLEDGER_CMD_IMPORT_H

#include "diag.h"

/* `rankledger import`: evidence from other tools' logs; STATUS_NEGATIVE if --strict is given and a
 * record would not pass `validate --strict`. */
enum status cmd_import(int argc, char **argv, struct diag *diag) STATUS_CHECKED;

#endif
