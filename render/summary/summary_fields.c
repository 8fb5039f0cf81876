#include "summary_fields.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "summary_labels.h"
#include "text.h"

/* ---- Single values ---- */

static const char *keep_text(struct summary_fields *fields, const char *text, size_t length)
{
    text_buffer_clear(&fields->buffer);
    text_redact(&fields->buffer, text, length);
    const char *kept = fields->buffer.failed ? NULL
                                             : arena_copy(fields->json.arena, fields->buffer.text,
                                                          fields->buffer.length);
    if (kept == NULL)
        json_fields_no_memory(&fields->json);
    return kept;
}

static const char *node_text(struct summary_fields *fields, uint32_t node)
{
    const struct json_read_document *document = fields->json.source.document;
    const struct json_read_node *found = &document->nodes[node];
    if ((found->flags & JSON_READ_ESCAPED) == 0)
        return keep_text(fields, document->text + found->offset, found->length);
    size_t capacity = (size_t)found->length + 1;
    char *decoded = malloc(capacity);
    if (decoded == NULL) {
        json_fields_no_memory(&fields->json);
        return NULL;
    }
    size_t length = json_read_string(document, node, decoded, capacity);
    const char *kept = keep_text(fields, decoded, length < capacity ? length : capacity - 1);
    free(decoded);
    return kept;
}

const char *summary_fields_text(struct summary_fields *fields, uint32_t object, const char *name)
{
    uint32_t node = json_fields_member(&fields->json, object, name, JSON_READ_STRING);
    return node == JSON_READ_NONE ? NULL : node_text(fields, node);
}

static const char *loose_text(struct summary_fields *fields, uint32_t object, const char *name)
{
    uint32_t node = json_fields_find(&fields->json, object, name);
    if (node == JSON_READ_NONE)
        return NULL;
    const struct json_read_document *document = fields->json.source.document;
    if (json_read_is(document, node, JSON_READ_STRING))
        return node_text(fields, node);
    return keep_text(fields, document->text + document->nodes[node].offset,
                     document->nodes[node].length);
}

static enum summary_answer answer(struct summary_fields *fields, uint32_t object, const char *name)
{
    if (json_fields_find(&fields->json, object, name) == JSON_READ_NONE)
        return SUMMARY_NOT_TOLD;
    return json_fields_flag(&fields->json, object, name) ? SUMMARY_YES : SUMMARY_NO;
}

/* ---- Fields of a structure ---- */

static void read_name(struct summary_fields *fields, uint32_t object, const char *name,
                      const char **target)
{
    uint32_t node = JSON_READ_NONE;
    fields->json.status = json_read_get_node(&fields->json.source, object, name, JSON_READ_STRING,
                                             JSON_READ_REQUIRED, &node, fields->json.diag);
    if (fields->json.status == STATUS_OK)
        *target = node_text(fields, node);
}

void summary_fields_read(struct summary_fields *fields, uint32_t object,
                         const struct summary_fields_row *rows, size_t count, void *target)
{
    for (size_t i = 0; i < count && fields->json.status == STATUS_OK; i++) {
        const struct summary_fields_row *row = &rows[i];
        void *place = (unsigned char *)target + row->offset;
        switch (row->kind) {
        case SUMMARY_FIELDS_NUMBER:
        case SUMMARY_FIELDS_AMOUNT:
            *(double *)place = row->kind == SUMMARY_FIELDS_AMOUNT
                                   ? json_fields_amount(&fields->json, object, row->name)
                                   : json_fields_number(&fields->json, object, row->name);
            break;
        case SUMMARY_FIELDS_TEXT:
            *(const char **)place = summary_fields_text(fields, object, row->name);
            break;
        case SUMMARY_FIELDS_NAME:
            read_name(fields, object, row->name, place);
            break;
        case SUMMARY_FIELDS_LOOSE:
            *(const char **)place = loose_text(fields, object, row->name);
            break;
        case SUMMARY_FIELDS_BOOL:
            *(bool *)place = json_fields_flag(&fields->json, object, row->name);
            break;
        case SUMMARY_FIELDS_ANSWER:
            *(enum summary_answer *)place = answer(fields, object, row->name);
            break;
        }
    }
}

void summary_fields_check_word(struct summary_fields *fields, uint32_t object, const char *name,
                               const char *text, const char *const *words)
{
    if (fields->json.status != STATUS_OK || text == NULL)
        return;
    for (size_t i = 0; words[i] != NULL; i++)
        if (strcmp(text, words[i]) == 0)
            return;
    fields->json.status = json_read_refuse(
        &fields->json.source, json_read_member(fields->json.source.document, object, name),
        fields->json.diag, "no summary of this format has this value");
}

/* ---- Lists ---- */

/* Room for the children of an array or object member; NULL and *node NONE if there are none. */
static void *children(struct summary_fields *fields, uint32_t object, const char *name,
                      enum json_read_type type, size_t size, uint32_t *node)
{
    *node = json_fields_member(&fields->json, object, name, type);
    uint32_t count =
        *node == JSON_READ_NONE ? 0 : json_read_count(fields->json.source.document, *node);
    void *items = count > 0 ? json_fields_take(&fields->json, count, size) : NULL;
    if (items == NULL)
        *node = JSON_READ_NONE;
    return items;
}

struct summary_texts summary_fields_texts(struct summary_fields *fields, uint32_t object,
                                          const char *name)
{
    uint32_t array;
    const char **items = children(fields, object, name, JSON_READ_ARRAY, sizeof *items, &array);
    size_t count = 0;
    for (uint32_t node = json_fields_first(&fields->json, array); node != JSON_READ_NONE;
         node = json_fields_next(&fields->json, array, node))
        if (json_fields_require(&fields->json, node, JSON_READ_STRING, "a text"))
            items[count++] = node_text(fields, node);
    return (struct summary_texts){items, count};
}

