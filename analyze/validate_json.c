#include "validate_format.h"

#define SEPARATOR ",\n"

static const char *kind_name(const struct document *document)
{
    if (document->json.count == 0)
        return NULL; /* not known */
    return document_kind_name(document->kind);
}

static json_t *build_place(struct json_write *writer, size_t place)
{
    return place == 0 ? json_write_null(writer) : json_write_integer(writer, (int64_t)place);
}

static json_t *build_findings(struct json_write *writer, const struct finding_list *findings)
{
    json_t *list = json_write_array(writer);
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        json_t *object = json_write_object(writer);
        json_write_set(writer, object, "line", build_place(writer, finding->line));
        json_write_set(writer, object, "column", build_place(writer, finding->column));
        json_write_set(
            writer, object, "severity",
            json_write_string(writer, finding->severity == FINDING_ERROR ? "error" : "warning"));
        json_write_set(writer, object, "rule", json_write_string(writer, finding->rule));
        json_write_set(writer, object, "pointer", json_write_string(writer, finding->pointer));
        json_write_set(writer, object, "message", json_write_string(writer, finding->message));
        json_write_append(writer, list, object);
    }
    return list;
}

enum status validate_format_json_value(struct text_buffer *out, struct json_write *writer,
                                       json_t *value, struct diag *diag)
{
    enum status status = json_write_text(writer, value, out, diag);
    json_decref(value);
    if (status == STATUS_OK && !out->failed && out->length > 0 &&
        out->text[out->length - 1] == '\n')
        out->text[--out->length] = '\0';
    return status;
}

static void begin(struct text_buffer *out, const struct validate_totals *totals)
{
    (void)totals;
    text_buffer_puts(out, "{\"documents\": [\n");
}

static enum status document(struct text_buffer *out, const struct validate_result *result,
                            struct diag *diag)
{
    const struct document *shown = result->document;
    struct json_write writer = {0};
    json_t *object = json_write_object(&writer);
    const char *status = result->skipped ? "skipped" : result->valid ? "valid" : "invalid";
    json_write_set(&writer, object, "path", json_write_string(&writer, shown->display));
    json_write_set(&writer, object, "status", json_write_string(&writer, status));
    json_write_set(&writer, object, "kind", json_write_string(&writer, kind_name(shown)));
    const struct finding_list none = {0};
    json_write_set(&writer, object, "findings",
                   build_findings(&writer, result->skipped ? &none : &shown->findings));
    text_buffer_puts(out, SEPARATOR);
    return validate_format_json_value(out, &writer, object, diag);
}

static void end(struct text_buffer *out, const struct validate_totals *totals)
{
    text_buffer_printf(
        out,
        "\n],\n\"schema\": \"rankledger.validation/1\",\n\"totals\": {\"documents\": "
        "%zu, \"errors\": %zu, \"invalid\": %zu, \"skipped\": %zu, \"valid\": %zu, "
        "\"warnings\": %zu}}\n",
        totals->documents, totals->errors, totals->invalid, totals->skipped, totals->valid,
        totals->warnings);
}

const struct validate_format validate_format_json = {
    .name = "json", .separator = SEPARATOR, .begin = begin, .document = document, .end = end};
