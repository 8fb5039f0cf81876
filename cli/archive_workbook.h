#ifndef RANKLEDGER_ARCHIVE_WORKBOOK_H
#define RANKLEDGER_ARCHIVE_WORKBOOK_H

#include <stdint.h>

#include "archive_index.h"

/* Writes FOLDER/index.xlsx: the index as render draws it. `created` as source_date_read gives. */
enum status archive_workbook_write(const struct archive_index *index, const char *folder,
                                   int64_t created, struct diag *diag) STATUS_CHECKED;

#endif
