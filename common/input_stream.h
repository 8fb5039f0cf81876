#ifndef RANKLEDGER_INPUT_STREAM_H
#define RANKLEDGER_INPUT_STREAM_H

#include "input.h"
#include "sha256.h"

/*
 * A file, a pipe or standard input piece by piece, in memory that does not grow with it. gzip data
 * (RFC 1952) are recognised by their first bytes, whatever the name, and come decompressed; members
 * that follow each other are one text. Zeroed is ready to open; used again for the next file it
 * keeps its memory; always input_stream_fini.
 */
struct input_stream {
    char name[1024]; /* for messages, safe to print */
    int descriptor;
    bool owned; /* to be closed: it is open, and not standard input */
    bool is_standard;
    int error_number;        /* why it was INPUT_FAULT_UNREADABLE */
    enum input_fault fault;  /* why a call returned STATUS_INPUT */
    size_t expected;         /* bytes of a regular file that is not compressed, or 0 */
    bool begun, ended;       /* reading */
    bool compressed;         /* known once something was read */
    bool wants_digest;       /* set before opening: `digest` is made if it is compressed */
    struct sha256 digest;    /* of the bytes as they lie */
    unsigned char position;  /* enum: in a member, between two, in the zeros behind the last */
    struct input_gzip *gzip; /* NULL until the first compressed file */
    struct input_buffer raw; /* compressed bytes */
    size_t raw_begin;        /* of what is not used yet */
    uint64_t raw_total;      /* compressed bytes read so far */
};

/* "-" is standard input. STATUS_INPUT with `fault` and diag naming path and reason. */
enum status input_stream_open(struct input_stream *stream, const char *path,
                              struct diag *diag) STATUS_CHECKED;

/*
 * Reads at most `size` bytes (two or more); *count is 0 at the end only. STATUS_INPUT as above,
 * after all bytes before the fault were given; STATUS_ENVIRONMENT if memory is exhausted.
 */
enum status input_stream_read(struct input_stream *stream, char *data, size_t size, size_t *count,
                              struct diag *diag) STATUS_CHECKED;

/* Appends all that is left to the buffer, a NUL behind it; STATUS_INPUT also if the buffer would
 * hold more than `limit` bytes. */
enum status input_stream_read_rest(struct input_stream *stream, struct input_buffer *buffer,
                                   size_t limit, struct diag *diag) STATUS_CHECKED;

/* The fault of what is larger than `limit` bytes; `what` is put before it ("the line is ", or "").
 */
enum status input_stream_refuse_size(struct input_stream *stream, const char *what, size_t limit,
                                     struct diag *diag);

/* SHA-256 of a compressed file's bytes as they lie, when all was read; false: it is none. */
bool input_stream_digest(struct input_stream *stream, char out[65]);

void input_stream_close(struct input_stream *stream);
void input_stream_fini(struct input_stream *stream);

#endif
