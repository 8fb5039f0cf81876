#include "import.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "import_record.h"
#include "text.h"

#define MAX_WARNINGS 100 /* nobody reads more; a noisy log must not swell its record */

bool import_goes_on(const struct import *import)
{
    return import->status == STATUS_OK && import->writer.status == STATUS_OK;
}

static void fail(struct import *import, enum status status)
{
    if (import->status == STATUS_OK)
        import->status = status;
}

void *import_take(struct import *import, size_t count, size_t size)
{
    void *memory = import_goes_on(import)
                       ? arena_take_array(&import->arena, count > 0 ? count : 1, size)
                       : NULL;
    if (memory == NULL)
        import_no_memory(import);
    return memory;
}

void import_no_memory(struct import *import)
{
    if (import_goes_on(import))
        fail(import, diag_no_memory(&import->diag));
}

void import_refuse(struct import *import, size_t line, const char *format, ...)
{
    struct text_buffer message = {0};
    char raw[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    text_redact(&message, raw, strlen(raw));
    if (import_goes_on(import) && message.failed) {
        fail(import, diag_no_memory(&import->diag));
    } else if (import_goes_on(import)) {
        char place[32] = "";
        if (line > 0)
            snprintf(place, sizeof place, ":%zu", line);
        fail(import, diag_set(&import->diag, STATUS_INPUT, "%s%s: %s", import->source->path, place,
                              message.text));
    }
    text_buffer_fini(&message);
}

/* ---- Records ---- */

static json_t *member(struct import *import, json_t *object, const char *name, json_t *value)
{
    json_write_set(&import->writer, object, name, value);
    return json_object_get(object, name);
}

static struct import_record *begin(struct import *import, bool calibration)
{
    struct import_record *record = import_take(import, 1, sizeof *record);
    if (record == NULL)
        return &import->spare;
    struct json_write *writer = &import->writer;
    record->import = import;
    record->calibration = calibration;
    record->root = json_write_object(writer);
    record->lines = json_write_object(writer);
    record->values = json_write_object(writer);
    record->samples = json_write_object(writer);
    record->asked = json_write_array(writer);
    record->warnings = json_write_array(writer);
    if (import->last == NULL)
        import->first = record;
    else
        import->last->next = record;
    import->last = record;
    member(import, record->root, "workload", json_write_object(writer));
    member(import, record->root, "hardware", json_write_object(writer));
    return record;
}

struct import_record *import_begin(struct import *import)
{
    struct import_record *record = begin(import, false);
    struct json_write *writer = &import->writer;
    member(import, record->root, "metrics", json_write_object(writer));
    member(import, record->root, "failure", json_write_null(writer));
    member(import, record->root, "evidence_level", json_write_string(writer, "imported_log"));
    member(import, record->root, "decision", json_write_string(writer, "imported"));
    import_settings_apply(import->settings, record);
    return record;
}

struct import_record *import_begin_calibration(struct import *import)
{
    struct import_record *record = begin(import, true);
    struct json_write *writer = &import->writer;
    json_t *section = member(import, record->root, "calibration", json_write_object(writer));
    member(import, section, "links", json_write_array(writer));
    member(import, record->root, "schema", json_write_string(writer, "rankledger.calibration/1"));
    import_settings_apply(import->settings, record);
    return record;
}

void import_record_fini(struct import *import)
{
    for (struct import_record *record = import->first; record != NULL; record = record->next) {
        json_decref(record->root);
        json_decref(record->lines);
        json_decref(record->values);
        json_decref(record->samples);
        json_decref(record->asked);
        json_decref(record->warnings);
        json_decref(record->calibrations);
    }
    arena_fini(&import->arena);
    *import = (struct import){0};
}

enum status import_record_status(struct import *import, struct diag *diag)
{
    if (import->status != STATUS_OK)
        return diag_set(diag, import->status, "%s", import->diag.text);
    if (import->writer.status == STATUS_ENVIRONMENT)
        return diag_no_memory(diag);
    if (import->writer.status != STATUS_OK)
        return diag_set(diag, import->writer.status,
                        "%s: the importer of %s wrote a number that is not finite",
                        import->source->path, import->format->title);
    return STATUS_OK;
}

/* ---- Fields ---- */

/* Copies the name before the next dot; *field moves behind it, NULL after the last. */
static const char *next_name(const char **field, char *name, size_t capacity)
{
    const char *dot = strchr(*field, '.');
    size_t length = dot == NULL ? strlen(*field) : (size_t)(dot - *field);
    snprintf(name, capacity, "%.*s", (int)length, *field);
    *field = dot == NULL ? NULL : dot + 1;
    return name;
}

json_t *import_record_get(const json_t *root, const char *field)
{
    char name[128];
    const json_t *at = root;
    while (at != NULL && field != NULL)
        at = json_object_get(at, next_name(&field, name, sizeof name));
    return (json_t *)(uintptr_t)at;
}

void import_record_put(struct import_record *record, const char *field, json_t *value)
{
    char name[128];
    struct json_write *writer = &record->import->writer;
    json_t *at = record->root;
    next_name(&field, name, sizeof name);
    while (field != NULL) {
        if (json_object_get(at, name) == NULL)
            json_write_set(writer, at, name, json_write_object(writer));
        at = json_object_get(at, name);
        next_name(&field, name, sizeof name);
    }
    json_write_set(writer, at, name, value);
}

/* What --set gave and what the log says, to the digits that a log prints. */
static bool agree(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b)) {
        double x = json_number_value(a);
        double y = json_number_value(b);
        return fabs(x - y) <= 1e-9 * fmax(fabs(x), fabs(y));
    }
    return json_equal(a, b);
}

