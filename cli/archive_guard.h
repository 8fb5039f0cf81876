#ifndef RANKLEDGER_ARCHIVE_GUARD_H
#define RANKLEDGER_ARCHIVE_GUARD_H

#include "archive_index.h"

/* What must not be lost or go unnoticed in the folder of `analyze --output-dir`. */

/* STATUS_USAGE if the folder has an index.csv, index.json or index.xlsx that is not beside an
 * index.json of ours. */
enum status archive_guard_index(const char *output, struct diag *diag) STATUS_CHECKED;

/* STATUS_USAGE if a file that would be replaced is part of the evidence. */
enum status archive_guard_inputs(const struct archive_index *index, const char *output,
                                 struct diag *diag) STATUS_CHECKED;

/* Warns of summaries of earlier runs in the folder that are not among `names`. They may be all that
 * is left of what they were made from, so they stay. */
enum status archive_guard_older(const char *output, const char *const *names, size_t count,
                                struct diag *diag) STATUS_CHECKED;

#endif
