#include "validation.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

static bool make_room(struct validation *validation)
{
    struct validation_fault *faults =
        arena_room(validation->arena, validation->faults, validation->count, &validation->capacity,
                   sizeof *faults);
    if (faults == NULL)
        return false;
    validation->faults = faults;
    return true;
}

void validation_report(struct validation *validation, const struct validation_fault *fault,
                       const char *format, ...)
{
    /* Each severity has its own places: no error is hidden behind ten thousand warnings. */
    if (validation->listed[fault->severity] == VALIDATE_MAX_FINDINGS) {
        if (fault->severity == FINDING_ERROR)
            validation->unlisted_errors++;
        else
            validation->unlisted_warnings++;
        return;
    }
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (length < 0 || !make_room(validation)) {
        validation->no_memory = true;
        return;
    }
    struct validation_fault *added = &validation->faults[validation->count];
    *added = *fault;
    added->order = validation->count;
    if (added->node == JSON_READ_NONE)
        added->node = 0;
    if (added->suffix == NULL)
        added->suffix = "";
    added->message = arena_copy(validation->arena, message, strlen(message));
    if (added->message == NULL)
        validation->no_memory = true;
    else {
        validation->listed[fault->severity]++;
        validation->count++;
    }
}

struct validation_text validation_show(const struct validation *validation, uint32_t node)
{
    struct validation_text shown;
    const struct json_read_node *value = &validation->json->nodes[node];
    const char *raw = validation->json->text + value->offset;
    switch ((enum json_read_type)value->type) {
    case JSON_READ_STRING: {
        char inner[160];
        text_escape_into(inner, sizeof inner, raw, value->length);
        snprintf(shown.text, sizeof shown.text, "\"%s\"", inner);
        break;
    }
    case JSON_READ_NUMBER:
        text_escape_into(shown.text, 64, raw, value->length);
        break;
    case JSON_READ_ARRAY:
    case JSON_READ_OBJECT: {
        bool array = value->type == JSON_READ_ARRAY;
        unsigned long count = value->hash;
        if (count == 0)
            snprintf(shown.text, sizeof shown.text, array ? "an empty array" : "an empty object");
        else
            snprintf(shown.text, sizeof shown.text, "%s of %lu %s%s",
                     array ? "an array" : "an object", count, array ? "element" : "member",
                     count == 1 ? "" : "s");
        break;
    }
    default:
        snprintf(shown.text, sizeof shown.text, "%s",
                 json_read_type_name((enum json_read_type)value->type));
    }
    return shown;
}

struct validation_number validation_format(double value)
{
    struct validation_number number;
    text_number_exact(number.text, sizeof number.text, value);
    if (strlen(number.text) > 9 && floor(value) != value) /* digits that the eye does not want */
        snprintf(number.text, sizeof number.text, "%.7g", value);
    return number;
}

bool validation_number_of(const struct validation *validation, enum evidence_field field,
                          double *value)
{
    return json_read_double(validation->json, validation->found[field], value);
}

bool validation_has_failed(const struct validation *validation)
{
    uint32_t failure = validation->found[EVIDENCE_FIELD_FAILURE];
    if (json_read_is(validation->json, failure, JSON_READ_OBJECT))
        return true;
    return json_read_is(validation->json, failure, JSON_READ_STRING) &&
           validation->json->nodes[failure].length > 0;
}
