#include "validate_format.h"

#include <stdint.h>
#include <string.h>

#include "path_uri.h"
#include "text.h"

/*
 * Workflow commands of GitHub Actions, which become annotations:
 *
 *     ::error file=PATH,line=LINE,col=COLUMN,title=TITLE::MESSAGE
 *
 * A line of output that begins with "::" is such a command, and one that contains "##[" anywhere
 * may be an older form of it. So every line here is a command of ours, ended by the escaping of its
 * values where we end it, and what comes from a file or its name never has either in it.
 */

/* The characters that end a value; of a message only "%" and the line ends (actions/toolkit,
 * packages/core/src/command.ts). */
enum place { IN_MESSAGE, IN_PROPERTY };

static bool is_special(char c, enum place place)
{
    return c == '%' || c == '\r' || c == '\n' || (place == IN_PROPERTY && (c == ':' || c == ','));
}

static void append_escaped(struct text_buffer *out, const char *text, enum place place)
{
    struct text_buffer plain = {0};
    text_log_append(&plain, text, strlen(text));
    for (size_t i = 0; i < plain.length; i++)
        if (is_special(plain.text[i], place))
            text_buffer_printf(out, "%%%02X", (unsigned)plain.text[i]);
        else
            text_buffer_append(out, plain.text + i, 1);
    out->failed = out->failed || plain.failed;
    text_buffer_fini(&plain);
}

/* The path as GitHub is to find it, from the repository's top: raw, if it is text that a log can
 * bear (a line end is escaped), else as it is shown. */
static void append_path(struct text_buffer *out, const struct document *document)
{
    const char *path = document->path;
    size_t length = strlen(path);
    bool bearable = true;
    for (size_t i = 0, size; i < length && bearable; i += size) {
        uint32_t code = 0;
        size = text_decode(path + i, length - i, &code);
        bearable = size > 0 && (code >= 0x20 || code == '\n' || code == '\r') &&
                   (code < 0x7F || code > 0x9F);
    }
    struct text_buffer below = {0};
    path_uri_below(&below, bearable ? path : document->file);
    append_escaped(out, below.text == NULL ? "" : below.text, IN_PROPERTY);
    out->failed = out->failed || below.failed;
    text_buffer_fini(&below);
}

/* The log of a run shows the message alone, so that it says the place once more. */
static void append_message(struct text_buffer *out, const struct document *document,
                           const struct finding *finding)
{
    struct text_buffer message = {0};
    text_buffer_puts(&message, document->file);
    if (finding->line > 0)
        text_buffer_printf(&message, ":%zu:%zu", finding->line, finding->column);
    text_buffer_printf(&message, ": %s%s%s [%s]", finding->pointer,
                       finding->pointer[0] == '\0' ? "" : ": ", finding->message, finding->rule);
    append_escaped(out, message.text == NULL ? "" : message.text, IN_MESSAGE);
    out->failed = out->failed || message.failed;
    text_buffer_fini(&message);
}

static void append_finding(struct text_buffer *out, const struct document *document,
                           const struct finding *finding)
{
    text_buffer_puts(out, finding->severity == FINDING_ERROR ? "::error " : "::warning ");
    if (strcmp(document->path, "-") != 0) {
        text_buffer_puts(out, "file=");
        append_path(out, document);
        text_buffer_puts(out, ",");
        if (finding->line > 0)
            text_buffer_printf(out, "line=%zu,col=%zu,", finding->line, finding->column);
    }
    text_buffer_puts(out, "title=");
    append_escaped(out, finding->rule, IN_PROPERTY);
    text_buffer_puts(out, "::");
    append_message(out, document, finding);
    text_buffer_puts(out, "\n");
}

static void begin(struct text_buffer *out, const struct validate_totals *totals)
{
    (void)out;
    (void)totals;
}

/* Errors before warnings would change nothing: GitHub counts the two apart. */
static enum status document(struct text_buffer *out, const struct validate_result *result,
                            struct diag *diag)
{
    const struct document *shown = result->document;
    (void)diag;
    for (size_t i = 0; i < shown->findings.count && !result->skipped; i++)
        append_finding(out, shown, &shown->findings.items[i]);
    return STATUS_OK;
}

/* GitHub shows so many annotations of each kind for a step and passes over the rest. */
#define SHOWN 10

static void end(struct text_buffer *out, const struct validate_totals *totals)
{
    if (totals->problem != NULL && totals->named_unreadable == 0) { /* else among those above */
        text_buffer_puts(out, "::error title=rankledger::");
        append_escaped(out, totals->problem, IN_MESSAGE);
        text_buffer_puts(out, "\n");
    }
    text_buffer_printf(out,
                       "::notice title=rankledger::%zu document%s: %zu valid, %zu invalid, %zu "
                       "error%s, %zu warning%s",
                       totals->documents, totals->documents == 1 ? "" : "s", totals->valid,
                       totals->invalid, totals->errors, totals->errors == 1 ? "" : "s",
                       totals->warnings, totals->warnings == 1 ? "" : "s");
    if (totals->errors > SHOWN || totals->warnings > SHOWN)
        text_buffer_printf(out,
                           "; GitHub shows the first %d errors and the first %d warnings of a "
                           "step, the step's log has all",
                           SHOWN, SHOWN);
    text_buffer_puts(out, "\n");
}

const struct validate_format validate_format_github = {
    .name = "github", .separator = "", .begin = begin, .document = document, .end = end};
