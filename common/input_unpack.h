#ifndef RANKLEDGER_INPUT_UNPACK_H
#define RANKLEDGER_INPUT_UNPACK_H

#include "input_gzip.h"
#include "input_stream.h"

/* The decompressing half of input_stream.h, used by input_stream.c alone. */

/* The bytes read first are gzip data; they are taken over. */
enum status input_unpack_begin(struct input_stream *stream, const char *data, size_t size,
                               struct diag *diag) STATUS_CHECKED;

/* As input_stream_read. */
enum status input_unpack_read(struct input_stream *stream, char *data, size_t size, size_t *count,
                              struct diag *diag) STATUS_CHECKED;

/* The file's own bytes (input_stream.c); *count is 0 at the end. */
enum status input_unpack_fill(struct input_stream *stream, char *data, size_t size, size_t *count,
                              struct diag *diag) STATUS_CHECKED;

#endif
