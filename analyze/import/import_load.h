#ifndef RANKLEDGER_IMPORT_LOAD_H
#define RANKLEDGER_IMPORT_LOAD_H

#include "diag.h"
#include "import_scan.h"
#include "input.h"
#include "text_buffer.h"

/* A log in memory; reused from file to file. Zeroed is ready, safe to fini. */
struct import_load {
    struct import_source source; /* points into what follows */
    char sha256[65];             /* of the file's bytes */
    size_t bytes;
    struct text_buffer path;
    struct input_buffer input;
    struct text_buffer python; /* the text with Python's tokens as strings */
    struct json_read_document json;
    char fault[600];
};

/*
 * Reads a file ("-": standard input) of at most `limit` bytes. STATUS_INPUT, with a message that
 * says what it is, if it is unreadable, too large, empty, UTF-16 or no text.
 */
enum status import_load_file(struct import_load *load, const char *path, size_t limit,
                             struct diag *diag) STATUS_CHECKED;

/* The same of `size` bytes in memory, as if they came from standard input; they are copied. */
enum status import_load_bytes(struct import_load *load, const char *text, size_t size,
                              struct diag *diag) STATUS_CHECKED;

void import_load_fini(struct import_load *load);

#endif
