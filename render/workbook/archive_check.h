#ifndef RANKLEDGER_ARCHIVE_CHECK_H
#define RANKLEDGER_ARCHIVE_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * True if `size` bytes are a ZIP archive without holes: its entries lie one after the other as the
 * directory says, up to the directory, and the directory up to the end. For what libxlsxwriter
 * wrote, which does not look at every write's result; contents are not unpacked. (Layout: PKWARE's
 * APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16; archives below 4 GiB.)
 */
bool archive_check_whole(const char *data, size_t size);

#endif
