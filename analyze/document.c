#include "document_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "validate.h"

#define MEBIBYTE ((size_t)1 << 20)

enum status document_check_prepare(struct document_reader *reader, struct diag *diag)
{
    if (reader->index != NULL)
        return STATUS_OK;
    struct evidence_index *index = malloc(sizeof *index);
    struct validate_memory *memory = calloc(1, sizeof *memory);
    enum status status =
        index == NULL || memory == NULL ? diag_no_memory(diag) : evidence_index_build(index, diag);
    if (status != STATUS_OK) {
        free(index);
        free(memory);
        return status;
    }
    reader->index = index;
    reader->memory = memory;
    return STATUS_OK;
}

static bool is_printable(const char *path)
{
    for (; *path != '\0'; path++)
        if (*path < 0x20 || *path > 0x7E)
            return false;
    return true;
}

/* The path as printed; almost always the path itself. NULL: memory exhausted. */
static const char *display_of(struct arena *arena, const char *path)
{
    if (strcmp(path, "-") == 0)
        return "<stdin>";
    if (is_printable(path))
        return path;
    struct text_buffer escaped = {0};
    text_escape(&escaped, path, strlen(path));
    char *copy = escaped.failed ? NULL : arena_copy(arena, escaped.text, escaped.length);
    text_buffer_fini(&escaped);
    return copy;
}

/* "PATH:LINE"; NULL: memory exhausted. Written by hand: there may be a million of them. */
static const char *name_line(struct arena *arena, const char *path, size_t line)
{
    char digits[24];
    char *first = digits + sizeof digits;
    size_t length = strlen(path);
    for (size_t rest = line; rest > 0; rest /= 10)
        *--first = (char)('0' + rest % 10);
    size_t count = (size_t)(digits + sizeof digits - first);
    char *name = arena_take(arena, length + count + 2);
    if (name == NULL)
        return NULL;
    memcpy(name, path, length);
    name[length] = ':';
    memcpy(name + length + 1, first, count);
    return name;
}

/* Names the document; `line` 0: it is the whole file. */
static enum status name_document(const struct document_check *check, size_t line,
                                 struct document *document)
{
    struct arena *arena = &check->reader->arena;
    document->name = check->path;
    document->path = check->path;
    document->file = display_of(arena, check->path);
    document->display = document->file;
    if (line > 0 && document->file != NULL) {
        document->first_line = line - 1;
        document->name = name_line(arena, check->path, line);
        document->display =
            document->file == check->path ? document->name : name_line(arena, document->file, line);
    }
    if (document->file == NULL || document->name == NULL || document->display == NULL)
        return diag_no_memory(check->diag);
    return STATUS_OK;
}

/* The reader counts the lines of the text that it was given. A line of a .jsonl file holds no line
 * feed, so that every "line 1" in its words is the line of the file. */
static void correct_line(char *message, size_t capacity, size_t line)
{
    static const char first[] = "in line 1";
    char *found = strstr(message, first);
    if (line <= 1 || found == NULL)
        return;
    char rest[sizeof((struct json_read_fault *)NULL)->message];
    snprintf(rest, sizeof rest, "%s", found + sizeof first - 1);
    size_t used = (size_t)(found - message);
    snprintf(found, capacity - used, "in line %zu%s", line, rest);
}

static enum status add_fault(const struct document_check *check, struct json_read_fault *fault,
                             struct document *document)
{
    correct_line(fault->message, sizeof fault->message, document->first_line + 1);
    struct finding finding = {.severity = FINDING_ERROR,
                              .offset = fault->offset,
                              .rule = json_read_fault_name(fault->kind),
                              .pointer = fault->pointer,
                              .message = fault->message};
    json_read_position(&document->json, fault->offset, &finding.line, &finding.column);
    finding.line += document->first_line;
    if (!finding_add(&document->findings, &check->reader->arena, &finding))
        return diag_no_memory(check->diag);
    return STATUS_OK;
}

