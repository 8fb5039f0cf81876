#ifndef RANKLEDGER_IMPORT_FAILURES_H
#define RANKLEDGER_IMPORT_FAILURES_H

#include "import.h"

/*
 * What a failed run leaves in any tool's log: an exception, CUDA out of memory, an NCCL time-out, a
 * signal. Every importer of logs feeds its lines through one of these per run:
 *
 *     struct import_failures failures = {0};
 *     while (import_scan_next(&lines, &line)) {
 *         import_failures_line(&failures, &line);
 *         ...
 *     }
 *     import_failures_finish(&failures, record);
 */
struct import_failures {
    struct import_failure best; /* the cause rather than what followed from it */
    int weight;                 /* of `best`; 0: none */
    double rank;                /* of the traceback that is being read; -1 */
    size_t traceback;           /* its line; 0: none */
};

void import_failures_line(struct import_failures *failures, const struct import_line *line);

/* Makes the record a failed one if a failure was seen. */
void import_failures_finish(const struct import_failures *failures, struct import_record *record);

/* The whole source at once, for a log of one run. */
void import_failures_scan(struct import_record *record, const struct import_source *source);

#endif
