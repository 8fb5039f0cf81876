#include "json_read.h"

#include <string.h>

uint32_t json_read_member(const struct json_read_document *document, uint32_t object,
                          const char *name)
{
    if (!json_read_is(document, object, JSON_READ_OBJECT))
        return JSON_READ_NONE;
    const struct json_read_node *nodes = document->nodes;
    size_t length = strlen(name);
    for (uint32_t key = object + 1; key < nodes[object].end; key = nodes[key].end) {
        const struct json_read_node *node = &nodes[key];
        if ((node->flags & JSON_READ_ESCAPED) != 0
                ? json_read_equals(document, key, name)
                : node->length == length &&
                      memcmp(document->text + node->offset, name, length) == 0)
            return key + 1;
    }
    return JSON_READ_NONE;
}

static bool is_container(const struct json_read_document *document, uint32_t node)
{
    return json_read_is(document, node, JSON_READ_ARRAY) ||
           json_read_is(document, node, JSON_READ_OBJECT);
}

uint32_t json_read_first(const struct json_read_document *document, uint32_t container)
{
    if (!is_container(document, container) || document->nodes[container].hash == 0)
        return JSON_READ_NONE;
    return container + 1;
}

uint32_t json_read_next(const struct json_read_document *document, uint32_t container,
                        uint32_t node)
{
    if (container == JSON_READ_NONE || node == JSON_READ_NONE)
        return JSON_READ_NONE;
    uint32_t next = document->nodes[node].end;
    return next < document->nodes[container].end ? next : JSON_READ_NONE;
}

uint32_t json_read_count(const struct json_read_document *document, uint32_t container)
{
    return is_container(document, container) ? document->nodes[container].hash : 0;
}

const char *json_read_type_name(enum json_read_type type)
{
    switch (type) {
    case JSON_READ_NULL:
        return "null";
    case JSON_READ_FALSE:
        return "false";
    case JSON_READ_TRUE:
        return "true";
    case JSON_READ_NUMBER:
        return "a number";
    case JSON_READ_STRING:
        return "a string";
    case JSON_READ_ARRAY:
        return "an array";
    case JSON_READ_OBJECT:
        return "an object";
    }
    return "nothing";
}
