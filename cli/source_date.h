#ifndef RANKLEDGER_SOURCE_DATE_H
#define RANKLEDGER_SOURCE_DATE_H

#include <stdint.h>

#include "diag.h"

/* The date in a workbook's properties, seconds since 1970: SOURCE_DATE_EPOCH where it is set, else
 * a fixed one, for equal input gives equal bytes. STATUS_USAGE if the variable holds no such
 * number. */
enum status source_date_read(int64_t *date, struct diag *diag) STATUS_CHECKED;

#endif
