#ifndef RANKLEDGER_IMPORT_TABLE_H
#define RANKLEDGER_IMPORT_TABLE_H

#include "diag.h"
#include "import.h"

/* The formats that `import` reads. To add one: import_<tool>.c and a row. */

/* Ends with NULL. */
extern const struct import_format *const import_table[];

/* The format named by --from; STATUS_USAGE, with the nearest name or all of them, for another. */
enum status import_table_find(const char *name, const struct import_format **format,
                              struct diag *diag) STATUS_CHECKED;

/*
 * The format whose signs the source has most of. STATUS_INPUT if it has none of any (the message
 * says which tools are known and what they write), or as many of two.
 */
enum status import_table_recognise(const struct import_source *source,
                                   const struct import_format **format,
                                   struct diag *diag) STATUS_CHECKED;

#endif
