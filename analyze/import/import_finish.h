#ifndef RANKLEDGER_IMPORT_FINISH_H
#define RANKLEDGER_IMPORT_FINISH_H

#include "import_run.h"

/* Private to import_run.c: what the core adds when an importer is through. */

/* Puts `import` into the record and what it has to say into the batch's notes. */
void import_finish_record(struct import_batch *batch, struct import_record *record);

/*
 * Validates a finished record of evidence and puts what is not sound into the notes. Sets the
 * document's errors and warnings.
 */
enum status import_finish_check(struct import_batch *batch, struct import_document *document,
                                const char *display, struct diag *diag) STATUS_CHECKED;

#endif
