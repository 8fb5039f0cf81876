#include "import_finish.h"

#include <stdio.h>
#include <string.h>

#include "import_calibration.h"
#include "text.h"

/* ---- The section `import` ---- */

static json_t *source_of(const struct import_batch *batch, struct import_record *record)
{
    struct json_write *writer = &record->import->writer;
    const char *path = record->import->source->path;
    struct text_buffer shared = {0};
    json_t *source = json_write_object(writer);
    text_redact(&shared, path, strlen(path));
    json_write_set(writer, source, "path",
                   shared.failed ? NULL : json_write_string(writer, shared.text));
    json_write_set(writer, source, "sha256", json_write_string(writer, batch->load.sha256));
    json_write_set(writer, source, "bytes", json_write_integer(writer, (int64_t)batch->load.bytes));
    text_buffer_fini(&shared);
    return source;
}

/* What a person said, apart from what the log says. */
static json_t *settings_of(struct import_record *record)
{
    struct json_write *writer = &record->import->writer;
    const struct import_settings *settings = record->import->settings;
    json_t *given = json_write_object(writer);
    for (size_t i = 0; i < settings->count; i++) {
        const struct import_setting *setting = &settings->items[i];
        if (import_record_get(record->root, setting->field) != NULL)
            json_write_set(writer, given, setting->field, json_deep_copy(setting->value));
    }
    return given;
}

/* Leaves out what was told after all, and what is asked for twice. */
static json_t *open_questions(struct import_record *record)
{
    struct json_write *writer = &record->import->writer;
    json_t *open = json_write_array(writer);
    json_t *seen = json_write_object(writer);
    size_t index = 0;
    json_t *asked = NULL;
    json_array_foreach(record->asked, index, asked)
    {
        const char *field = json_string_value(json_object_get(asked, "field"));
        if (field == NULL || json_object_get(seen, field) != NULL ||
            import_record_get(record->root, field) != NULL)
            continue;
        json_write_set(writer, seen, field, json_write_null(writer));
        json_write_append(writer, open, json_incref(asked));
    }
    json_decref(seen);
    return open;
}

/* Members that say nothing are left out. */
static void set_if_any(struct json_write *writer, json_t *object, const char *name, json_t *value)
{
    if (value != NULL && json_object_size(value) == 0 && json_array_size(value) == 0)
        json_decref(value);
    else
        json_write_set(writer, object, name, value);
}

/* ---- What is said to whom imports ---- */

static void note_warnings(struct import_batch *batch, const struct import_record *record)
{
    const char *path = record->import->source->path;
    size_t index = 0;
    json_t *warning = NULL;
    json_array_foreach(record->warnings, index, warning)
    {
        const char *message = json_string_value(json_object_get(warning, "message"));
        json_int_t line = json_integer_value(json_object_get(warning, "line"));
        text_buffer_puts(&batch->notes, path);
        if (line > 0)
            text_buffer_printf(&batch->notes, ":%lld", (long long)line);
        text_buffer_printf(&batch->notes, ": warning: %s\n", message != NULL ? message : "");
    }
    size_t listed = json_array_size(record->warnings);
    if (record->warning_count > listed)
        text_buffer_printf(&batch->notes, "%s: warning: %zu more of this kind\n", path,
                           record->warning_count - listed);
}

/* What stands behind --set FIELD= in the advice: no strategy is likelier than another. */
static const char *value_of(const char *field)
{
    return strcmp(field, "strategy") == 0 ? "VALUE (ddp, zero1, zero2, zero3 or fsdp_full_shard)"
                                          : "VALUE";
}

static void note_questions(struct import_batch *batch, const struct import_record *record,
                           const json_t *open)
{
    size_t index = 0;
    json_t *asked = NULL;
    json_array_foreach(open, index, asked)
    {
        const char *field = json_string_value(json_object_get(asked, "field"));
        const char *why = json_string_value(json_object_get(asked, "why"));
        text_buffer_printf(&batch->notes, "%s: not told: %s (%s); --set %s=%s gives it\n",
                           record->import->source->path, field, why != NULL ? why : "", field,
                           value_of(field));
    }
}

