#ifndef RANKLEDGER_IMPORT_FAILURES_READ_H
#define RANKLEDGER_IMPORT_FAILURES_READ_H

#include "import_failures.h"

/* Private to import_failures*.c. */

/* What a line tells, and how near to the cause that is. */
struct import_failures_found {
    struct import_failure failure; /* line and rank are set; the rest is IMPORT_FAILURE_NONE */
    int weight;
};

/*
 * The order of causes. A rank that runs out of memory or throws makes the others wait, abort
 * (SIGABRT) and be ended (SIGTERM) by the launcher, which then reports exit codes.
 */
enum import_failures_weight {
    IMPORT_FAILURES_EXIT_CODE = 10,
    IMPORT_FAILURES_ENDED = 12, /* SIGTERM by the launcher, SIGABRT after an exception */
    IMPORT_FAILURES_AFTERMATH = 40,
    IMPORT_FAILURES_STUCK = 45,
    IMPORT_FAILURES_TIMEOUT = 50,
    IMPORT_FAILURES_LOST = 55, /* SIGKILL, SIGSEGV: nothing in the log comes before it */
    IMPORT_FAILURES_COMMUNICATION = 60,
    IMPORT_FAILURES_HOST_MEMORY = 65,
    IMPORT_FAILURES_CANCELLED = 70,
    IMPORT_FAILURES_EXCEPTION = 80,
    IMPORT_FAILURES_NON_FINITE = 85,
    IMPORT_FAILURES_OUT_OF_MEMORY = 100
};

/* Looks at one line without a launcher's prefix. True: *found is filled. */
bool import_failures_read(struct import_failures *failures, const struct import_span *line,
                          struct import_failures_found *found);

/* The same for what launchers, shells and schedulers say when a process ends. */
bool import_failures_read_exit(struct import_failures *failures, const struct import_span *line,
                               struct import_failures_found *found);

/* Fills *found for a process that ended with a code, negative: a signal, as Python has it. */
void import_failures_note_exit(double code, struct import_failures_found *found);

static inline bool import_failures_has(const struct import_span *line, const char *text)
{
    struct import_span rest = *line;
    return import_scan_find(&rest, text);
}

#endif
