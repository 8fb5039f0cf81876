#include "json_write.h"

#include <math.h>
#include <string.h>

#include "json_write_mark.h"
#include "text.h"

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD in UTF-8 */

static void fail(struct json_write *writer, enum status status)
{
    if (writer->status == STATUS_OK)
        writer->status = status;
}

/* Relays a value; NULL, which jansson gives when memory is exhausted, fails the writer. */
static json_t *check(struct json_write *writer, json_t *value)
{
    if (value == NULL)
        fail(writer, STATUS_ENVIRONMENT);
    return value;
}

json_t *json_write_object(struct json_write *writer)
{
    return check(writer, json_object());
}

json_t *json_write_array(struct json_write *writer)
{
    return check(writer, json_array());
}

/* ---- Strings ---- */

static bool is_clean(const char *text, size_t length)
{
    uint32_t code = 0;
    for (size_t i = 0, size = 0; i < length; i += size) {
        size = text_decode(text + i, length - i, &code);
        if (size == 0 || code == 0)
            return false;
    }
    return true;
}

static void append_clean(struct text_buffer *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        uint32_t code = 0;
        size_t size = text_decode(text + i, length - i, &code);
        if (size == 0 || code == 0)
            text_buffer_puts(out, REPLACEMENT);
        else
            text_buffer_append(out, text + i, size);
        i += size > 0 ? size : 1;
    }
}

/* A string with a mark before it, so that json_write_text knows it. */
static json_t *make_marked(char kind, const char *text, size_t length)
{
    const char mark[2] = {JSON_WRITE_MARK, kind};
    struct text_buffer marked = {0};
    text_buffer_append(&marked, mark, sizeof mark);
    append_clean(&marked, text, length);
    json_t *value = marked.failed ? NULL : json_stringn_nocheck(marked.text, marked.length);
    text_buffer_fini(&marked);
    return value;
}

static json_t *make_string(const char *text, size_t length)
{
    if (length > 0 && text[0] == JSON_WRITE_MARK)
        return make_marked(JSON_WRITE_MARK_STRING, text, length);
    if (is_clean(text, length))
        return json_stringn_nocheck(length > 0 ? text : "", length);
    struct text_buffer clean = {0};
    append_clean(&clean, text, length);
    json_t *value = clean.failed ? NULL : json_stringn_nocheck(clean.text, clean.length);
    text_buffer_fini(&clean);
    return value;
}

json_t *json_write_string_n(struct json_write *writer, const char *text, size_t length)
{
    return check(writer, text != NULL ? make_string(text, length) : json_null());
}

json_t *json_write_string(struct json_write *writer, const char *text)
{
    return json_write_string_n(writer, text, text != NULL ? strlen(text) : 0);
}

/* ---- Other values ---- */

json_t *json_write_real(struct json_write *writer, double value)
{
    if (!isfinite(value)) {
        fail(writer, STATUS_BUG);
        return NULL;
    }
    /* -0 becomes 0 here: the sign of a zero says nothing about a measurement. */
    if (fabs(value) < 0x1p53 && value == trunc(value))
        return check(writer, json_integer((json_int_t)value));
    if (!writer->digits)
        return check(writer, json_real(value));
    char digits[32];
    text_number_exact(digits, sizeof digits, value);
    return check(writer, make_marked(JSON_WRITE_MARK_NUMBER, digits, strlen(digits)));
}

json_t *json_write_real_or_null(struct json_write *writer, double value)
{
    return isnan(value) ? json_write_null(writer) : json_write_real(writer, value);
}

json_t *json_write_integer(struct json_write *writer, int64_t value)
{
    return check(writer, json_integer(value));
}

json_t *json_write_bool(struct json_write *writer, bool value)
{
    return check(writer, json_boolean(value));
}

json_t *json_write_null(struct json_write *writer)
{
    return check(writer, json_null());
}

/* ---- Containers ---- */

void json_write_set(struct json_write *writer, json_t *object, const char *key, json_t *value)
{
    if (object == NULL || value == NULL) {
        fail(writer, STATUS_ENVIRONMENT);
        json_decref(value);
        return;
    }
    if (!json_is_object(object))
        fail(writer, STATUS_BUG);
    struct text_buffer clean = {0};
    if (!is_clean(key, strlen(key))) {
        append_clean(&clean, key, strlen(key));
        key = clean.text;
    }
    /* Takes the value in every case; fails on a NULL key too. */
    if (json_object_set_new_nocheck(object, clean.failed ? NULL : key, value) != 0)
        fail(writer, STATUS_ENVIRONMENT);
    text_buffer_fini(&clean);
}

