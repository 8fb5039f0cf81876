#ifndef RANKLEDGER_SUMMARY_READER_H
#define RANKLEDGER_SUMMARY_READER_H

#include "input.h"
#include "json_fields.h"
#include "record.h"
#include "text_buffer.h"

/*
 * Reads a summary (rankledger.summary/1) that another run wrote: by the commands that explain or
 * compare it. Members are read with `fields` (json_fields.h); texts, and what must be there, here.
 */
struct summary_reader {
    const char *display; /* the document's name, safe to print */
    struct json_read_document json;
    struct json_fields fields; /* of it; arena (of texts and series) and diag are the caller's */
    struct input_buffer input; /* its text, read from a file, */
    struct text_buffer text;   /* or written in memory */
    const char *broken;        /* why it is no JSON, safe to print; NULL: it is */
};

/*
 * Opens the file. *found is false, with STATUS_OK, if it is no summary of ours (any other JSON, or
 * none). STATUS_INPUT if it cannot be read, is one of another edition of the format, or repeats
 * keys. arena and diag are set before; the reader is for summary_reader_fini in every case.
 */
enum status summary_reader_open(struct summary_reader *reader, const char *path,
                                bool *found) STATUS_CHECKED;

/* The same of a summary in memory, whose text is moved into the reader. */
enum status summary_reader_take(struct summary_reader *reader, const char *display,
                                struct text_buffer *text) STATUS_CHECKED;

void summary_reader_fini(struct summary_reader *reader);

/* As written, not escaped. */
const char *summary_reader_text(struct summary_reader *reader, uint32_t object, const char *name);
/* A null among the numbers is NAN. */
struct series summary_reader_series(struct summary_reader *reader, uint32_t array);

/* The same for what no summary is without: its absence is the error. */
uint32_t summary_reader_need(struct summary_reader *reader, uint32_t object, const char *name,
                             enum json_read_type type);
const char *summary_reader_need_text(struct summary_reader *reader, uint32_t object,
                                     const char *name);

/* The `count` elements of an array of objects; NULL if an element is none, or there are none. */
const uint32_t *summary_reader_objects(struct summary_reader *reader, uint32_t array,
                                       size_t *count);

#endif
