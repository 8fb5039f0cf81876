#include "summary_document.h"

/* The first node with one of the flags. */
static uint32_t find_flag(const struct json_read_document *document, unsigned flags)
{
    for (uint32_t i = 0; i < document->count; i++)
        if (document->nodes[i].flags & flags)
            return i;
    return JSON_READ_NONE;
}

static enum status check(const struct json_read_source *source, const char *schema,
                         const char *what, struct diag *diag)
{
    const struct json_read_document *document = source->document;
    uint32_t node = JSON_READ_NONE;
    if (!json_read_is(document, 0, JSON_READ_OBJECT))
        return json_read_refuse(source, 0, diag, "expected %s, found %s", what,
                                json_read_type_name((enum json_read_type)document->nodes[0].type));
    if (document->flags & JSON_READ_DUPLICATE_KEY)
        return json_read_refuse(source, find_flag(document, JSON_READ_DUPLICATE_KEY), diag,
                                "this name stands here a second time");
    enum status status =
        json_read_get_node(source, 0, "schema", JSON_READ_STRING, JSON_READ_REQUIRED, &node, diag);
    if (status == STATUS_OK && !json_read_equals(document, node, schema))
        status = json_read_refuse(source, node, diag,
                                  "another edition of the program wrote this, or it is not %s: "
                                  "expected \"%s\"",
                                  what, schema);
    return status;
}

static enum status refuse_text(const struct summary_document *given,
                               const struct json_read_fault *fault, struct diag *diag)
{
    struct json_read_document whole = {.text = given->text, .size = given->size};
    size_t line = 0;
    size_t column = 0;
    json_read_position(&whole, fault->offset, &line, &column);
    return diag_set(diag, STATUS_INPUT, "%s:%zu:%zu: error: %s", given->path, line, column,
                    fault->message);
}

enum status summary_document_parse(const struct summary_document *given, const char *schema,
                                   const char *what, struct json_read_document *document,
                                   struct diag *diag)
{
    struct json_read_fault fault = {0};
    const struct json_read_source source = {document, given->path};
    enum status status = json_read_parse(document, given->text, given->size, &fault, diag);
    if (status == STATUS_INPUT)
        return refuse_text(given, &fault, diag);
    return status != STATUS_OK ? status : check(&source, schema, what, diag);
}
