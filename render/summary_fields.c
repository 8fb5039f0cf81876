#include "summary_fields.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

void *summary_fields_take(struct summary_fields *fields, size_t count, size_t size)
{
    void *memory = arena_take_array(fields->arena, count + 1, size);
    if (memory == NULL && fields->status == STATUS_OK)
        fields->status = diag_no_memory(fields->diag);
    return memory;
}

static void no_memory(struct summary_fields *fields)
{
    if (fields->status == STATUS_OK)
        fields->status = diag_no_memory(fields->diag);
}

/* The member, with null as absent. */
static uint32_t member(const struct summary_fields *fields, uint32_t object, const char *name)
{
    if (fields->status != STATUS_OK)
        return JSON_READ_NONE;
    uint32_t node = json_read_member(fields->source.document, object, name);
    return json_read_is(fields->source.document, node, JSON_READ_NULL) ? JSON_READ_NONE : node;
}

/* ---- Single values ---- */

static const char *keep_text(struct summary_fields *fields, const char *text, size_t length)
{
    text_buffer_clear(&fields->buffer);
    text_redact(&fields->buffer, text, length);
    const char *kept = fields->buffer.failed
                           ? NULL
                           : arena_copy(fields->arena, fields->buffer.text, fields->buffer.length);
    if (kept == NULL)
        no_memory(fields);
    return kept;
}

static const char *node_text(struct summary_fields *fields, uint32_t node)
{
    const struct json_read_document *document = fields->source.document;
    const struct json_read_node *found = &document->nodes[node];
    if ((found->flags & JSON_READ_ESCAPED) == 0)
        return keep_text(fields, document->text + found->offset, found->length);
    size_t capacity = (size_t)found->length + 1;
    char *decoded = malloc(capacity);
    if (decoded == NULL) {
        no_memory(fields);
        return NULL;
    }
    size_t length = json_read_string(document, node, decoded, capacity);
    const char *kept = keep_text(fields, decoded, length < capacity ? length : capacity - 1);
    free(decoded);
    return kept;
}

const char *summary_fields_text(struct summary_fields *fields, uint32_t object, const char *name)
{
    uint32_t node = summary_fields_member(fields, object, name, JSON_READ_STRING);
    return node == JSON_READ_NONE ? NULL : node_text(fields, node);
}

static const char *loose_text(struct summary_fields *fields, uint32_t object, const char *name)
{
    uint32_t node = member(fields, object, name);
    if (node == JSON_READ_NONE)
        return NULL;
    const struct json_read_document *document = fields->source.document;
    if (json_read_is(document, node, JSON_READ_STRING))
        return node_text(fields, node);
    return keep_text(fields, document->text + document->nodes[node].offset,
                     document->nodes[node].length);
}

static double number(struct summary_fields *fields, uint32_t object, const char *name, bool amount)
{
    double value = (double)NAN;
    uint32_t node = member(fields, object, name);
    if (node == JSON_READ_NONE)
        return value;
    fields->status = json_read_get_double(&fields->source, object, name, JSON_READ_REQUIRED, &value,
                                          fields->diag);
    if (fields->status == STATUS_OK && amount && value < 0)
        fields->status =
            json_read_refuse(&fields->source, node, fields->diag, "expected no negative number");
    return value;
}

static bool boolean(struct summary_fields *fields, uint32_t object, const char *name)
{
    bool value = false;
    if (member(fields, object, name) != JSON_READ_NONE)
        fields->status = json_read_get_bool(&fields->source, object, name, JSON_READ_REQUIRED,
                                            &value, fields->diag);
    return value;
}

static enum summary_answer answer(struct summary_fields *fields, uint32_t object, const char *name)
{
    if (member(fields, object, name) == JSON_READ_NONE)
        return SUMMARY_NOT_TOLD;
    return boolean(fields, object, name) ? SUMMARY_YES : SUMMARY_NO;
}

