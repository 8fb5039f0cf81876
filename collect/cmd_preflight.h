#ifndef RANKLEDGER_CMD_PREFLIGHT_H
#define RANKLEDGER_CMD_PREFLIGHT_H

#include "diag.h"

/* `rankledger-collect preflight`: what this machine can run and what is missing. argv is the whole
 * command line. STATUS_ENVIRONMENT if something is missing. */
enum status cmd_preflight(int argc, char **argv, struct diag *diag) STATUS_CHECKED;

#endif
