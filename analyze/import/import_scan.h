#ifndef RANKLEDGER_IMPORT_SCAN_H
#define RANKLEDGER_IMPORT_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "json_read.h"

/*
 * Reading another tool's text: the file, its lines, and numbers in a line. Nothing here allocates
 * or depends on the locale.
 */

/* One log as the importers see it. */
struct import_source {
    const char *path; /* as given, safe to print; "<stdin>" for "-" */
    const char *file; /* as given, to find what lies beside it; NULL for "-" */
    /* The file's text, a NUL behind it. Terminal escape sequences, NUL bytes and a byte order mark
     * are taken out; line ends are as they were, so that line n is the file's line n. It may be
     * anything else: no UTF-8, a line of any length. */
    const char *text;
    size_t size;
    /* The text as a JSON document, NULL if it is none. Python's NaN, Infinity and -Infinity are
     * read as the strings "NaN", "Infinity", "-Infinity": import_scan_json_number. */
    const struct json_read_document *json;
    const char *json_fault; /* "LINE:COLUMN: ...", safe to print: why a text that begins with a
                               brace is no JSON (a job killed while it wrote); else NULL */
};

/*
 * A part of a line. `cut`: the file ends where it ends, without a line end, so that what stands
 * last may have lost digits: a number that reaches the end of such a span is not read.
 */
struct import_span {
    const char *text; /* not NUL-terminated */
    size_t length;
    bool cut;
};

struct import_line {
    struct import_span span; /* without the line end */
    size_t number;           /* from 1 */
};

/* Walks a source: `struct import_cursor lines = {.source = source};`, again to go through it once
 * more. */
struct import_cursor {
    const struct import_source *source;
    size_t offset; /* of what comes next */
    size_t number; /* of the line before */
    bool inside;   /* what comes next belongs to the line before */
};

/* The next line in *line; false after the last. A line that a progress bar overwrites (parts
 * separated by bare carriage returns) comes part by part, all with its number. */
bool import_scan_next(struct import_cursor *cursor, struct import_line *line);

/* How many lines have `word` in them, but at most `most`; for `matches`. */
unsigned import_scan_count(const struct import_source *source, const char *word, unsigned most);

/*
 * The functions below look at *rest from its beginning, and on success move it behind what they
 * read; otherwise they return false and leave everything as it was. Blanks and tabs before what
 * they look for are passed over.
 */

/* Goes behind the first `word`, wherever it is. */
bool import_scan_find(struct import_span *rest, const char *word);

/* Goes behind `word` if it stands next. */
bool import_scan_skip(struct import_span *rest, const char *word);

/* The next blank-separated word; false at the end. */
bool import_scan_word(struct import_span *rest, struct import_span *word);

/*
 * A decimal number: sign, digits, point, exponent. Also nan, inf and infinity in any case, signed,
 * as C, Python and C++ print them (then *value is not finite: test it before it goes into a
 * record). What follows it may be anything ("59.65GB").
 */
bool import_scan_number(struct import_span *rest, double *value);

/* The same with commas between thousands: "5,856". */
bool import_scan_grouped(struct import_span *rest, double *value);

/* A whole number, not negative. */
bool import_scan_count_of(struct import_span *rest, double *value);

/* The number behind the first `label` in the span ("loss:", "SamplesPerSec="), which stays as it
 * is. */
bool import_scan_labelled(const struct import_span *span, const char *label, double *value);

/* How a tool means KB, MB, GB, TB: many print "GB" for 2^30. With an i (GiB) it is always 2^30. */
enum import_scan_units { IMPORT_SCAN_DECIMAL, IMPORT_SCAN_BINARY };

/* A number and its unit, "59.65GB", "49.66 GiB", "237 MiB", "512 bytes", in bytes. */
bool import_scan_size(struct import_span *rest, enum import_scan_units units, double *bytes);

/*
 * Takes off what launchers put before a line: "[rank0]:", "[default0]:", "[trainer3]:" (torchrun),
 * " 12: " (srun --label), "[1,0]<stdout>:" (mpirun --tag-output), and says which rank's it is.
 */
bool import_scan_rank(struct import_span *rest, double *rank);

/* Whether the span's text begins with, or is, `text`. No blanks are passed over. */
bool import_scan_begins(const struct import_span *span, const char *text);
bool import_scan_is(const struct import_span *span, const char *text);

/* Without blanks at both ends. */
struct import_span import_scan_trim(struct import_span span);

/* A number of the JSON document; "NaN", "Infinity", "-Infinity" are numbers that are not finite.
 * False for anything else, and for JSON_READ_NONE. */
bool import_scan_json_number(const struct json_read_document *json, uint32_t node, double *value);

/* The line of a node of the source's JSON document; costs time in proportion to what precedes. */
size_t import_scan_json_line(const struct json_read_document *json, uint32_t node);

#endif
