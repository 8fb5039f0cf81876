#include <stdlib.h>
#include <string.h>

#include "evidence_rules.h"
#include "import_record.h"
#include "text.h"

/* One --set while it is read. */
struct reading {
    struct import_setting *setting;
    const char *text; /* "FIELD=VALUE" */
    char shown[256];  /* the same, safe to print */
    struct diag *diag;
};

/* What a person may know better than a log: what was run on what. What was measured comes from the
 * log alone. */
static const char *const sections[] = {"workload.", "hardware.", "strategy_options."};

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_path(const char *field)
{
    for (const char *at = field; *at != '\0'; at++)
        if (!is_name(*at) && (*at != '.' || at == field || at[1] == '.' || at[1] == '\0'))
            return false;
    return strlen(field) < 100;
}

static bool may_be_given(const char *field)
{
    if (strcmp(field, "strategy") == 0)
        return true;
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (strncmp(field, sections[i], strlen(sections[i])) == 0 && is_path(field))
            return true;
    return false;
}

/* A row's pointer "/workload/world_size" as the field "workload.world_size". */
static bool row_field(const struct evidence_row *row, char *field, size_t capacity)
{
    size_t length = strlen(row->pointer);
    if (length < 2 || length > capacity || strpbrk(row->pointer, "*{") != NULL)
        return false;
    memcpy(field, row->pointer + 1, length);
    for (char *at = field; *at != '\0'; at++)
        if (*at == '/')
            *at = '.';
    return true;
}

/* The rules of all producers, then those of our own; NULL behind the last. */
static const struct evidence_row *row_at(size_t index)
{
    size_t count = 0;
    const struct evidence_row *rows = evidence_rules_table(&count);
    if (index < count)
        return &rows[index];
    index -= count;
    rows = evidence_rules_own_table(&count);
    return index < count ? &rows[index] : NULL;
}

/* The rule of a field, whoever writes it; NULL. */
static const struct evidence_row *row_of(const char *field)
{
    const struct evidence_row *row;
    char known[128];
    for (size_t i = 0; (row = row_at(i)) != NULL; i++)
        if (row_field(row, known, sizeof known) && strcmp(known, field) == 0)
            return row;
    return NULL;
}

/* A model may be called 7: where a field takes texts and no numbers, what looks like one is a text.
 */
static bool takes_text_alone(const char *field)
{
    const struct evidence_row *row = row_of(field);
    return row != NULL && (row->types & EVIDENCE_STRING) != 0 &&
           (row->types & (EVIDENCE_NUMBER | EVIDENCE_BOOLEAN | EVIDENCE_OBJECT)) == 0;
}

/* The known field that a misspelt one is nearest to, at most two letters off; NULL: it is known, or
 * like none (fields of other producers are legal). */
static const char *misspelt(const char *field, char *nearest, size_t capacity)
{
    const char *found = NULL;
    const struct evidence_row *row;
    size_t least = 3;
    for (size_t i = 0; (row = row_at(i)) != NULL; i++) {
        char known[128];
        if (!row_field(row, known, sizeof known) || !may_be_given(known))
            continue;
        if (strcmp(known, field) == 0)
            return NULL;
        size_t distance = text_distance(field, strlen(field), known, strlen(known));
        if (distance < least) {
            least = distance;
            snprintf(nearest, capacity, "%s", known);
            found = nearest;
        }
    }
    return found;
}

static enum status read_field(struct reading *reading)
{
    const char *equals = strchr(reading->text, '=');
    char nearest[128];
    if (equals == NULL || equals == reading->text || equals[1] == '\0')
        return diag_set(reading->diag, STATUS_USAGE,
                        "--set %s: expected FIELD=VALUE, for example --set workload.world_size=8",
                        reading->shown);
    char *field = strndup(reading->text, (size_t)(equals - reading->text));
    reading->setting->field = field;
    if (field == NULL)
        return diag_no_memory(reading->diag);
    if (!may_be_given(field))
        return diag_set(reading->diag, STATUS_USAGE,
                        "--set %s: only strategy, workload.*, hardware.* and strategy_options.* "
                        "can be given; what was measured comes from the log",
                        reading->shown);
    if (misspelt(field, nearest, sizeof nearest) != NULL)
        return diag_set(reading->diag, STATUS_USAGE, "--set %s: no such field; did you mean %s?",
                        reading->shown, nearest);
    return STATUS_OK;
}

