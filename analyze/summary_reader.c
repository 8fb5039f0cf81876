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
        return diag_set(reader->diag, STATUS_INPUT,
                        "%s: written in the format %s by another edition of the program; this one "
                        "(" RANKLEDGER_VERSION ") knows " SCHEMA,
                        reader->display,
                        text_escape_into(shown, sizeof shown, schema, strlen(schema)));
    if ((reader->json.flags & faults) != 0)
        return diag_set(reader->diag, STATUS_INPUT,
                        "%s: not a sound summary: it repeats a key or holds a text or number that "
                        "cannot be; rankledger validate says where",
                        reader->display);
    reader->source = (struct json_read_source){&reader->json, reader->display};
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
    reader->display = escaped(reader->arena, path);
    if (reader->display == NULL)
        return reader->status = diag_no_memory(reader->diag);
    reader->status = input_read_file(&reader->input, path, SIZE_LIMIT, &fault, reader->diag);
    if (reader->status != STATUS_OK)
        return reader->status;
    enum status status = json_read_parse(&reader->json, reader->input.data, reader->input.size,
                                         &json_fault, reader->diag);
    if (status == STATUS_INPUT) { /* no JSON: no summary */
        reader->broken = arena_copy(reader->arena, json_fault.message, strlen(json_fault.message));
        return reader->broken == NULL ? reader->status = diag_no_memory(reader->diag) : STATUS_OK;
    }
    if (status != STATUS_OK)
        return reader->status = status;
    schema_of(&reader->json, schema, sizeof schema);
    if (strncmp(schema, SCHEMA_STEM, strlen(SCHEMA_STEM)) != 0)
        return STATUS_OK;
    *found = true;
    return reader->status = check(reader, schema);
}

