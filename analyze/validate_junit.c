#include "validate_format.h"

#include <stdint.h>
#include <string.h>

#include "text.h"

/* Characters that XML 1.0 allows, section 2.2. */
static bool is_allowed(uint32_t code)
{
    return code == '\t' || code == '\n' || code == '\r' || (code >= 0x20 && code <= 0xD7FF) ||
           (code >= 0xE000 && code <= 0xFFFD) || code >= 0x10000;
}

static const char *entity_of(uint32_t code)
{
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&apos;";
    case '\t': /* in an attribute a parser makes spaces of these */
        return "&#9;";
    case '\r':
        return "&#13;";
    default:
        return NULL;
    }
}

void validate_format_xml(struct text_buffer *out, const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length;) {
        uint32_t code = 0;
        size_t size = text_decode(text + i, length - i, &code);
        const char *entity = size > 0 ? entity_of(code) : NULL;
        if (size == 0 || !is_allowed(code))
            text_buffer_puts(out, "?");
        else if (entity != NULL)
            text_buffer_puts(out, entity);
        else
            text_buffer_append(out, text + i, size);
        i += size > 0 ? size : 1;
    }
}

/* The attributes that Jenkins's schema (junit-10.xsd) knows in both elements. */
static void append_counts(struct text_buffer *out, const char *element,
                          const struct validate_totals *totals)
{
    text_buffer_printf(out,
                       "<%s name=\"rankledger validate\" tests=\"%zu\" failures=\"%zu\" "
                       "errors=\"0\"",
                       element, totals->documents + totals->skipped, totals->invalid);
}

static void begin(struct text_buffer *out, const struct validate_totals *totals)
{
    text_buffer_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    append_counts(out, "testsuites", totals);
    text_buffer_puts(out, ">\n");
    append_counts(out, "testsuite", totals);
    text_buffer_printf(out, " skipped=\"%zu\">\n", totals->skipped);
}

static void append_findings(struct text_buffer *out, const struct document *document)
{
    struct text_buffer line = {0};
    for (size_t i = 0; i < document->findings.count; i++) {
        text_buffer_clear(&line);
        validate_format_finding(&line, document->file, &document->findings.items[i]);
        if (line.text != NULL)
            validate_format_xml(out, line.text);
        text_buffer_puts(out, "\n");
    }
    out->failed = out->failed || line.failed;
    text_buffer_fini(&line);
}

/* The first error, or under --strict the first warning. */
static const struct finding *first_reason(const struct finding_list *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].severity == FINDING_ERROR)
            return &findings->items[i];
    return findings->count > 0 ? &findings->items[0] : NULL;
}

static void append_failure(struct text_buffer *out, const struct document *document)
{
    const struct finding *reason = first_reason(&document->findings);
    if (reason == NULL)
        return;
    text_buffer_printf(out, "<failure type=\"%s\" message=\"", reason->rule);
    validate_format_xml(out, reason->message);
    text_buffer_puts(out, "\">");
    append_findings(out, document);
    text_buffer_puts(out, "</failure>");
}

static enum status document(struct text_buffer *out, const struct validate_result *result,
                            struct diag *diag)
{
    const struct document *shown = result->document;
    (void)diag;
    text_buffer_puts(out, "<testcase classname=\"rankledger.validate\" name=\"");
    validate_format_xml(out, shown->display);
    text_buffer_puts(out, "\">");
    if (result->skipped) {
        text_buffer_printf(out, "<skipped message=\"a %s of this program\"/>",
                           document_kind_name(shown->kind));
    } else if (!result->valid) {
        append_failure(out, shown);
    } else if (shown->findings.count > 0) {
        text_buffer_puts(out, "<system-out>");
        append_findings(out, shown);
        text_buffer_puts(out, "</system-out>");
    }
    text_buffer_puts(out, "</testcase>\n");
    return STATUS_OK;
}

static void end(struct text_buffer *out, const struct validate_totals *totals)
{
    (void)totals;
    text_buffer_puts(out, "</testsuite>\n</testsuites>\n");
}

const struct validate_format validate_format_junit = {.name = "junit",
                                                      .separator = "",
                                                      .totals_first = true,
                                                      .begin = begin,
                                                      .document = document,
                                                      .end = end};