void import_finish_record(struct import_batch *batch, struct import_record *record)
{
    struct import *import = record->import;
    struct json_write *writer = &import->writer;
    if (!record->calibration)
        import_ask(record, "workload.world_size", "without it nothing can be compared");
    if (!record->calibration)
        import_ask(record, "strategy", "the log does not say how the state was sharded");
    import_calibration_apply(batch->request->calibrations, record);
    json_t *open = open_questions(record);
    json_t *section = json_write_object(writer);
    json_write_set(writer, section, "tool", json_write_string(writer, import->format->name));
    json_write_set(writer, section, "format", json_write_string(writer, import->format->title));
    json_write_set(writer, section, "source", source_of(batch, record));
    set_if_any(writer, section, "lines", json_incref(record->lines));
    set_if_any(writer, section, "values", json_incref(record->values));
    set_if_any(writer, section, "samples", json_incref(record->samples));
    set_if_any(writer, section, "set", settings_of(record));
    if (record->calibrations != NULL)
        set_if_any(writer, section, "calibrations", json_incref(record->calibrations));
    set_if_any(writer, section, "warnings", json_incref(record->warnings));
    note_warnings(batch, record);
    note_questions(batch, record, open);
    set_if_any(writer, section, "asked", open);
    json_write_set(writer, record->root, "import", section);
}

/* ---- Validation ---- */

/* Where the findings of one document go. */
struct checking {
    struct import_batch *batch;
    struct import_document *document;
    const char *display;
};

/* The strategy is asked for already. */
static bool is_asked(const struct finding *finding)
{
    return strcmp(finding->pointer, "/strategy") == 0 &&
           strcmp(finding->rule, "missing_field") == 0;
}

/* The setting that gave the value at a JSON pointer; NULL: the log did. */
static const struct import_setting *setting_at(const struct import_settings *settings,
                                               const char *pointer)
{
    char field[256];
    if (pointer[0] != '/' || strlen(pointer) >= sizeof field)
        return NULL;
    snprintf(field, sizeof field, "%s", pointer + 1);
    for (char *at = field; *at != '\0'; at++)
        if (*at == '/')
            *at = '.';
    return import_settings_find(settings, field);
}

static enum status note_findings(void *context, const struct document *checked, struct diag *diag)
{
    struct checking *checking = context;
    struct text_buffer *notes = &checking->batch->notes;
    checking->document->errors = checked->findings.errors;
    checking->document->warnings = checked->findings.warnings;
    for (size_t i = 0; i < checked->findings.count; i++) {
        const struct finding *finding = &checked->findings.items[i];
        if (finding->severity != FINDING_ERROR || is_asked(finding))
            continue;
        const struct import_setting *setting =
            setting_at(&checking->batch->request->settings, finding->pointer);
        if (setting != NULL)
            return diag_set(diag, STATUS_USAGE, "--set %s=%s: %s", setting->field, setting->given,
                            finding->message);
        text_buffer_printf(notes, "%s: imported record: %s: %s [%s]\n", checking->display,
                           finding->pointer[0] != '\0' ? finding->pointer : "/", finding->message,
                           finding->rule);
    }
    if (checked->findings.errors > 0)
        text_buffer_printf(notes,
                           "%s: written, but no evidence yet: what is named above is missing or "
                           "at fault\n",
                           checking->display);
    return STATUS_OK;
}

enum status import_finish_check(struct import_batch *batch, struct import_document *document,
                                const char *display, struct diag *diag)
{
    struct json_write writer = {0};
    struct text_buffer text = {0};
    struct checking checking = {batch, document, display};
    enum status status = json_write_text(&writer, document->root, &text, diag);
    if (status == STATUS_OK)
        status = document_check_bytes(&batch->reader, "imported", text.text, text.length,
                                      note_findings, &checking, diag);
    text_buffer_fini(&text);
    return status;
}
