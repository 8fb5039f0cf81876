#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "fuzz_require.h"
#include "validate_format.h"

/*
 * Validation of any bytes as evidence, a .json or a .jsonl file, and the forms of its output. An
 * input's size chooses among them, so that a changed byte changes nothing else.
 */

struct checking {
    const struct validate_format *format;
    struct text_buffer out;
    size_t documents;
};

static void require_finding(const struct finding *finding, const struct document *document)
{
    fuzz_require(finding->line >= 1 && finding->column >= 1, "a finding has a place");
    fuzz_require(finding->line > document->first_line, "a finding lies in its document");
    fuzz_require(finding->message[0] != '\0', "a finding has a message");
    fuzz_require_line(finding->message, SIZE_MAX);
    fuzz_require_line(finding->pointer, 1024);
}

static enum status visit(void *context, const struct document *document, struct diag *diag)
{
    struct checking *checking = context;
    const struct finding_list *findings = &document->findings;
    struct validate_result result = {.document = document, .valid = findings->errors == 0};
    size_t errors = 0;
    for (size_t i = 0; i < findings->count; i++) {
        errors += findings->items[i].severity == FINDING_ERROR;
        require_finding(&findings->items[i], document);
        fuzz_require(i == 0 || findings->items[i].line > findings->items[i - 1].line ||
                         findings->items[i].offset >= findings->items[i - 1].offset,
                     "findings are sorted");
    }
    fuzz_require(errors == findings->errors, "errors are counted");
    fuzz_require(findings->count == findings->errors + findings->warnings, "all are counted");
    checking->documents++;
    return checking->format->document(&checking->out, &result, diag);
}

static void require_github(const struct text_buffer *out)
{
    fuzz_require_lines(out->text, out->length);
    fuzz_require(strstr(out->text, "##[") == NULL, "no command of the older form");
    for (const char *line = out->text; *line != '\0'; line = strchr(line, '\n') + 1)
        fuzz_require(strncmp(line, "::error ", 8) == 0 || strncmp(line, "::warning ", 10) == 0,
                     "each line is an annotation of ours");
}

static void require_form(const struct checking *checking)
{
    static const char *const elements[] = {"testcase", "failure", "system-out", "skipped", NULL};
    const struct text_buffer *out = &checking->out;
    size_t separator = strlen(checking->format->separator);
    fuzz_require(!out->failed, "memory");
    if (out->length == 0)
        return;
    if (checking->format == &validate_format_text)
        fuzz_require_lines(out->text, out->length);
    else if (checking->format == &validate_format_github)
        require_github(out);
    else if (checking->format == &validate_format_junit)
        fuzz_require_xml(out->text, out->length, elements);
    else {
        struct text_buffer list = {0};
        text_buffer_printf(&list, "[%s]", out->text + separator);
        fuzz_require(!list.failed, "memory");
        fuzz_require_json(list.text, list.length);
        text_buffer_fini(&list);
    }
}

static void check(struct document_reader *reader, const char *path, const uint8_t *data,
                  size_t size, struct checking *checking)
{
    struct diag diag = {0};
    enum status status =
        document_check_bytes(reader, path, (const char *)data, size, visit, checking, &diag);
    fuzz_require(status == STATUS_OK, "checking does not fail");
    fuzz_require(checking->documents > 0, "there is a document");
}

/* The short way through a file like the one before it finds the same. */
static void check_like(struct document_reader *reader, const uint8_t *data, size_t size,
                       struct checking *first)
{
    struct checking after = {.format = first->format};
    uint8_t *before = malloc(size + 1);
    fuzz_require(before != NULL, "memory");
    memcpy(before, data, size);
    if (size > 0) /* unlike in one place, most often in a number */
        before[(size * 7919u + data[size / 2]) % size] = '0' + size % 10;
    check(reader, "x.json", before, size, &after);
    text_buffer_clear(&after.out);
    reader->has_pattern = true;
    check(reader, "x.json", data, size, &after);
    fuzz_require_same(&first->out, &after.out, "a file before changes nothing");
    text_buffer_fini(&after.out);
    free(before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Those that build a tree of JSON cost most. */
    static const struct validate_format *const formats[] = {
        &validate_format_text,   &validate_format_github, &validate_format_text,
        &validate_format_junit,  &validate_format_text,   &validate_format_json,
        &validate_format_github, &validate_format_sarif};
    /* Kept, as building the index of the rules takes longer than all the rest. */
    static struct document_reader reader;
    bool lines = size % 8 == 1;
    struct checking checking = {.format = formats[size / 2 % 8]};
    check(&reader, lines ? "x.jsonl" : "x.json", data, size, &checking);
    require_form(&checking);
    if (size % 8 == 0)
        check_like(&reader, data, size, &checking);
    text_buffer_fini(&checking.out);
    return 0;
}