static void contradict(struct import_record *record, const char *field, const json_t *value,
                       size_t line)
{
    struct import *import = record->import;
    const struct import_setting *setting = import_settings_find(import->settings, field);
    char *found = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    char shown[256];
    char place[32] = "";
    if (line > 0)
        snprintf(place, sizeof place, ":%zu", line);
    text_escape_into(shown, sizeof shown, found != NULL ? found : "?",
                     found != NULL ? strlen(found) : 1);
    fail(import, diag_set(&import->diag, STATUS_USAGE,
                          "%s%s: %s is %s%s, but --set %s=%s says otherwise; leave that --set out "
                          "for this log",
                          import->source->path, place, field, shown,
                          line > 0 ? "" : " by what the log says", setting->field, setting->given));
    free(found);
}

/* Where the log says it: [line] or [first, last]. */
static void note_lines(struct import_record *record, const char *field, size_t first, size_t last)
{
    struct json_write *writer = &record->import->writer;
    if (first == 0)
        return;
    json_t *lines = json_write_array(writer);
    json_write_append(writer, lines, json_write_integer(writer, (int64_t)first));
    if (last > first)
        json_write_append(writer, lines, json_write_integer(writer, (int64_t)last));
    json_write_set(writer, record->lines, field, lines);
}

void import_json(struct import_record *record, const char *field, json_t *value, size_t first_line,
                 size_t last_line)
{
    struct import *import = record->import;
    if (import == NULL || !import_goes_on(import) || value == NULL) {
        json_decref(value); /* a NULL value made the writer fail */
        return;
    }
    const json_t *before = import_settings_find(import->settings, field) != NULL
                               ? import_record_get(record->root, field)
                               : NULL;
    if (before != NULL && !agree(before, value)) {
        contradict(record, field, value, first_line);
        json_decref(value);
        return;
    }
    import_record_put(record, field, value);
    note_lines(record, field, first_line, last_line);
}

static struct json_write *writer_of(struct import_record *record)
{
    return record->import != NULL && import_goes_on(record->import) ? &record->import->writer
                                                                    : NULL;
}

void import_number_over(struct import_record *record, const char *field, double value,
                        size_t first_line, size_t last_line)
{
    struct json_write *writer = writer_of(record);
    if (writer != NULL)
        import_json(record, field, json_write_real(writer, value), first_line, last_line);
}

void import_number(struct import_record *record, const char *field, double value, size_t line)
{
    import_number_over(record, field, value, line, line);
}

