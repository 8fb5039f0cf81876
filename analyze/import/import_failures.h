#ifndef RANKLEDGER_IMPORT_FAILURES_H
#define RANKLEDGER_IMPORT_FAILURES_H

#include "import.h"

/*
 * What a failed run leaves in any tool's log: an exception, memory exhausted, a time-out of NCCL's
 * watchdog, a signal, a cancelled job. Every importer of logs feeds its lines through one of these
 * per run:
 *
 *     struct import_failures failures = {0};
 *     while (import_scan_next(&lines, &line)) {
 *         import_failures_line(&failures, &line);
 *         if (<the line reports a training step>)
 *             import_failures_progress(&failures);
 *     }
 *     import_failures_finish(&failures, record);
 *
 * One failure makes many lines: the rank that runs out of memory, the others that wait for it until
 * the watchdog ends them, the launcher that reports exit codes. The heaviest is the cause, and of
 * equal ones the first.
 */
struct import_failures {
    struct import_failure cause;
    int weight;                     /* of the cause, 0: none */
    struct import_failure survived; /* the heaviest after which training went on */
    int survived_weight;
    /* What the lines before have begun. */
    bool traceback, ignored; /* a traceback; one that Python itself passes over */
    bool cuda_error;         /* "[CUDA ERROR] at file ...": the next line says which */
    bool root_cause;         /* torchrun's report of the rank that failed first */
    bool has_root_rank;
    double root_rank;
};

void import_failures_line(struct import_failures *failures, const struct import_line *line);

/* The run took a step after all: what was seen so far did not end it, unless it fails again. */
void import_failures_progress(struct import_failures *failures);

/* Makes the record a failed one if a failure was seen; warns of what was survived. */
void import_failures_finish(const struct import_failures *failures, struct import_record *record);

/* The whole source at once, for a log of one run without steps. */
void import_failures_scan(struct import_record *record, const struct import_source *source);

/* How many lines tell of a failure, at most `most`; for `matches`. */
unsigned import_failures_count(const struct import_source *source, unsigned most);

#endif