/* The numbers of an array; NONE has none. */
static struct summary_numbers numbers_of(struct summary_fields *fields, uint32_t array)
{
    struct summary_numbers numbers = {0};
    numbers.items = json_fields_numbers(&fields->json, array, &numbers.count);
    return numbers;
}

struct summary_numbers summary_fields_numbers(struct summary_fields *fields, uint32_t object,
                                              const char *name)
{
    return numbers_of(fields, json_fields_member(&fields->json, object, name, JSON_READ_ARRAY));
}

struct summary_samples summary_fields_samples(struct summary_fields *fields, uint32_t object,
                                              const char *name)
{
    uint32_t array;
    struct summary_numbers *ranks =
        children(fields, object, name, JSON_READ_ARRAY, sizeof *ranks, &array);
    size_t count = 0;
    for (uint32_t node = json_fields_first(&fields->json, array); node != JSON_READ_NONE;
         node = json_fields_next(&fields->json, array, node))
        if (json_fields_require(&fields->json, node, JSON_READ_ARRAY, "an array"))
            ranks[count++] = numbers_of(fields, node);
    return (struct summary_samples){ranks, count};
}

static struct summary_condition scalar(struct summary_fields *fields, uint32_t node,
                                       const char *name)
{
    struct summary_condition condition = {.name = name, .number = (double)NAN};
    const struct json_read_document *document = fields->json.source.document;
    if (json_read_is(document, node, JSON_READ_STRING))
        condition.text = node_text(fields, node);
    if (json_read_is(document, node, JSON_READ_NUMBER))
        condition.number = json_fields_element(&fields->json, node);
    if (json_read_is(document, node, JSON_READ_NUMBER) ||
        json_read_is(document, node, JSON_READ_TRUE) ||
        json_read_is(document, node, JSON_READ_FALSE))
        condition.text = keep_text(fields, document->text + document->nodes[node].offset,
                                   document->nodes[node].length);
    return condition;
}

struct summary_condition summary_fields_condition(struct summary_fields *fields, uint32_t object,
                                                  const char *name)
{
    return scalar(fields, json_fields_find(&fields->json, object, name), name);
}

struct summary_conditions summary_fields_conditions(struct summary_fields *fields, uint32_t object,
                                                    const char *name)
{
    uint32_t array;
    struct summary_condition *items =
        children(fields, object, name, JSON_READ_ARRAY, sizeof *items, &array);
    size_t count = 0;
    for (uint32_t node = json_fields_first(&fields->json, array); node != JSON_READ_NONE;
         node = json_fields_next(&fields->json, array, node))
        items[count++] = scalar(fields, node, name);
    return (struct summary_conditions){items, count};
}

struct summary_amounts summary_fields_amounts(struct summary_fields *fields, uint32_t object,
                                              const char *name)
{
    uint32_t members;
    struct summary_amount *items =
        children(fields, object, name, JSON_READ_OBJECT, sizeof *items, &members);
    size_t count = 0;
    for (uint32_t key = json_fields_first(&fields->json, members); key != JSON_READ_NONE;
         key = json_fields_next(&fields->json, members, key)) {
        items[count].name = node_text(fields, key);
        items[count].mb = json_fields_element(&fields->json, key + 1);
        count++;
    }
    return (struct summary_amounts){items, count};
}

const struct sentence_value *summary_fields_values(struct summary_fields *fields, uint32_t object,
                                                   const char *name, size_t *count)
{
    uint32_t members;
    struct sentence_value *items =
        children(fields, object, name, JSON_READ_OBJECT, sizeof *items, &members);
    *count = 0;
    for (uint32_t key = json_fields_first(&fields->json, members); key != JSON_READ_NONE;
         key = json_fields_next(&fields->json, members, key)) {
        struct sentence_value *item = &items[(*count)++];
        item->name = node_text(fields, key);
        if (json_read_is(fields->json.source.document, key + 1, JSON_READ_STRING))
            item->text = summary_labels_said(fields, node_text(fields, key + 1));
        else
            item->number = json_fields_element(&fields->json, key + 1);
    }
    return items;
}

struct summary_message summary_fields_message(struct summary_fields *fields, uint32_t object)
{
    struct summary_message message = {0};
    message.id = summary_fields_text(fields, object, "id");
    message.text = summary_fields_text(fields, object, "text");
    message.values = summary_fields_values(fields, object, "values", &message.value_count);
    return message;
}

static void read_message(struct summary_fields *fields, uint32_t node, void *element)
{
    *(struct summary_message *)element = summary_fields_message(fields, node);
}

const struct summary_message *summary_fields_messages(struct summary_fields *fields,
                                                      uint32_t object, const char *name,
                                                      size_t *count)
{
    return summary_fields_array(fields, object, name, sizeof(struct summary_message), count,
                                read_message);
}

void *summary_fields_array(struct summary_fields *fields, uint32_t object, const char *name,
                           size_t size, size_t *count,
                           void (*read)(struct summary_fields *, uint32_t, void *))
{
    uint32_t array;
    unsigned char *items = children(fields, object, name, JSON_READ_ARRAY, size, &array);
    *count = 0;
    for (uint32_t node = json_fields_first(&fields->json, array); node != JSON_READ_NONE;
         node = json_fields_next(&fields->json, array, node)) {
        if (!json_fields_require(&fields->json, node, JSON_READ_OBJECT, "an object"))
            break;
        read(fields, node, items + *count * size);
        (*count)++;
    }
    return items;
}