/* JSON where it is JSON (8, true, "8", {"parameters": 2}), else the text as it stands. */
static enum status read_value(struct reading *reading)
{
    const char *text = strchr(reading->text, '=') + 1;
    struct json_write writer = {0};
    struct json_read_document json = {0};
    struct json_read_fault fault;
    struct diag ignored = {0};
    enum status status = json_read_parse(&json, text, strlen(text), &fault, &ignored);
    const unsigned faults = JSON_READ_DUPLICATE_KEY | JSON_READ_NUL_IN_STRING |
                            JSON_READ_LONE_SURROGATE | JSON_READ_NUMBER_OUT_OF_RANGE |
                            JSON_READ_BIG_INTEGER;
    if (status == STATUS_ENVIRONMENT)
        status = diag_no_memory(reading->diag);
    else if (status == STATUS_OK &&
             ((json.flags & faults) != 0 || json_read_is(&json, 0, JSON_READ_NULL)))
        status = diag_set(reading->diag, STATUS_USAGE,
                          "--set %s: expected a number, a text, true, false or an object; leave "
                          "out what is not known",
                          reading->shown);
    else if (status == STATUS_OK && !(takes_text_alone(reading->setting->field) &&
                                      !json_read_is(&json, 0, JSON_READ_STRING)))
        reading->setting->value = json_write_copy(&writer, &json, 0);
    else {
        status = STATUS_OK;
        reading->setting->value = json_write_string(&writer, text);
    }
    if (status == STATUS_OK && reading->setting->value == NULL)
        status = diag_no_memory(reading->diag);
    json_read_fini(&json);
    return status;
}

/* Whether one of two paths lies in the other, or they are the same. */
static bool overlap(const char *a, const char *b)
{
    size_t length = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
    return strncmp(a, b, length) == 0 && (a[length] == '\0' || a[length] == '.') &&
           (b[length] == '\0' || b[length] == '.');
}

static enum status read_one(struct import_settings *settings, const char *text, struct diag *diag)
{
    struct import_setting *setting = &settings->items[settings->count];
    struct reading reading = {.setting = setting, .text = text, .diag = diag};
    text_escape_into(reading.shown, sizeof reading.shown, text, strlen(text));
    settings->count++;
    enum status status = read_field(&reading);
    for (size_t i = 0; status == STATUS_OK && i + 1 < settings->count; i++)
        if (overlap(settings->items[i].field, setting->field))
            status = diag_set(diag, STATUS_USAGE, "--set %s: %s is given twice", reading.shown,
                              setting->field);
    if (status == STATUS_OK)
        status = read_value(&reading);
    if (status == STATUS_OK) {
        const char *equals = strchr(reading.shown, '=');
        setting->given = strdup(equals != NULL ? equals + 1 : "...");
        if (setting->given == NULL)
            status = diag_no_memory(diag);
    }
    return status;
}

enum status import_settings_read(struct import_settings *settings, const char *const *texts,
                                 size_t count, struct diag *diag)
{
    *settings = (struct import_settings){0};
    if (count == 0)
        return STATUS_OK;
    settings->items = calloc(count, sizeof *settings->items);
    if (settings->items == NULL)
        return diag_no_memory(diag);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = read_one(settings, texts[i], diag);
    return status;
}

void import_settings_fini(struct import_settings *settings)
{
    for (size_t i = 0; i < settings->count; i++) {
        free((void *)(uintptr_t)settings->items[i].field);
        free((void *)(uintptr_t)settings->items[i].given);
        json_decref(settings->items[i].value);
    }
    free(settings->items);
    *settings = (struct import_settings){0};
}

const struct import_setting *import_settings_find(const struct import_settings *settings,
                                                  const char *field)
{
    for (size_t i = 0; i < settings->count; i++)
        if (overlap(settings->items[i].field, field))
            return &settings->items[i];
    return NULL;
}

void import_settings_apply(const struct import_settings *settings, struct import_record *record)
{
    if (record->import == NULL)
        return;
    for (size_t i = 0; i < settings->count; i++) {
        const struct import_setting *setting = &settings->items[i];
        bool has = !record->calibration || strcmp(setting->field, "workload.world_size") == 0 ||
                   strncmp(setting->field, "hardware.", strlen("hardware.")) == 0;
        if (!has)
            continue;
        json_t *copy = json_deep_copy(setting->value);
        if (copy == NULL)
            record->import->writer.status = STATUS_ENVIRONMENT;
        else
            import_record_put(record, setting->field, copy);
    }
}
