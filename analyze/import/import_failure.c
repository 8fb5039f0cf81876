#include <math.h>
#include <string.h>

#include "import_record.h"
#include "text.h"

/* The members of `failure`, as the contract and our own collector name them. */

/* "Device: 0, node: a100-17" (Megatron-LM): hosts are not copied. */
static void hide_hosts(struct text_buffer *out, const char *text)
{
    static const char label[] = "node: ";
    const char *found;
    while ((found = strstr(text, label)) != NULL) {
        text_buffer_append(out, text, (size_t)(found - text) + sizeof label - 1);
        text_buffer_puts(out, "<host>");
        text = found + sizeof label - 1;
        text += strcspn(text, " ,;)");
    }
    text_buffer_puts(out, text);
}

static void set_text(struct import_record *record, json_t *failure, const char *name,
                     struct import_span text)
{
    struct json_write *writer = &record->import->writer;
    struct text_buffer clean = {0};
    struct text_buffer shared = {0};
    text = import_scan_trim(text);
    if (text.length == 0)
        return;
    text_redact(&clean, text.text, text.length);
    if (!clean.failed)
        hide_hosts(&shared, clean.text);
    json_write_set(writer, failure, name,
                   clean.failed || shared.failed ? NULL : json_write_string(writer, shared.text));
    text_buffer_fini(&shared);
    text_buffer_fini(&clean);
}

static struct import_span span_of(const char *text)
{
    return (struct import_span){text, text != NULL ? strlen(text) : 0, false};
}

static void set_numbers(struct import_record *record, json_t *failure,
                        const struct import_failure *told)
{
    struct json_write *writer = &record->import->writer;
    const struct {
        const char *name;
        double value;
        bool told;
    } numbers[] = {
        {"rank", told->rank, told->rank >= 0},
        {"step", told->step, told->step >= 0},
        {"exit_code", told->exit_code, told->exit_code >= 0},
        {"signal", told->signal, told->signal > 0},
        {"timeout_ms", told->timeout_ms, told->timeout_ms > 0},
        {"elapsed_ms", told->elapsed_ms, told->elapsed_ms > 0},
        /* "2.26 GiB" is no whole number of bytes */
        {"asked_bytes", floor(told->asked_bytes), told->asked_bytes >= 1},
        {"in_use_bytes", floor(told->in_use_bytes), told->in_use_bytes >= 1},
        {"limit_bytes", floor(told->limit_bytes), told->limit_bytes >= 1},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i].told && isfinite(numbers[i].value))
            json_write_set(writer, failure, numbers[i].name,
                           json_write_real(writer, numbers[i].value));
}

void import_fail(struct import_record *record, const struct import_failure *failure)
{
    if (record->import == NULL || record->failed || !import_goes_on(record->import))
        return;
    struct json_write *writer = &record->import->writer;
    json_t *object = json_write_object(writer);
    record->failed = true;
    set_text(record, object, "kind", span_of(failure->kind));
    set_text(record, object, "reason",
             failure->reason.length > 0  ? failure->reason
             : failure->words[0] != '\0' ? span_of(failure->words)
                                         : span_of(failure->kind));
    set_text(record, object, "phase", span_of(failure->phase));
    set_text(record, object, "operation", failure->operation);
    set_numbers(record, object, failure);
    import_json(record, "failure", object, failure->line, failure->line);
    import_json(record, "decision", json_write_string(writer, "failed"), 0, 0);
}
