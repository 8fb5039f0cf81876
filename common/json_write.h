#ifndef RANKLEDGER_JSON_WRITE_H
#define RANKLEDGER_JSON_WRITE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "json_read.h"
#include "text_buffer.h"

/*
 * Building and writing documents with jansson, checked. Every `set` and `append` takes ownership
 * of `value`; a NULL value (memory exhausted, or a number that is not finite) makes the writer
 * fail once and visibly instead of dropping the member silently: json_write_text reports it.
 *
 *     struct json_write writer = {0};
 *     json_t *object = json_write_object(&writer);
 *     json_write_set(&writer, object, "throughput", json_write_real(&writer, 456000));
 *
 * A NULL container is tolerated everywhere, so that a caller checks `writer.status` once.
 */
struct json_write {
    enum status status; /* first failure */
    bool digits;        /* reals stand in the tree as their digits, as those of json_write_copy do:
                           for large documents, which are written once and never read back */
};

json_t *json_write_object(struct json_write *writer);
json_t *json_write_array(struct json_write *writer);
void json_write_set(struct json_write *writer, json_t *object, const char *key, json_t *value);
void json_write_append(struct json_write *writer, json_t *array, json_t *value);

/* A number; not finite is STATUS_BUG. An integral value below 2^53 is written without a point,
 * any other with the shortest digits that read back as the same double. */
json_t *json_write_real(struct json_write *writer, double value);
/* As json_write_real, and NaN ("not measured") is null. */
json_t *json_write_real_or_null(struct json_write *writer, double value);
json_t *json_write_integer(struct json_write *writer, int64_t value);
json_t *json_write_bool(struct json_write *writer, bool value);
json_t *json_write_null(struct json_write *writer);
/* A string; invalid UTF-8 bytes and NUL are replaced by U+FFFD (in keys too). NULL text gives null.
 * Strings go into a tree through these functions only, never through json_string. */
json_t *json_write_string(struct json_write *writer, const char *text);
json_t *json_write_string_n(struct json_write *writer, const char *text, size_t length);

/*
 * A copy of a parsed subtree (null for JSON_READ_NONE). Numbers keep the digits of the input,
 * however many, although jansson's own integers have 64 bits: a number that is no 64-bit integer
 * stands in the tree as a string that json_write_text recognises and writes as the number it is.
 * Such a tree is for writing, not for reading back with jansson's getters.
 */
json_t *json_write_copy(struct json_write *writer, const struct json_read_document *document,
                        uint32_t node);

/*
 * Appends the document as text: keys sorted, indented by two, one newline at the end. Releases
 * nothing. Fails with the writer's status, or STATUS_ENVIRONMENT.
 */
enum status json_write_text(struct json_write *writer, const json_t *root, struct text_buffer *out,
                            struct diag *diag) STATUS_CHECKED;

/* The same, and releases the tree, whatever it returns; for large documents, for it is gone before
 * the text is complete. */
enum status json_write_text_take(struct json_write *writer, json_t *root, struct text_buffer *out,
                                 struct diag *diag) STATUS_CHECKED;

/* json_write_text and output_write_file (output.h). */
enum status json_write_file(struct json_write *writer, const json_t *root, const char *path,
                            struct diag *diag) STATUS_CHECKED;

#endif
