#ifndef RANKLEDGER_VALIDATE_PATHS_H
#define RANKLEDGER_VALIDATE_PATHS_H

#include "path_list.h"
#include "validate_format.h"

/* Takes pieces of output in their order; called by one thread at a time. */
struct validate_sink {
    enum status (*write)(void *context, const char *data, size_t size, struct diag *diag);
    void *context;
};

struct validate_job {
    const struct path_list *paths;
    const struct validate_format *format;
    bool strict;       /* warnings make a document invalid */
    unsigned threads;  /* 0: one */
    size_t size_limit; /* of a file in bytes; 0: INPUT_DEFAULT_LIMIT */
    struct validate_sink sink;
};

/*
 * Checks every listed file and writes the documents' pieces (not begin and end) to the sink, in the
 * order of the list whatever the number of threads. Memory does not grow with the number of files:
 * threads run ahead of the output by a bounded number of batches, and a long output is written
 * piece by piece. Fails with what the sink returns, or STATUS_ENVIRONMENT.
 */
enum status validate_paths(const struct validate_job *job, struct validate_totals *totals,
                           struct diag *diag) STATUS_CHECKED;

/* Processors that this process may use, at most 16: more gain nothing, files come from one disk. */
unsigned validate_paths_default_threads(void);

#endif
