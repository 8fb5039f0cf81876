#ifndef RANKLEDGER_CMD_REPORT_H
#define RANKLEDGER_CMD_REPORT_H

#include "diag.h"

/* `rankledger report`: the workbook, the charts and the Markdown of a summary or of evidence. */
enum status cmd_report(int argc, char **argv, struct diag *diag);

#endif
