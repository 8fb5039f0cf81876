#include "summary_reader.h"

#include <math.h>
#include <string.h>

#include "text.h"

#define SCHEMA "rankledger.summary/1"
#define SCHEMA_STEM "rankledger.summary/"
/* A summary repeats its sources, so that it may be larger than any of them. */
#define SIZE_LIMIT ((size_t)1 << 30)

/* ---- opening ---- */

static void schema_of(const struct json_read_document *json, char *text, size_t capacity)
{
    uint32_t root = json_read_is(json, 0, JSON_READ_OBJECT) ? 0 : JSON_READ_NONE;
    uint32_t schema = json_read_member(json, root, "schema");
    text[0] = '\0';
    if (json->count > 0 && json_read_is(json, schema, JSON_READ_STRING))
        json_read_string(json, schema, text, capacity);
}

static enum status check(struct summary_reader *reader, const char *schema)
{
    const uint8_t faults = JSON_READ_DUPLICATE_KEY | JSON_READ_NUL_IN_STRING |
                           JSON_READ_LONE_SURROGATE | JSON_READ_NUMBER_OUT_OF_RANGE;
    char shown[80];
    if (strcmp(schema, SCHEMA) != 0)
        return diag_set(reader->fields.diag, STATUS_INPUT,
                        "%s: written in the format %s by another edition of the program; this one "
                        "(" RANKLEDGER_VERSION ") knows " SCHEMA,
                        reader->display,
                        text_escape_into(shown, sizeof shown, schema, strlen(schema)));
    if ((reader->json.flags & faults) != 0)
        return diag_set(reader->fields.diag, STATUS_INPUT,
                        "%s: not a sound summary: it repeats a key or holds a text or number that "
                        "cannot be; rankledger validate says where",
                        reader->display);
    reader->fields.source = (struct json_read_source){&reader->json, reader->display};
    return STATUS_OK;
}

static const char *escaped(struct arena *arena, const char *text)
{
    struct text_buffer safe = {0};
    text_escape(&safe, text, strlen(text));
    const char *copy = safe.failed ? NULL : arena_copy(arena, safe.text, safe.length);
    text_buffer_fini(&safe);
    return copy;
}

enum status summary_reader_open(struct summary_reader *reader, const char *path, bool *found)
{
    struct json_read_fault json_fault;
    enum input_fault fault;
    char schema[64];
    *found = false;
    reader->display = escaped(reader->fields.arena, path);
    if (reader->display == NULL)
        return reader->fields.status = diag_no_memory(reader->fields.diag);
    reader->fields.status =
        input_read_file(&reader->input, path, SIZE_LIMIT, &fault, reader->fields.diag);
    if (reader->fields.status != STATUS_OK)
        return reader->fields.status;
    enum status status = json_read_parse(&reader->json, reader->input.data, reader->input.size,
                                         &json_fault, reader->fields.diag);
    if (status == STATUS_INPUT) { /* no JSON: no summary */
        reader->broken =
            arena_copy(reader->fields.arena, json_fault.message, strlen(json_fault.message));
        return reader->broken == NULL ? reader->fields.status = diag_no_memory(reader->fields.diag)
                                      : STATUS_OK;
    }
    if (status != STATUS_OK)
        return reader->fields.status = status;
    schema_of(&reader->json, schema, sizeof schema);
    if (strncmp(schema, SCHEMA_STEM, strlen(SCHEMA_STEM)) != 0)
        return STATUS_OK;
    *found = true;
    return reader->fields.status = check(reader, schema);
}

enum status summary_reader_take(struct summary_reader *reader, const char *display,
                                struct text_buffer *text)
{
    struct json_read_fault fault;
    reader->display = display;
    reader->text = *text;
    *text = (struct text_buffer){0};
    reader->fields.status = json_read_parse(&reader->json, reader->text.text, reader->text.length,
                                            &fault, reader->fields.diag);
    if (reader->fields.status == STATUS_INPUT)
        reader->fields.status = diag_set(reader->fields.diag, STATUS_BUG,
                                         "%s: the summary in memory: %s", display, fault.message);
    reader->fields.source = (struct json_read_source){&reader->json, display};
    return reader->fields.status;
}

void summary_reader_fini(struct summary_reader *reader)
{
    if (reader == NULL)
        return;
    json_read_fini(&reader->json);
    text_buffer_fini(&reader->text);
    input_fini(&reader->input);
    *reader = (struct summary_reader){0};
}

/* ---- members ---- */

const char *summary_reader_text(struct summary_reader *reader, uint32_t object, const char *name)
{
    uint32_t node = json_fields_member(&reader->fields, object, name, JSON_READ_STRING);
    if (node == JSON_READ_NONE)
        return NULL;
    size_t capacity = (size_t)reader->json.nodes[node].length + 1;
    char *text = arena_take(reader->fields.arena, capacity);
    if (text == NULL)
        json_fields_no_memory(&reader->fields);
    else
        json_read_string(&reader->json, node, text, capacity);
    return text;
}

struct series summary_reader_series(struct summary_reader *reader, uint32_t array)
{
    struct series series = {0};
    series.values = json_fields_numbers(&reader->fields, array, &series.count);
    return series;
}

/* ---- what must be there ---- */

static void miss(struct summary_reader *reader, uint32_t object, const char *name)
{
    if (reader->fields.status == STATUS_OK)
        reader->fields.status =
            json_read_refuse(&reader->fields.source, object, reader->fields.diag,
                             "a summary has a member %s here", name);
}

uint32_t summary_reader_need(struct summary_reader *reader, uint32_t object, const char *name,
                             enum json_read_type type)
{
    uint32_t node = json_fields_member(&reader->fields, object, name, type);
    if (node == JSON_READ_NONE)
        miss(reader, object, name);
    return node;
}

const char *summary_reader_need_text(struct summary_reader *reader, uint32_t object,
                                     const char *name)
{
    const char *text = summary_reader_text(reader, object, name);
    if (text == NULL)
        miss(reader, object, name);
    return text == NULL ? "" : text;
}

const uint32_t *summary_reader_objects(struct summary_reader *reader, uint32_t array, size_t *count)
{
    const struct json_read_document *json = &reader->json;
    struct json_fields *fields = &reader->fields;
    *count = 0;
    if (array == JSON_READ_NONE || json_read_count(json, array) == 0)
        return NULL;
    uint32_t *nodes = json_fields_take(fields, json_read_count(json, array), sizeof *nodes);
    for (uint32_t node = json_fields_first(fields, array); node != JSON_READ_NONE;
         node = json_fields_next(fields, array, node))
        if (json_fields_require(fields, node, JSON_READ_OBJECT, "an object"))
            nodes[(*count)++] = node;
    if (fields->status != STATUS_OK)
        *count = 0;
    return *count == 0 ? NULL : nodes;
}
