#include "json_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

#define POINTER_CAPACITY 256

static enum status refuse_at(const struct json_read_source *source, size_t offset,
                             const char *pointer, const char *message, struct diag *diag)
{
    size_t line, column;
    json_read_position(source->document, offset, &line, &column);
    return diag_set(diag, STATUS_INPUT, "%s:%zu:%zu: error: %s%s%s", source->path, line, column,
                    pointer, *pointer == '\0' ? "" : ": ", message);
}

enum status json_read_refuse(const struct json_read_source *source, uint32_t node,
                             struct diag *diag, const char *format, ...)
{
    char pointer[POINTER_CAPACITY], message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    json_read_pointer(source->document, node, pointer, sizeof pointer);
    size_t offset = node == JSON_READ_NONE ? 0 : source->document->nodes[node].offset;
    return refuse_at(source, offset, pointer, message, diag);
}

/* What a message says about a value: small ones are shown as they were written. */
static void describe(const struct json_read_document *document, uint32_t node, char *out,
                     size_t capacity)
{
    const struct json_read_node *value = &document->nodes[node];
    const char *text = document->text + value->offset;
    char shown[64];
    if (value->type == JSON_READ_NUMBER)
        snprintf(out, capacity, "%s", text_escape_into(shown, sizeof shown, text, value->length));
    else if (value->type == JSON_READ_STRING)
        snprintf(out, capacity, "the text \"%s\"",
                 text_escape_into(shown, sizeof shown, text, value->length));
    else
        snprintf(out, capacity, "%s", json_read_type_name((enum json_read_type)value->type));
}

static enum status refuse_value(const struct json_read_source *source, uint32_t node,
                                const char *expected, struct diag *diag)
{
    char found[128];
    describe(source->document, node, found, sizeof found);
    return json_read_refuse(source, node, diag, "expected %s, found %s", expected, found);
}

/* The member, or JSON_READ_NONE with STATUS_OK if it may be absent and is. */
static enum status find(const struct json_read_source *source, uint32_t object, const char *name,
                        enum json_read_presence presence, uint32_t *node, struct diag *diag)
{
    *node = JSON_READ_NONE;
    if (object != JSON_READ_NONE && !json_read_is(source->document, object, JSON_READ_OBJECT))
        return refuse_value(source, object, "an object", diag);
    *node = json_read_member(source->document, object, name);
    if (*node == JSON_READ_NONE && presence == JSON_READ_REQUIRED) {
        char shown[128];
        text_escape_into(shown, sizeof shown, name, strlen(name));
        return json_read_refuse(source, object, diag, "expected a member \"%s\", found none",
                                shown);
    }
    return STATUS_OK;
}

enum status json_read_get_double(const struct json_read_source *source, uint32_t object,
                                 const char *name, enum json_read_presence presence, double *value,
                                 struct diag *diag)
{
    uint32_t node;
    enum status status = find(source, object, name, presence, &node, diag);
    if (status != STATUS_OK || node == JSON_READ_NONE)
        return status;
    if (!json_read_double(source->document, node, value))
        return refuse_value(source, node, "a number that a double can hold", diag);
    return STATUS_OK;
}

enum status json_read_get_int64(const struct json_read_source *source, uint32_t object,
                                const char *name, enum json_read_presence presence, int64_t *value,
                                struct diag *diag)
{
    uint32_t node;
    enum status status = find(source, object, name, presence, &node, diag);
    if (status != STATUS_OK || node == JSON_READ_NONE)
        return status;
    if (!json_read_int64(source->document, node, value))
        return refuse_value(source, node, "an integer of at most 64 bits", diag);
    return STATUS_OK;
}

enum status json_read_get_bool(const struct json_read_source *source, uint32_t object,
                               const char *name, enum json_read_presence presence, bool *value,
                               struct diag *diag)
{
    uint32_t node;
    enum status status = find(source, object, name, presence, &node, diag);
    if (status != STATUS_OK || node == JSON_READ_NONE)
        return status;
    bool yes = json_read_is(source->document, node, JSON_READ_TRUE);
    if (!yes && !json_read_is(source->document, node, JSON_READ_FALSE))
        return refuse_value(source, node, "true or false", diag);
    *value = yes;
    return STATUS_OK;
}

enum status json_read_get_node(const struct json_read_source *source, uint32_t object,
                               const char *name, enum json_read_type type,
                               enum json_read_presence presence, uint32_t *node, struct diag *diag)
{
    uint32_t found;
    enum status status = find(source, object, name, presence, &found, diag);
    if (status != STATUS_OK || found == JSON_READ_NONE)
        return status;
    if (!json_read_is(source->document, found, type))
        return refuse_value(source, found, json_read_type_name(type), diag);
    *node = found;
    return STATUS_OK;
}

/* The first node with a semantic fault, and only that one: a file with one right form is refused.
 */
static enum status refuse_flagged(const struct json_read_source *source, struct diag *diag)
{
    static const struct {
        unsigned flag;
        const char *message;
    } rows[] = {
        {JSON_READ_DUPLICATE_KEY, "the name occurs twice in its object"},
        {JSON_READ_NUL_IN_STRING, "the text contains a NUL character (\\u0000)"},
        {JSON_READ_LONE_SURROGATE, "the text contains half of a surrogate pair"},
        {JSON_READ_NUMBER_OUT_OF_RANGE, "the number is larger than a double can hold"},
    };
    for (uint32_t node = 0; node < source->document->count; node++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            if ((source->document->nodes[node].flags & rows[i].flag) != 0)
                return json_read_refuse(source, node, diag, "%s", rows[i].message);
    return STATUS_OK;
}

enum status json_read_parse_strict(struct json_read_document *document, const char *path,
                                   const char *text, size_t size, struct diag *diag)
{
    struct json_read_fault fault;
    struct json_read_source source = {document, path};
    enum status status = json_read_parse(document, text, size, &fault, diag);
    if (status == STATUS_INPUT)
        return refuse_at(&source, fault.offset, fault.pointer, fault.message, diag);
    if (status != STATUS_OK)
        return status;
    unsigned refused = JSON_READ_DUPLICATE_KEY | JSON_READ_NUL_IN_STRING |
                       JSON_READ_LONE_SURROGATE | JSON_READ_NUMBER_OUT_OF_RANGE;
    return (document->flags & refused) == 0 ? STATUS_OK : refuse_flagged(&source, diag);
}