enum status summary_reader_take(struct summary_reader *reader, const char *display,
                                struct text_buffer *text)
{
    struct json_read_fault fault;
    reader->display = display;
    reader->text = *text;
    *text = (struct text_buffer){0};
    reader->status = json_read_parse(&reader->json, reader->text.text, reader->text.length, &fault,
                                     reader->diag);
    if (reader->status == STATUS_INPUT)
        reader->status = diag_set(reader->diag, STATUS_BUG, "%s: the summary in memory: %s",
                                  display, fault.message);
    reader->source = (struct json_read_source){&reader->json, display};
    return reader->status;
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

static bool may_read(const struct summary_reader *reader, uint32_t object)
{
    return reader->status == STATUS_OK && object != JSON_READ_NONE;
}

/* The member, or NONE where it is absent or null. */
static uint32_t find(struct summary_reader *reader, uint32_t object, const char *name)
{
    if (!may_read(reader, object) || !json_read_is(&reader->json, object, JSON_READ_OBJECT))
        return JSON_READ_NONE;
    uint32_t node = json_read_member(&reader->json, object, name);
    return json_read_is(&reader->json, node, JSON_READ_NULL) ? JSON_READ_NONE : node;
}

static void refuse(struct summary_reader *reader, uint32_t node, const char *expected)
{
    reader->status =
        json_read_refuse(&reader->source, node, reader->diag, "expected %s, found %s", expected,
                         json_read_type_name((enum json_read_type)reader->json.nodes[node].type));
}

double summary_reader_number(struct summary_reader *reader, uint32_t object, const char *name)
{
    double value = NAN;
    uint32_t node = find(reader, object, name);
    if (node != JSON_READ_NONE && !json_read_double(&reader->json, node, &value))
        refuse(reader, node, "a number");
    return value;
}

double summary_reader_amount(struct summary_reader *reader, uint32_t object, const char *name)
{
    double value = NAN;
    uint32_t node = find(reader, object, name);
    if (node != JSON_READ_NONE && (!json_read_double(&reader->json, node, &value) || value < 0))
        refuse(reader, node, "a number of at least 0");
    return value;
}

const char *summary_reader_text(struct summary_reader *reader, uint32_t object, const char *name)
{
    uint32_t node = find(reader, object, name);
    if (node == JSON_READ_NONE)
        return NULL;
    if (!json_read_is(&reader->json, node, JSON_READ_STRING)) {
        refuse(reader, node, "a text");
        return NULL;
    }
    size_t capacity = (size_t)reader->json.nodes[node].length + 1;
    char *text = arena_take(reader->arena, capacity);
    if (text == NULL)
        reader->status = diag_no_memory(reader->diag);
    else
        json_read_string(&reader->json, node, text, capacity);
    return text;
}

bool summary_reader_flag(struct summary_reader *reader, uint32_t object, const char *name)
{
    uint32_t node = find(reader, object, name);
    bool flag = json_read_is(&reader->json, node, JSON_READ_TRUE);
    if (node != JSON_READ_NONE && !flag && !json_read_is(&reader->json, node, JSON_READ_FALSE))
        refuse(reader, node, "true or false");
    return flag;
}

long summary_reader_index(struct summary_reader *reader, uint32_t object, const char *name,
                          size_t limit)
{
    int64_t index = -1;
    uint32_t node = find(reader, object, name);
    if (node == JSON_READ_NONE)
        return -1;
    if (!json_read_int64(&reader->json, node, &index) || index < 0 || (uint64_t)index >= limit) {
        if (reader->status == STATUS_OK)
            reader->status = json_read_refuse(&reader->source, node, reader->diag,
                                              "expected an index below %zu", limit);
        return -1;
    }
    return (long)index;
}

uint32_t summary_reader_member(struct summary_reader *reader, uint32_t object, const char *name,
                               enum json_read_type type)
{
    uint32_t node = find(reader, object, name);
    if (node == JSON_READ_NONE || json_read_is(&reader->json, node, type))
        return node;
    refuse(reader, node, json_read_type_name(type));
    return JSON_READ_NONE;
}

struct series summary_reader_series(struct summary_reader *reader, uint32_t array)
{
    struct series series = {0};
    if (!may_read(reader, array))
        return series;
    double *values =
        arena_take_array(reader->arena, json_read_count(&reader->json, array), sizeof *values);
    if (values == NULL) {
        reader->status = diag_no_memory(reader->diag);
        return series;
    }
    for (uint32_t node = json_read_first(&reader->json, array);
         node != JSON_READ_NONE && reader->status == STATUS_OK;
         node = json_read_next(&reader->json, array, node)) {
        values[series.count] = NAN;
        if (!json_read_is(&reader->json, node, JSON_READ_NULL) &&
            !json_read_double(&reader->json, node, &values[series.count]))
            refuse(reader, node, "a number");
        series.count++;
    }
    series.values = values;
    return series;
}

/* ---- what must be there ---- */

static void miss(struct summary_reader *reader, uint32_t object, const char *name)
{
    if (reader->status == STATUS_OK)
        reader->status = json_read_refuse(&reader->source, object, reader->diag,
                                          "a summary has a member %s here", name);
}

uint32_t summary_reader_need(struct summary_reader *reader, uint32_t object, const char *name,
                             enum json_read_type type)
{
    uint32_t node = summary_reader_member(reader, object, name, type);
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
    *count = 0;
    if (!may_read(reader, array) || json_read_count(&reader->json, array) == 0)
        return NULL;
    uint32_t *nodes =
        arena_take_array(reader->arena, json_read_count(&reader->json, array), sizeof *nodes);
    if (nodes == NULL) {
        reader->status = diag_no_memory(reader->diag);
        return NULL;
    }
    for (uint32_t node = json_read_first(&reader->json, array); node != JSON_READ_NONE;
         node = json_read_next(&reader->json, array, node)) {
        if (!json_read_is(&reader->json, node, JSON_READ_OBJECT)) {
            refuse(reader, node, "an object");
            *count = 0;
            return NULL;
        }
        nodes[(*count)++] = node;
    }
    return nodes;
}
