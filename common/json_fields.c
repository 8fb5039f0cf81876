#include "json_fields.h"

#include <limits.h>
#include <math.h>

void json_fields_no_memory(struct json_fields *fields)
{
    if (fields->status == STATUS_OK)
        fields->status = diag_no_memory(fields->diag);
}

void *json_fields_take(struct json_fields *fields, size_t count, size_t size)
{
    if (fields->status != STATUS_OK)
        return NULL;
    void *memory = arena_take_array(fields->arena, count + 1, size);
    if (memory == NULL)
        json_fields_no_memory(fields);
    return memory;
}

/* ---- members ---- */

uint32_t json_fields_find(const struct json_fields *fields, uint32_t object, const char *name)
{
    if (fields->status != STATUS_OK)
        return JSON_READ_NONE;
    uint32_t node = json_read_member(fields->source.document, object, name);
    return json_read_is(fields->source.document, node, JSON_READ_NULL) ? JSON_READ_NONE : node;
}

uint32_t json_fields_member(struct json_fields *fields, uint32_t object, const char *name,
                            enum json_read_type type)
{
    uint32_t node = json_fields_find(fields, object, name);
    if (node == JSON_READ_NONE)
        return node;
    fields->status = json_read_get_node(&fields->source, object, name, type, JSON_READ_REQUIRED,
                                        &node, fields->diag);
    return fields->status == STATUS_OK ? node : JSON_READ_NONE;
}

double json_fields_number(struct json_fields *fields, uint32_t object, const char *name)
{
    double value = (double)NAN;
    if (json_fields_find(fields, object, name) != JSON_READ_NONE)
        fields->status = json_read_get_double(&fields->source, object, name, JSON_READ_REQUIRED,
                                              &value, fields->diag);
    return value;
}

double json_fields_amount(struct json_fields *fields, uint32_t object, const char *name)
{
    double value = json_fields_number(fields, object, name);
    if (value < 0)
        fields->status = json_read_refuse(&fields->source, json_fields_find(fields, object, name),
                                          fields->diag, "expected a number of at least 0");
    return value;
}

bool json_fields_flag(struct json_fields *fields, uint32_t object, const char *name)
{
    bool value = false;
    if (json_fields_find(fields, object, name) != JSON_READ_NONE)
        fields->status = json_read_get_bool(&fields->source, object, name, JSON_READ_REQUIRED,
                                            &value, fields->diag);
    return value;
}

long json_fields_index(struct json_fields *fields, uint32_t object, const char *name, size_t limit)
{
    int64_t value = -1;
    uint32_t node = json_fields_find(fields, object, name);
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

/* ---- elements ---- */

uint32_t json_fields_first(const struct json_fields *fields, uint32_t container)
{
    return container == JSON_READ_NONE || fields->status != STATUS_OK
               ? JSON_READ_NONE
               : json_read_first(fields->source.document, container);
}

uint32_t json_fields_next(const struct json_fields *fields, uint32_t container, uint32_t node)
{
    return fields->status != STATUS_OK ? JSON_READ_NONE
                                       : json_read_next(fields->source.document, container, node);
}

bool json_fields_require(struct json_fields *fields, uint32_t node, enum json_read_type type,
                         const char *expected)
{
    const struct json_read_document *document = fields->source.document;
    if (fields->status == STATUS_OK && !json_read_is(document, node, type))
        fields->status =
            json_read_refuse(&fields->source, node, fields->diag, "expected %s, found %s", expected,
                             json_read_type_name((enum json_read_type)document->nodes[node].type));
    return fields->status == STATUS_OK;
}

double json_fields_element(struct json_fields *fields, uint32_t node)
{
    double value = (double)NAN;
    const struct json_read_document *document = fields->source.document;
    if (fields->status == STATUS_OK && !json_read_is(document, node, JSON_READ_NULL) &&
        !json_read_double(document, node, &value))
        fields->status =
            json_read_refuse(&fields->source, node, fields->diag,
                             "expected a number that a double can hold, found %s",
                             json_read_type_name((enum json_read_type)document->nodes[node].type));
    return value;
}

const double *json_fields_numbers(struct json_fields *fields, uint32_t array, size_t *count)
{
    size_t room = array == JSON_READ_NONE ? 0 : json_read_count(fields->source.document, array);
    double *values = json_fields_take(fields, room, sizeof *values);
    *count = 0;
    for (uint32_t node = json_fields_first(fields, array); node != JSON_READ_NONE;
         node = json_fields_next(fields, array, node))
        values[(*count)++] = json_fields_element(fields, node);
    return values;
}
