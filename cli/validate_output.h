#ifndef RANKLEDGER_VALIDATE_OUTPUT_H
#define RANKLEDGER_VALIDATE_OUTPUT_H

#include "validate_paths.h"

/*
 * Where the output of `validate` goes: to standard output piece by piece or, where a file is asked
 * for or the totals come first, into an anonymous file until it is complete. Zeroed, then
 * validate_output_open; always validate_output_fini.
 */
struct validate_output {
    const struct validate_format *format;
    const char *path; /* NULL or "-": standard output */
    int spool;        /* descriptor of the anonymous file, or -1 */
    size_t size;      /* bytes in it, from VALIDATE_OUTPUT_HEADER on */
};

enum status validate_output_open(struct validate_output *output,
                                 const struct validate_format *format, const char *path,
                                 struct diag *diag) STATUS_CHECKED;

/* The sink for validate_paths; `context` is the output. */
enum status validate_output_write(void *context, const char *data, size_t size,
                                  struct diag *diag) STATUS_CHECKED;

/* Writes the end and, where it was spooled, the whole; a file appears complete or not at all. */
enum status validate_output_close(struct validate_output *output,
                                  const struct validate_totals *totals,
                                  struct diag *diag) STATUS_CHECKED;

void validate_output_fini(struct validate_output *output);

#endif
