#ifndef RANKLEDGER_OUTPUT_H
#define RANKLEDGER_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "diag.h"

/*
 * Writes a file beside its target, then renames it, so that a reader sees the old content or the
 * whole new one, and a failure (disk full, no permission) leaves what was there. Every error names
 * the path and the system's reason and is STATUS_ENVIRONMENT. "-" or NULL is standard output. A
 * target that exists and is no regular file (a device, a pipe such as /dev/stdout) is written
 * directly. The mode of an existing file is kept.
 */
enum status output_write_file(const char *path, const char *data, size_t size,
                              struct diag *diag) STATUS_CHECKED;

/* The same of `size` bytes that the open file `source` has from `offset` on, in little memory. */
enum status output_copy_file(const char *path, int source, off_t offset, size_t size,
                             struct diag *diag) STATUS_CHECKED;

/*
 * The same for a file that must not exist yet: it appears whole or not at all, and never replaces
 * one that appeared meanwhile (STATUS_ENVIRONMENT with *exists set).
 */
enum status output_write_new_file(const char *path, const char *data, size_t size, bool *exists,
                                  struct diag *diag) STATUS_CHECKED;

/* Writes all bytes to a descriptor, through short writes and EINTR. `name` is for the message. */
enum status output_write_descriptor(int descriptor, const char *name, const char *data, size_t size,
                                    struct diag *diag) STATUS_CHECKED;

#endif
