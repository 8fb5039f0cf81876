#ifndef RANKLEDGER_WORKBOOK_MEMORY_H
#define RANKLEDGER_WORKBOOK_MEMORY_H

#include <stdbool.h>

/*
 * libxlsxwriter 1.1 collects each part of a workbook in a temporary file and ignores errors when
 * it writes to them: on a full disk it would pack a part with a hole and report success. The
 * program therefore defines the library's own lxw_tmpfile(), which the dynamic linker prefers, and
 * gives it files in memory that remember a failure.
 */

/* True once a file in memory could not grow. */
bool workbook_memory_failed(void);

#endif