void json_write_append(struct json_write *writer, json_t *array, json_t *value)
{
    if (array == NULL || value == NULL) {
        fail(writer, STATUS_ENVIRONMENT);
        json_decref(value);
        return;
    }
    if (!json_is_array(array))
        fail(writer, STATUS_BUG);
    if (json_array_append_new(array, value) != 0)
        fail(writer, STATUS_ENVIRONMENT);
}

/* ---- Copies of parsed documents ---- */

struct copying {
    struct json_write *writer;
    const struct json_read_document *document;
    struct text_buffer scratch; /* the string or key in work, decoded */
};

/* Decodes a string or key into the scratch; false if memory is exhausted. */
static bool decode_string(struct copying *copying, uint32_t node)
{
    /* One byte more than the raw text always suffices (json_read.h). */
    size_t capacity = (size_t)copying->document->nodes[node].length + 1;
    text_buffer_clear(&copying->scratch);
    text_buffer_fill(&copying->scratch, '\0', capacity);
    if (copying->scratch.failed)
        return false;
    copying->scratch.length =
        json_read_string(copying->document, node, copying->scratch.text, capacity);
    return true;
}

static json_t *copy_string(struct copying *copying, uint32_t node)
{
    if (!decode_string(copying, node))
        return NULL;
    return make_string(copying->scratch.text, copying->scratch.length);
}

static json_t *copy_number(struct copying *copying, uint32_t node)
{
    const struct json_read_node *number = &copying->document->nodes[node];
    const char *digits = copying->document->text + number->offset;
    int64_t value = 0;
    bool is_plain = (number->flags & JSON_READ_INTEGER) != 0 &&
                    json_read_int64(copying->document, node, &value) &&
                    !(value == 0 && digits[0] == '-'); /* "-0" keeps its sign */
    return is_plain ? json_integer(value)
                    : make_marked(JSON_WRITE_MARK_NUMBER, digits, number->length);
}

/* Recursive as jansson's own writer; the reader bounds the depth (JSON_READ_MAX_DEPTH). */
static json_t *copy_node(struct copying *copying, uint32_t node);

static json_t *copy_array(struct copying *copying, uint32_t node)
{
    json_t *array = json_write_array(copying->writer);
    for (uint32_t child = json_read_first(copying->document, node); child != JSON_READ_NONE;
         child = json_read_next(copying->document, node, child))
        json_write_append(copying->writer, array, copy_node(copying, child));
    return array;
}

static json_t *copy_object(struct copying *copying, uint32_t node)
{
    json_t *object = json_write_object(copying->writer);
    for (uint32_t key = json_read_first(copying->document, node); key != JSON_READ_NONE;
         key = json_read_next(copying->document, node, key)) {
        json_t *value = copy_node(copying, key + 1);
        /* The key only now: copying the value used the scratch. */
        if (decode_string(copying, key)) {
            json_write_set(copying->writer, object, copying->scratch.text, value);
        } else {
            fail(copying->writer, STATUS_ENVIRONMENT);
            json_decref(value);
        }
    }
    return object;
}

static json_t *copy_node(struct copying *copying, uint32_t node)
{
    switch ((enum json_read_type)copying->document->nodes[node].type) {
    case JSON_READ_NULL:
        return json_null();
    case JSON_READ_FALSE:
        return json_false();
    case JSON_READ_TRUE:
        return json_true();
    case JSON_READ_NUMBER:
        return copy_number(copying, node);
    case JSON_READ_STRING:
        return copy_string(copying, node);
    case JSON_READ_ARRAY:
        return copy_array(copying, node);
    case JSON_READ_OBJECT:
        return copy_object(copying, node);
    }
    return NULL;
}

json_t *json_write_copy(struct json_write *writer, const struct json_read_document *document,
                        uint32_t node)
{
    if (node == JSON_READ_NONE)
        return json_write_null(writer);
    struct copying copying = {.writer = writer, .document = document};
    json_t *value = check(writer, copy_node(&copying, node));
    text_buffer_fini(&copying.scratch);
    return value;
}
