#include "source_date.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* 1980-01-01, where the dates of ZIP archives begin. */
#define FIXED_DATE 315532800
/* 9999-12-31, the last that a spreadsheet can show. */
#define LAST_DATE 253402300799

/* SOURCE_DATE_EPOCH (reproducible-builds.org): a decimal number of seconds. */
enum status source_date_read(int64_t *date, struct diag *diag)
{
    const char *text = getenv("SOURCE_DATE_EPOCH");
    *date = FIXED_DATE;
    if (text == NULL || text[0] == '\0')
        return STATUS_OK;
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    char shown[64];
    if (text[strspn(text, "0123456789")] != '\0' || errno != 0 || value > LAST_DATE)
        return diag_set(diag, STATUS_USAGE,
                        "SOURCE_DATE_EPOCH is '%s': set it to seconds since 1970, or unset it",
                        text_escape_into(shown, sizeof shown, text, strlen(text)));
    *date = value;
    return STATUS_OK;
}
