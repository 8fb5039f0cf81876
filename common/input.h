#ifndef RANKLEDGER_INPUT_H
#define RANKLEDGER_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"

/* Whole files into a buffer that is reused from file to file; zeroed is ready, safe to fini. */
struct input_buffer {
    char *data;
    size_t size;
    size_t capacity;
};

#define INPUT_DEFAULT_LIMIT ((size_t)64 << 20)

enum input_fault {
    INPUT_FAULT_NONE,
    INPUT_FAULT_UNREADABLE,  /* does not exist, no permission, read error */
    INPUT_FAULT_NOT_REGULAR, /* a directory, device or socket (pipes and "-" are read) */
    INPUT_FAULT_TOO_LARGE,   /* above `limit` bytes */
    INPUT_FAULT_GZIP_TRUNCATED,
    INPUT_FAULT_GZIP_DAMAGED,
    INPUT_FAULT_GZIP_TRAILING /* something else behind the compressed data */
};

/*
 * Reads the file (or standard input for "-"); gzip data are decompressed, whatever the name, and
 * `limit` is that of the decompressed bytes. STATUS_INPUT with diag naming path and reason, and
 * *fault set, if it cannot be read; STATUS_ENVIRONMENT if memory is exhausted.
 */
enum status input_read_file(struct input_buffer *buffer, const char *path, size_t limit,
                            enum input_fault *fault, struct diag *diag) STATUS_CHECKED;

/*
 * The short way to a regular file of less than 64 KiB that is not compressed: open, one read,
 * close. False if it is not that simple (then input_read_file finds out why, and says so). For
 * readers of very many files, to whom each system call counts.
 */
bool input_read_small(struct input_buffer *buffer, int directory, const char *name, size_t limit);

/* Room for `size` bytes and a NUL after them. STATUS_ENVIRONMENT if there is none. */
enum status input_buffer_reserve(struct input_buffer *buffer, size_t size,
                                 struct diag *diag) STATUS_CHECKED;

void input_fini(struct input_buffer *buffer);

#endif
