#ifndef RANKLEDGER_IMPORT_RUN_H
#define RANKLEDGER_IMPORT_RUN_H

#include "document.h"
#include "import_load.h"
#include "import_record.h"

/* What `import` is asked to do with every file. */
struct import_request {
    const struct import_format *format; /* NULL: recognised from the content */
    struct import_settings settings;
    json_t *calibrations; /* for the training records (import_calibration.h), owned; NULL: none */
    size_t size_limit;
};

/* One imported document. */
struct import_document {
    json_t *root;            /* owned */
    const char *path;        /* of its source, as given */
    size_t number;           /* which record of that source, from 1 */
    bool calibration;        /* rankledger.calibration/1, no evidence */
    size_t errors, warnings; /* what validation says of it */
};

/* Everything that one command imports. Zeroed (but for the request) is ready. */
struct import_batch {
    const struct import_request *request; /* borrowed */
    struct import_document *documents;
    size_t count, capacity;
    struct text_buffer notes; /* for standard error: warnings, what to type; safe to print */
    struct import_load load;
    struct document_reader reader;
};

/*
 * Imports one file ("-": standard input) and appends its documents and notes. STATUS_INPUT if it
 * cannot be read, is no known tool's output or holds nothing to import; STATUS_USAGE if the log
 * contradicts a setting.
 */
enum status import_run_file(struct import_batch *batch, const char *path,
                            struct diag *diag) STATUS_CHECKED;

/* The same of bytes in memory, as if they came from standard input. */
enum status import_run_bytes(struct import_batch *batch, const char *text, size_t size,
                             struct diag *diag) STATUS_CHECKED;

void import_run_fini(struct import_batch *batch);

#endif
