#ifndef RANKLEDGER_ARCHIVE_ROW_H
#define RANKLEDGER_ARCHIVE_ROW_H

#include "archive_index.h"

/* Fills what an analysis of one group says; label, summary and key are the caller's. Texts are
 * copied into the arena. */
enum status archive_row_fill(const struct analysis *analysis, struct arena *arena,
                             struct archive_index_row *row, struct diag *diag) STATUS_CHECKED;

/* The order of an index: accept, tune, reject; then labels, numbers in them by size. For qsort. */
int archive_row_compare(const void *left, const void *right);

#endif
