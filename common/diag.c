#include "diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum status diag_set(struct diag *diag, enum status status, const char *format, ...)
{
    if (diag == NULL || diag->status != STATUS_OK)
        return status;
    diag->status = status;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(diag->text, sizeof diag->text, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof diag->text)
        memcpy(diag->text + sizeof diag->text - 4, "...", 4);
    return status;
}

const char *diag_reason(int error_number)
{
#ifdef __GLIBC__
    const char *reason = strerrordesc_np(error_number);
#else
    const char *reason = strerror(error_number);
#endif
    return reason != NULL ? reason : "unknown error";
}

enum status diag_no_memory(struct diag *diag)
{
    return diag_set(diag, STATUS_ENVIRONMENT, "out of memory");
}
