#ifndef RANKLEDGER_IMPORT_BESIDE_H
#define RANKLEDGER_IMPORT_BESIDE_H

#include "import.h"
#include "import_load.h"

/* Files that a tool leaves beside the one that is imported. */

enum import_beside {
    IMPORT_BESIDE_NONE,   /* there is none, or the source has no folder: standard input */
    IMPORT_BESIDE_BROKEN, /* it is empty: whoever wrote it did not end */
    IMPORT_BESIDE_READ
};

/*
 * Loads NAME from the source's folder into `load` (import_load_fini is the caller's). If it is there
 * and cannot be read, the import has failed, since without it the record could be a wrong one.
 */
enum import_beside import_beside_load(struct import *import, const struct import_source *source,
                                      const char *name, struct import_load *load);

/* The same for a document; JSON that cannot be read is broken. */
enum import_beside import_beside_load_json(struct import *import,
                                           const struct import_source *source, const char *name,
                                           struct import_load *load);

#endif
