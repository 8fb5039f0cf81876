#include "validate_format.h"

void validate_format_finding(struct text_buffer *out, const char *file,
                             const struct finding *finding)
{
    text_buffer_puts(out, file);
    if (finding->line > 0)
        text_buffer_printf(out, ":%zu:%zu", finding->line, finding->column);
    text_buffer_puts(out, finding->severity == FINDING_ERROR ? ": error: " : ": warning: ");
    if (finding->pointer[0] != '\0') {
        text_buffer_puts(out, finding->pointer);
        text_buffer_puts(out, ": ");
    }
    text_buffer_puts(out, finding->message);
    text_buffer_printf(out, " [%s]", finding->rule);
}

static void begin(struct text_buffer *out, const struct validate_totals *totals)
{
    (void)out;
    (void)totals;
}

static enum status document(struct text_buffer *out, const struct validate_result *result,
                            struct diag *diag)
{
    const struct document *shown = result->document;
    (void)diag;
    if (result->skipped) {
        if (shown->kind == DOCUMENT_OWN_SUMMARY)
            text_buffer_printf(
                out, "%s: note: a summary of this program, skipped; name it to check it\n",
                shown->display);
        else
            text_buffer_printf(out, "%s: note: a %s, skipped\n", shown->display,
                               document_kind_name(shown->kind));
        return STATUS_OK;
    }
    for (size_t i = 0; i < shown->findings.count; i++) {
        validate_format_finding(out, shown->file, &shown->findings.items[i]);
        text_buffer_puts(out, "\n");
    }
    return STATUS_OK;
}

static void end(struct text_buffer *out, const struct validate_totals *totals)
{
    text_buffer_printf(out, "%zu document%s: %zu valid, %zu invalid, %zu warning%s",
                       totals->documents, totals->documents == 1 ? "" : "s", totals->valid,
                       totals->invalid, totals->warnings, totals->warnings == 1 ? "" : "s");
    if (totals->skipped > 0)
        text_buffer_printf(out, ", %zu skipped", totals->skipped);
    text_buffer_puts(out, "\n");
}

const struct validate_format validate_format_text = {
    .name = "text", .separator = "", .begin = begin, .document = document, .end = end};
