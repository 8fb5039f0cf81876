#ifndef RANKLEDGER_SUMMARY_READER_H
#define RANKLEDGER_SUMMARY_READER_H

#include "arena.h"
#include "diag.h"
#include "input.h"
#include "json_read.h"
#include "record.h"
#include "text_buffer.h"

/*
 * Reads a summary (rankledger.summary/1) that another run wrote: by the commands that explain or
 * compare it. A member that is absent or null is NAN, NULL, JSON_READ_NONE; one of another type
 * than the format's is an error with its position, because what is read as absent would be passed
 * over silently. The first error stays in `status`, and later reads do nothing.
 */
struct summary_reader {
    const char *display; /* the document's name, safe to print */
    struct json_read_document json;
    struct json_read_source source;
    struct input_buffer input; /* its text, read from a file, */
    struct text_buffer text;   /* or written in memory */
    const char *broken;        /* why it is no JSON, safe to print; NULL: it is */
    struct arena *arena;       /* of texts and series; the caller's */
    enum status status;
    struct diag *diag;
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

double summary_reader_number(struct summary_reader *reader, uint32_t object, const char *name);
/* The same of what cannot be negative. */
double summary_reader_amount(struct summary_reader *reader, uint32_t object, const char *name);
/* As written, not escaped. */
const char *summary_reader_text(struct summary_reader *reader, uint32_t object, const char *name);
/* False where absent. */
bool summary_reader_flag(struct summary_reader *reader, uint32_t object, const char *name);
/* Below `limit`; -1 where absent. */
long summary_reader_index(struct summary_reader *reader, uint32_t object, const char *name,
                          size_t limit);
uint32_t summary_reader_member(struct summary_reader *reader, uint32_t object, const char *name,
                               enum json_read_type type);
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