/* A text of the file as it may be shared and printed. */
static json_t *clean_text(struct json_write *writer, const char *text, size_t length)
{
    struct text_buffer clean = {0};
    json_t *value = NULL;
    text_redact(&clean, text, length);
    if (!clean.failed)
        value = json_write_string_n(writer, clean.text != NULL ? clean.text : "", clean.length);
    else if (writer->status == STATUS_OK)
        writer->status = STATUS_ENVIRONMENT;
    text_buffer_fini(&clean);
    return value;
}

void import_text_span(struct import_record *record, const char *field, struct import_span text,
                      size_t line)
{
    struct json_write *writer = writer_of(record);
    if (writer != NULL)
        import_json(record, field, clean_text(writer, text.text, text.length), line, line);
}

void import_text(struct import_record *record, const char *field, const char *text, size_t line)
{
    import_text_span(record, field, (struct import_span){text, strlen(text), false}, line);
}

void import_flag(struct import_record *record, const char *field, bool value, size_t line)
{
    struct json_write *writer = writer_of(record);
    if (writer != NULL)
        import_json(record, field, json_write_bool(writer, value), line, line);
}

static json_t *array_of(struct json_write *writer, const double *values, size_t count)
{
    json_t *array = json_write_array(writer);
    for (size_t i = 0; i < count; i++)
        json_write_append(writer, array, json_write_real_or_null(writer, values[i]));
    return array;
}

void import_numbers(struct import_record *record, const char *field, const double *values,
                    size_t count, size_t first_line, size_t last_line)
{
    struct json_write *writer = writer_of(record);
    if (writer != NULL)
        import_json(record, field, array_of(writer, values, count), first_line, last_line);
}

bool import_given_number(const struct import_record *record, const char *field, double *value)
{
    const json_t *found = import_record_get(record->root, field);
    if (!json_is_number(found))
        return false;
    *value = json_number_value(found);
    return true;
}

bool import_given_text(const struct import_record *record, const char *field, const char **text)
{
    const json_t *found = import_record_get(record->root, field);
    if (!json_is_string(found))
        return false;
    *text = json_string_value(found);
    return true;
}

/* ---- The section `import` ---- */

void import_value(struct import_record *record, const char *name, double value)
{
    struct json_write *writer = writer_of(record);
    if (writer != NULL)
        json_write_set(writer, record->values, name, json_write_real_or_null(writer, value));
}

void import_value_span(struct import_record *record, const char *name, struct import_span text)
{
    struct json_write *writer = writer_of(record);
    if (writer != NULL)
        json_write_set(writer, record->values, name, clean_text(writer, text.text, text.length));
}

void import_value_text(struct import_record *record, const char *name, const char *text)
{
    import_value_span(record, name, (struct import_span){text, strlen(text), false});
}

void import_samples(struct import_record *record, const char *name, const double *values,
                    size_t count, size_t first_line, size_t last_line)
{
    struct json_write *writer = writer_of(record);
    char field[128];
    if (writer == NULL)
        return;
    json_write_set(writer, record->samples, name, array_of(writer, values, count));
    snprintf(field, sizeof field, "import.samples.%s", name);
    note_lines(record, field, first_line, last_line);
}

void import_warn(struct import_record *record, size_t line, const char *format, ...)
{
    struct json_write *writer = writer_of(record);
    char text[1024];
    va_list arguments;
    if (writer == NULL || record->warning_count++ >= MAX_WARNINGS)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    json_t *warning = json_write_object(writer);
    json_write_set(writer, warning, "message", clean_text(writer, text, strlen(text)));
    if (line > 0)
        json_write_set(writer, warning, "line", json_write_integer(writer, (int64_t)line));
    json_write_append(writer, record->warnings, warning);
}

void import_ask(struct import_record *record, const char *field, const char *why)
{
    struct json_write *writer = writer_of(record);
    if (writer == NULL)
        return;
    json_t *asked = json_write_object(writer);
    json_write_set(writer, asked, "field", json_write_string(writer, field));
    json_write_set(writer, asked, "why", json_write_string(writer, why));
    json_write_append(writer, record->asked, asked);
}
