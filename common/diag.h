#ifndef RANKLEDGER_DIAG_H
#define RANKLEDGER_DIAG_H

#include "status.h"

/*
 * The error record of one operation, owned by the caller (usually on the stack, zeroed). The
 * function that decides on an error sets it; callers relay the status; the first error stays.
 * Only main prints it.
 */
struct diag {
    enum status status;
    char text[2048]; /* one message without a trailing newline, NUL-terminated, already safe to print */
};

/*
 * Sets the message unless one is set already and returns `status`, so that a caller can write
 * `return diag_set(diag, STATUS_INPUT, "...")`. Text that comes from input must have passed
 * text_escape() (text.h). A message too long is cut with an ellipsis. `diag` may be NULL.
 */
enum status diag_set(struct diag *diag, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The system's words for an errno value in English, whatever the locale; static storage. */
const char *diag_reason(int error_number);

/* The one message for exhausted memory; returns STATUS_ENVIRONMENT. */
enum status diag_no_memory(struct diag *diag);

#endif
