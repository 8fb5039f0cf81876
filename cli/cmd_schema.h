#ifndef RANKLEDGER_CMD_SCHEMA_H
#define RANKLEDGER_CMD_SCHEMA_H

#include "diag.h"

/* `rankledger schema`: prints the JSON Schema of evidence. */
enum status cmd_schema(int argc, char **argv, struct diag *diag) STATUS_CHECKED;

#endif
