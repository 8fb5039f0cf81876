#ifndef RANKLEDGER_VALIDATE_PATHS_H
#define RANKLEDGER_VALIDATE_PATHS_H

#include "path_walk.h"
#include "progress_line.h"
#include "validate_format.h"

/* Takes pieces of output in their order; called by one thread at a time. */
struct validate_sink {
    enum status (*write)(void *context, const char *data, size_t size, struct diag *diag);
    void *context;
};

struct validate_job {
    const struct validate_format *format;
    bool strict;       /* warnings make a document invalid */
    unsigned threads;  /* 0: one; the caller's counts */
    size_t size_limit; /* of a file in bytes; 0: INPUT_DEFAULT_LIMIT */
    struct validate_sink sink;
    struct progress_line *progress; /* NULL: none is shown */
};

/*
 * A run over many files: paths are added while threads already check the earlier ones. Every
 * document's piece (not begin and end) goes to the sink in the order of the paths, whatever the
 * number of threads. Memory does not grow with the number of files: threads run ahead of the output
 * by a bounded number of batches, adding waits or helps while they are full, and a long output is
 * written piece by piece.
 */
struct validate_run;

/* The job must live as long as the run. */
enum status validate_paths_begin(const struct validate_job *job, struct validate_run **run,
                                 struct diag *diag) STATUS_CHECKED;

/* Adds a file; a path_walk_visit whose context is the run. Fails with what the sink returned, or
 * STATUS_ENVIRONMENT. */
enum status validate_paths_add(void *run, const struct path_entry *entry,
                               struct diag *diag) STATUS_CHECKED;

/* Checks what is left, waits for all threads and releases the run, also after a failure. */
enum status validate_paths_end(struct validate_run *run, struct validate_totals *totals,
                               struct diag *diag) STATUS_CHECKED;

/* Processors that this process may use, at most 16: more gain nothing, files come from one disk. */
unsigned validate_paths_default_threads(void);

#endif