enum status document_check_text(const struct document_check *check, const char *text, size_t size,
                                size_t line)
{
    static const enum evidence_scope scopes[] = {
        [DOCUMENT_RECORD] = EVIDENCE_RECORD,
        [DOCUMENT_OWN_SUMMARY] = EVIDENCE_OWN_SUMMARY,
        [DOCUMENT_OWN_POLICY] = EVIDENCE_RECORD,
        [DOCUMENT_OWN_CHECKPOINT] = EVIDENCE_RECORD,
        [DOCUMENT_OWN_INDEX] = EVIDENCE_RECORD,
        [DOCUMENT_OWN_CALIBRATION] = EVIDENCE_RECORD,
        [DOCUMENT_FOREIGN_SUMMARY] = EVIDENCE_FOREIGN_SUMMARY,
    };
    struct document_reader *reader = check->reader;
    struct document document = {.file_sha256 = check->file_sha256};
    struct json_read_fault fault;
    arena_clear(&reader->arena);
    enum status status = name_document(check, line, &document);
    if (status != STATUS_OK)
        return status;
    status = reader->has_pattern
                 ? json_read_parse_like(&reader->json, text, size, &fault, check->diag)
                 : json_read_parse(&reader->json, text, size, &fault, check->diag);
    reader->has_pattern = check->kept;
    document.json = reader->json;
    if (status == STATUS_INPUT) {
        status = add_fault(check, &fault, &document);
    } else if (status == STATUS_OK) {
        document.kind = document_kind_of(&reader->json);
        struct validate_request request = {.json = &reader->json,
                                           .index = reader->index,
                                           .scope = scopes[document.kind],
                                           .first_line = document.first_line,
                                           .memory = reader->memory,
                                           .arena = &reader->arena,
                                           .findings = &document.findings};
        status = validate_document(&request, check->diag);
    }
    return status == STATUS_OK ? check->visit(check->context, &document, check->diag) : status;
}

enum status document_check_unreadable(const struct document_check *check, size_t line,
                                      enum input_fault input_fault, const char *reason)
{
    static const char *const rules[] = {
        [INPUT_FAULT_NONE] = "unreadable",
        [INPUT_FAULT_UNREADABLE] = "unreadable",
        [INPUT_FAULT_NOT_REGULAR] = "not_regular",
        [INPUT_FAULT_TOO_LARGE] = "too_large",
        [INPUT_FAULT_GZIP_TRUNCATED] = "gzip_truncated",
        [INPUT_FAULT_GZIP_DAMAGED] = "gzip_damaged",
        [INPUT_FAULT_GZIP_TRAILING] = "gzip_trailing_data",
    };
    struct document document = {.input_fault = input_fault};
    arena_clear(&check->reader->arena);
    enum status status = name_document(check, line, &document);
    if (status != STATUS_OK)
        return status;
    struct finding finding = {.line = line,
                              .column = line > 0,
                              .severity = FINDING_ERROR,
                              .rule = rules[input_fault],
                              .pointer = "",
                              .message = reason};
    if (!finding_add(&document.findings, &check->reader->arena, &finding))
        return diag_no_memory(check->diag);
    return check->visit(check->context, &document, check->diag);
}

static bool is_blank(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r')
            return false;
    return true;
}

static size_t limit_of(const struct document_reader *reader)
{
    return reader->size_limit != 0 ? reader->size_limit : INPUT_DEFAULT_LIMIT;
}

static enum status refuse_line(const struct document_check *check, size_t line)
{
    size_t limit = limit_of(check->reader);
    char reason[96];
    snprintf(reason, sizeof reason, "the line is larger than the limit of %zu %s",
             limit % MEBIBYTE == 0 ? limit / MEBIBYTE : limit,
             limit % MEBIBYTE == 0 ? "MiB" : "bytes");
    return document_check_unreadable(check, line, INPUT_FAULT_TOO_LARGE, reason);
}

enum status document_check_lines(const struct document_check *check, const char *text, size_t size,
                                 size_t line)
{
    size_t limit = limit_of(check->reader);
    enum status status = STATUS_OK;
    for (size_t begin = 0; begin < size && status == STATUS_OK;) {
        const char *line_feed = memchr(text + begin, '\n', size - begin);
        size_t end = line_feed == NULL ? size : (size_t)(line_feed - text);
        line++;
        if (end - begin > limit)
            status = refuse_line(check, line);
        else if (!is_blank(text + begin, end - begin))
            status = document_check_text(check, text + begin, end - begin, line);
        begin = end + 1;
    }
    return status;
}
