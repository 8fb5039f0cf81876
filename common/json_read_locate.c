#include "json_read.h"

#include <stdio.h>
#include <string.h>

#include "json_read_code.h"
#include "json_read_parser.h"
#include "text.h"

void json_read_locator_init(struct json_read_locator *locator,
                            const struct json_read_document *document)
{
    locator->document = document;
    locator->offset = document->has_bom ? 3 : 0;
    locator->line = locator->column = 1;
    locator->depth = 0;
}

/* Counts the begins of code points; a text that is not UTF-8 still gives a usable column. */
static size_t count_columns(const char *text, size_t size)
{
    size_t columns = 0;
    for (size_t i = 0; i < size; i++)
        columns += ((unsigned char)text[i] & 0xC0) != 0x80;
    return columns;
}

void json_read_locator_position(struct json_read_locator *locator, size_t offset, size_t *line,
                                size_t *column)
{
    const struct json_read_document *document = locator->document;
    if (offset > document->size)
        offset = document->size;
    if (offset < locator->offset) {
        locator->offset = document->has_bom ? 3 : 0;
        locator->line = locator->column = 1;
    }
    while (locator->offset < offset) {
        const char *text = document->text + locator->offset;
        const char *line_feed = memchr(text, '\n', offset - locator->offset);
        if (line_feed == NULL) {
            locator->column += count_columns(text, offset - locator->offset);
            locator->offset = offset;
        } else {
            locator->line++;
            locator->column = 1;
            locator->offset += (size_t)(line_feed + 1 - text);
        }
    }
    *line = locator->line;
    *column = locator->column;
}

/* Leaves what does not contain `node` or has gone past it, then goes down to it. */
static void walk_to(struct json_read_locator *locator, uint32_t node)
{
    const struct json_read_node *nodes = locator->document->nodes;
    struct json_read_step *steps = locator->steps;
    while (locator->depth > 0 && (node < steps[locator->depth - 1].child ||
                                  node >= nodes[steps[locator->depth - 1].container].end))
        locator->depth--;
    uint32_t container = 0;
    if (locator->depth > 0) {
        struct json_read_step *last = &steps[locator->depth - 1];
        for (; node >= nodes[last->child].end; last->index++)
            last->child = nodes[last->child].end;
        container = last->child;
    }
    while (node != container) {
        if ((nodes[container].flags & JSON_READ_KEY) != 0) { /* on to the value */
            container++;
            continue;
        }
        struct json_read_step *step = &steps[locator->depth++];
        *step = (struct json_read_step){container, container + 1, 0};
        for (; node >= nodes[step->child].end; step->index++)
            step->child = nodes[step->child].end;
        container = step->child;
    }
}

struct pointer_text {
    char bytes[4096];
    size_t length;
    size_t limit; /* what goes beyond need not be written */
};

static void add_bytes(struct pointer_text *pointer, const char *bytes, size_t length)
{
    if (length > sizeof pointer->bytes - pointer->length)
        length = sizeof pointer->bytes - pointer->length;
    memcpy(pointer->bytes + pointer->length, bytes, length);
    pointer->length += length;
}

static void add_name(struct pointer_text *pointer, const struct json_read_document *document,
                     const struct json_read_node *key)
{
    const char *text = document->text + key->offset, *end = text + key->length;
    while (text < end && pointer->length < pointer->limit) {
        uint32_t code;
        char bytes[4];
        text = json_read_code_next(text, end, &code);
        if (code >= 0xD800 && code <= 0xDFFF)
            code = 0xFFFD;
        if (code == '~')
            add_bytes(pointer, "~0", 2);
        else if (code == '/')
            add_bytes(pointer, "~1", 2);
        else
            add_bytes(pointer, bytes, json_read_code_write(code, bytes));
    }
}

void json_read_locator_write(const struct json_read_locator *locator, char *out, size_t capacity)
{
    const struct json_read_document *document = locator->document;
    struct pointer_text pointer;
    pointer.length = 0;
    pointer.limit = capacity < sizeof pointer.bytes ? capacity : sizeof pointer.bytes;
    for (uint32_t i = 0; i < locator->depth && pointer.length < pointer.limit; i++) {
        const struct json_read_step *step = &locator->steps[i];
        add_bytes(&pointer, "/", 1);
        if (document->nodes[step->container].type == JSON_READ_OBJECT) {
            add_name(&pointer, document, &document->nodes[step->child]);
        } else {
            char digits[16];
            int length = snprintf(digits, sizeof digits, "%u", (unsigned)step->index);
            add_bytes(&pointer, digits, (size_t)length);
        }
    }
    text_escape_into(out, pointer.limit, pointer.bytes, pointer.length);
}

void json_read_locator_pointer(struct json_read_locator *locator, uint32_t node, char *out,
                               size_t capacity)
{
    if (node == JSON_READ_NONE)
        locator->depth = 0;
    else
        walk_to(locator, node);
    json_read_locator_write(locator, out, capacity);
}

void json_read_position(const struct json_read_document *document, size_t offset, size_t *line,
                        size_t *column)
{
    struct json_read_locator locator;
    json_read_locator_init(&locator, document);
    json_read_locator_position(&locator, offset, line, column);
}

void json_read_pointer(const struct json_read_document *document, uint32_t node, char *out,
                       size_t capacity)
{
    struct json_read_locator locator;
    json_read_locator_init(&locator, document);
    json_read_locator_pointer(&locator, node, out, capacity);
}