uint32_t summary_fields_member(struct summary_fields *fields, uint32_t object, const char *name,
                               enum json_read_type type)
{
    uint32_t node = member(fields, object, name);
    if (node == JSON_READ_NONE)
        return node;
    fields->status = json_read_get_node(&fields->source, object, name, type, JSON_READ_REQUIRED,
                                        &node, fields->diag);
    return fields->status == STATUS_OK ? node : JSON_READ_NONE;
}

long summary_fields_index(struct summary_fields *fields, uint32_t object, const char *name,
                          size_t limit)
{
    int64_t value = -1;
    uint32_t node = member(fields, object, name);
    if (node == JSON_READ_NONE)
        return -1;
    fields->status = json_read_get_int64(&fields->source, object, name, JSON_READ_REQUIRED, &value,
                                         fields->diag);
    if (fields->status != STATUS_OK)
        return -1;
    if (value < 0 || (uint64_t)value >= limit || value > LONG_MAX) {
        fields->status = json_read_refuse(&fields->source, node, fields->diag,
                                          "expected an index below %zu", limit);
        return -1;
    }
    return (long)value;
}

/* ---- Fields of a structure ---- */

static void read_name(struct summary_fields *fields, uint32_t object, const char *name,
                      const char **target)
{
    uint32_t node = JSON_READ_NONE;
    fields->status = json_read_get_node(&fields->source, object, name, JSON_READ_STRING,
                                        JSON_READ_REQUIRED, &node, fields->diag);
    if (fields->status == STATUS_OK)
        *target = node_text(fields, node);
}

