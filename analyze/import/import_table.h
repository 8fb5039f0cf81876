#ifndef RANKLEDGER_IMPORT_TABLE_H
#define RANKLEDGER_IMPORT_TABLE_H

#include "diag.h"
#include "import.h"

/* The formats that `import` reads. To add one: import_<tool>.c and a row. */

/* Ends with NULL, after at most IMPORT_TABLE_MOST. */
#define IMPORT_TABLE_MOST 31
extern const struct import_format *const import_table[];

struct import_table_choice {
    const struct import_format *format;
    const struct import_format *also; /* whose output is in the source, too, and not read; NULL */
};

/*
 * The format whose signs the source has most of. STATUS_INPUT if it has none of any (the message
 * says which tools are known and what they write), or as many of two.
 */
enum status import_table_recognise(const struct import_source *source,
                                   struct import_table_choice *found,
                                   struct diag *diag) STATUS_CHECKED;

#endif