void summary_fields_read(struct summary_fields *fields, uint32_t object,
                         const struct summary_fields_row *rows, size_t count, void *target)
{
    for (size_t i = 0; i < count && fields->status == STATUS_OK; i++) {
        const struct summary_fields_row *row = &rows[i];
        void *place = (unsigned char *)target + row->offset;
        switch (row->kind) {
        case SUMMARY_FIELDS_NUMBER:
        case SUMMARY_FIELDS_AMOUNT:
            *(double *)place =
                number(fields, object, row->name, row->kind == SUMMARY_FIELDS_AMOUNT);
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
            *(bool *)place = boolean(fields, object, row->name);
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
    if (fields->status != STATUS_OK || text == NULL)
        return;
    for (size_t i = 0; words[i] != NULL; i++)
        if (strcmp(text, words[i]) == 0)
            return;
    fields->status =
        json_read_refuse(&fields->source, json_read_member(fields->source.document, object, name),
                         fields->diag, "no summary of this format has this value");
}

/* ---- Lists ---- */

/* Room for the children of an array or object member; NULL and *node NONE if there are none. */
static void *children(struct summary_fields *fields, uint32_t object, const char *name,
                      enum json_read_type type, size_t size, uint32_t *node)
{
    *node = summary_fields_member(fields, object, name, type);
    uint32_t count = *node == JSON_READ_NONE ? 0 : json_read_count(fields->source.document, *node);
    void *items = count > 0 ? summary_fields_take(fields, count, size) : NULL;
    if (items == NULL)
        *node = JSON_READ_NONE;
    return items;
}

static uint32_t first(const struct summary_fields *fields, uint32_t container)
{
    return container == JSON_READ_NONE ? JSON_READ_NONE
                                       : json_read_first(fields->source.document, container);
}

static uint32_t next(const struct summary_fields *fields, uint32_t container, uint32_t node)
{
    return fields->status != STATUS_OK ? JSON_READ_NONE
                                       : json_read_next(fields->source.document, container, node);
}

static bool require(struct summary_fields *fields, uint32_t node, enum json_read_type type,
                    const char *expected)
{
    if (!json_read_is(fields->source.document, node, type))
        fields->status = json_read_refuse(
            &fields->source, node, fields->diag, "expected %s, found %s", expected,
            json_read_type_name((enum json_read_type)fields->source.document->nodes[node].type));
    return fields->status == STATUS_OK;
}

static double element_number(struct summary_fields *fields, uint32_t node)
{
    double value = (double)NAN;
    if (!json_read_is(fields->source.document, node, JSON_READ_NULL) &&
        !json_read_double(fields->source.document, node, &value))
        fields->status =
            json_read_refuse(&fields->source, node, fields->diag, "expected a finite number");
    return value;
}

struct summary_texts summary_fields_texts(struct summary_fields *fields, uint32_t object,
                                          const char *name)
{
    uint32_t array;
    const char **items = children(fields, object, name, JSON_READ_ARRAY, sizeof *items, &array);
    size_t count = 0;
    for (uint32_t node = first(fields, array); node != JSON_READ_NONE;
         node = next(fields, array, node))
        if (require(fields, node, JSON_READ_STRING, "a text"))
            items[count++] = node_text(fields, node);
    return (struct summary_texts){items, count};
}

struct summary_numbers summary_fields_numbers(struct summary_fields *fields, uint32_t object,
                                              const char *name)
{
    uint32_t array;
    double *items = children(fields, object, name, JSON_READ_ARRAY, sizeof *items, &array);
    size_t count = 0;
    for (uint32_t node = first(fields, array); node != JSON_READ_NONE;
         node = next(fields, array, node))
        items[count++] = element_number(fields, node);
    return (struct summary_numbers){items, count};
}

/* The numbers of an array that was found. */
static struct summary_numbers array_numbers(struct summary_fields *fields, uint32_t array)
{
    uint32_t room = json_read_count(fields->source.document, array);
    double *items = summary_fields_take(fields, room, sizeof *items);
    size_t count = 0;
    for (uint32_t node = items == NULL ? JSON_READ_NONE : first(fields, array);
         node != JSON_READ_NONE; node = next(fields, array, node))
        items[count++] = element_number(fields, node);
    return (struct summary_numbers){items, count};
}

struct summary_samples summary_fields_samples(struct summary_fields *fields, uint32_t object,
                                              const char *name)
{
    uint32_t array;
    struct summary_numbers *ranks =
        children(fields, object, name, JSON_READ_ARRAY, sizeof *ranks, &array);
    size_t count = 0;
    for (uint32_t node = first(fields, array); node != JSON_READ_NONE;
         node = next(fields, array, node))
        if (require(fields, node, JSON_READ_ARRAY, "an array"))
            ranks[count++] = array_numbers(fields, node);
    return (struct summary_samples){ranks, count};
}

static struct summary_condition scalar(struct summary_fields *fields, uint32_t node,
                                       const char *name)
{
    struct summary_condition condition = {.name = name, .number = (double)NAN};
    const struct json_read_document *document = fields->source.document;
    if (json_read_is(document, node, JSON_READ_STRING))
        condition.text = node_text(fields, node);
    if (json_read_is(document, node, JSON_READ_NUMBER))
        condition.number = element_number(fields, node);
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
    return scalar(fields, member(fields, object, name), name);
}

struct summary_conditions summary_fields_conditions(struct summary_fields *fields, uint32_t object,
                                                    const char *name)
{
    uint32_t array;
    struct summary_condition *items =
        children(fields, object, name, JSON_READ_ARRAY, sizeof *items, &array);
    size_t count = 0;
    for (uint32_t node = first(fields, array); node != JSON_READ_NONE;
         node = next(fields, array, node))
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
    for (uint32_t key = first(fields, members); key != JSON_READ_NONE;
         key = next(fields, members, key)) {
        items[count].name = node_text(fields, key);
        items[count].mb = element_number(fields, key + 1);
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
    for (uint32_t key = first(fields, members); key != JSON_READ_NONE;
         key = next(fields, members, key)) {
        struct sentence_value *item = &items[(*count)++];
        item->name = node_text(fields, key);
        if (json_read_is(fields->source.document, key + 1, JSON_READ_STRING))
            item->text = node_text(fields, key + 1);
        else
            item->number = element_number(fields, key + 1);
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
    for (uint32_t node = first(fields, array); node != JSON_READ_NONE;
         node = next(fields, array, node)) {
        if (!require(fields, node, JSON_READ_OBJECT, "an object"))
            break;
        read(fields, node, items + *count * size);
        (*count)++;
    }
    return items;
}
