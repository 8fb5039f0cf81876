#include "document.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "text.h"
#include "validate.h"

/* What one file's documents share. */
struct visit {
    struct document_reader *reader;
    const char *path;
    document_visit *visit;
    void *context;
    struct diag *diag;
    bool kept; /* the text lies in the reader's buffers: it can serve the next as a pattern */
};

static enum status prepare(struct document_reader *reader, struct diag *diag)
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

/* Names the document; `line` 0: it is the whole file. */
static enum status name_document(const struct visit *v, size_t line, struct document *document)
{
    struct arena *arena = &v->reader->arena;
    document->name = v->path;
    document->path = v->path;
    document->file = display_of(arena, v->path);
    document->display = document->file;
    if (line > 0 && document->file != NULL) {
        document->first_line = line - 1;
        document->name = arena_printf(arena, "%s:%zu", v->path, line);
        document->display = arena_printf(arena, "%s:%zu", document->file, line);
    }
    if (document->file == NULL || document->name == NULL || document->display == NULL)
        return diag_no_memory(v->diag);
    return STATUS_OK;
}

static bool begins_with(const struct json_read_document *json, uint32_t node, const char *prefix)
{
    char text[64];
    if (!json_read_is(json, node, JSON_READ_STRING))
        return false;
    json_read_string(json, node, text, sizeof text);
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static enum document_kind kind_of(const struct json_read_document *json)
{
    if (begins_with(json, json_read_member(json, 0, "schema"), "rankledger.summary/"))
        return DOCUMENT_OWN_SUMMARY;
    if (begins_with(json, json_read_member(json, 0, "schema"), "rankledger.policy/"))
        return DOCUMENT_OWN_POLICY;
    if (begins_with(json, json_read_member(json, 0, "schema"), "rankledger.index/"))
        return DOCUMENT_OWN_INDEX;
    if (begins_with(json, json_read_member(json, 0, "schema"), "rankledger.calibration/"))
        return DOCUMENT_OWN_CALIBRATION;
    uint32_t sources = json_read_member(json, 0, "sources");
    if (json_read_is(json, sources, JSON_READ_ARRAY) &&
        begins_with(json, json_read_member(json, 0, "evidence_level"), "aggregated_"))
        return DOCUMENT_FOREIGN_SUMMARY;
    uint32_t metadata = json_read_member(json, 0, "metadata");
    if (json_read_is(json, metadata, JSON_READ_OBJECT) &&
        begins_with(json, json_read_member(json, metadata, "format"), "rankledger.checkpoint/"))
        return DOCUMENT_OWN_CHECKPOINT;
    return DOCUMENT_RECORD;
}

const char *document_kind_name(enum document_kind kind)
{
    static const char *const names[] = {
        [DOCUMENT_RECORD] = "record",
        [DOCUMENT_OWN_SUMMARY] = "summary",
        [DOCUMENT_OWN_POLICY] = "policy",
        [DOCUMENT_OWN_CHECKPOINT] = "checkpoint",
        [DOCUMENT_OWN_INDEX] = "index",
        [DOCUMENT_OWN_CALIBRATION] = "calibration",
        [DOCUMENT_FOREIGN_SUMMARY] = "foreign_summary",
    };
    return names[kind];
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

static enum status add_fault(const struct visit *v, struct json_read_fault *fault,
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
    if (!finding_add(&document->findings, &v->reader->arena, &finding))
        return diag_no_memory(v->diag);
    return STATUS_OK;
}

static enum status check_text(const struct visit *v, const char *text, size_t size, size_t line)
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
    struct document_reader *reader = v->reader;
    struct document document = {0};
    struct json_read_fault fault;
    arena_clear(&reader->arena);
    enum status status = name_document(v, line, &document);
    if (status != STATUS_OK)
        return status;
    status = reader->has_pattern ? json_read_parse_like(&reader->json, text, size, &fault, v->diag)
                                 : json_read_parse(&reader->json, text, size, &fault, v->diag);
    reader->has_pattern = v->kept;
    document.json = reader->json;
    if (status == STATUS_INPUT) {
        status = add_fault(v, &fault, &document);
    } else if (status == STATUS_OK) {
        document.kind = kind_of(&reader->json);
        struct validate_request request = {.json = &reader->json,
                                           .index = reader->index,
                                           .scope = scopes[document.kind],
                                           .first_line = document.first_line,
                                           .memory = reader->memory,
                                           .arena = &reader->arena,
                                           .findings = &document.findings};
        status = validate_document(&request, v->diag);
    }
    return status == STATUS_OK ? v->visit(v->context, &document, v->diag) : status;
}

static bool is_blank(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r')
            return false;
    return true;
}

/* One document a line; blank lines separate nothing and are passed over. */
static enum status check_lines(const struct visit *v, const char *text, size_t size)
{
    size_t line = 1;
    bool any = false;
    enum status status = STATUS_OK;
    for (size_t begin = 0; begin < size && status == STATUS_OK; line++) {
        const char *line_feed = memchr(text + begin, '\n', size - begin);
        size_t end = line_feed == NULL ? size : (size_t)(line_feed - text);
        if (!is_blank(text + begin, end - begin)) {
            status = check_text(v, text + begin, end - begin, line);
            any = true;
        }
        begin = end + 1;
    }
    return any || status != STATUS_OK ? status : check_text(v, text, size, 0);
}

static bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path);
    size_t size = strlen(ending);
    return length > size && strcmp(path + length - size, ending) == 0;
}

/* UTF-16 cannot be split into lines at the byte 0x0A. */
static bool is_wide(const char *text, size_t size)
{
    return size >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0);
}

static enum status check_bytes(const struct visit *v, const char *text, size_t size)
{
    enum status status = prepare(v->reader, v->diag);
    if (status != STATUS_OK)
        return status;
    bool lines = has_ending(v->path, ".jsonl") || has_ending(v->path, ".ndjson");
    if (lines && !is_wide(text, size))
        return check_lines(v, text, size);
    return check_text(v, text, size, 0);
}

enum status document_check_bytes(struct document_reader *reader, const char *path, const char *text,
                                 size_t size, document_visit *visit, void *context,
                                 struct diag *diag)
{
    struct visit v = {reader, path, visit, context, diag, false};
    return check_bytes(&v, text, size);
}

/* What is read next must not overwrite the text that `json` points into: that buffer is put by. It
 * may have been put by already, if the file in between could not be read. */
static void spare_pattern(struct document_reader *reader)
{
    uintptr_t text = (uintptr_t)reader->json.text;
    uintptr_t begin = (uintptr_t)reader->input.data;
    if (reader->input.data == NULL || text < begin || text - begin > reader->input.capacity)
        return;
    struct input_buffer input = reader->input;
    reader->input = reader->before;
    reader->before = input;
}

/* A document that has no text, only the reason. */
static enum status visit_unreadable(const struct visit *v, enum input_fault input_fault,
                                    const char *reason)
{
    static const char *const rules[] = {
        [INPUT_FAULT_NONE] = "unreadable",
        [INPUT_FAULT_UNREADABLE] = "unreadable",
        [INPUT_FAULT_NOT_REGULAR] = "not_regular",
        [INPUT_FAULT_TOO_LARGE] = "too_large",
    };
    struct document document = {.input_fault = input_fault};
    arena_clear(&v->reader->arena);
    enum status status = name_document(v, 0, &document);
    if (status != STATUS_OK)
        return status;
    struct finding finding = {
        .severity = FINDING_ERROR, .rule = rules[input_fault], .pointer = "", .message = reason};
    if (!finding_add(&document.findings, &v->reader->arena, &finding))
        return diag_no_memory(v->diag);
    return v->visit(v->context, &document, v->diag);
}

/* The reader's message names the file, as the document does already. */
static const char *without_name(const char *message, const char *path)
{
    char name[1024];
    text_escape_into(name, sizeof name, path, strlen(path));
    size_t length = strlen(name);
    if (strncmp(message, name, length) == 0 && strncmp(message + length, ": ", 2) == 0)
        return message + length + 2;
    return message;
}

static enum status check_file(const struct visit *v)
{
    struct document_reader *reader = v->reader;
    enum input_fault fault = INPUT_FAULT_NONE;
    struct diag reason = {0};
    size_t limit = reader->size_limit != 0 ? reader->size_limit : INPUT_DEFAULT_LIMIT;
    enum status status = input_read_file(&reader->input, v->path, limit, &fault, &reason);
    if (status == STATUS_INPUT)
        return visit_unreadable(v, fault, without_name(reason.text, v->path));
    if (status != STATUS_OK)
        return diag_set(v->diag, status, "%s", reason.text);
    return check_bytes(v, reader->input.data, reader->input.size);
}

enum status document_check_entry(struct document_reader *reader, const struct path_entry *entry,
                                 document_visit *visit, void *context, struct diag *diag)
{
    struct visit v = {reader, entry->path, visit, context, diag, true};
    struct stat about;
    if (entry->walked && !entry->regular && stat(entry->path, &about) == 0 &&
        !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        return visit_unreadable(&v, INPUT_FAULT_NOT_REGULAR,
                                S_ISFIFO(about.st_mode)   ? "is a pipe, not a file"
                                : S_ISSOCK(about.st_mode) ? "is a socket, not a file"
                                                          : "is a device, not a file");
    spare_pattern(reader);
    size_t limit = reader->size_limit != 0 ? reader->size_limit : INPUT_DEFAULT_LIMIT;
    if (entry->regular && input_read_small(&reader->input, entry->path, limit))
        return check_bytes(&v, reader->input.data, reader->input.size);
    return check_file(&v);
}

void document_reader_fini(struct document_reader *reader)
{
    if (reader == NULL)
        return;
    input_fini(&reader->input);
    input_fini(&reader->before);
    if (reader->memory != NULL)
        validate_memory_fini(reader->memory);
    free(reader->memory);
    json_read_fini(&reader->json);
    arena_fini(&reader->arena);
    free(reader->index);
    *reader = (struct document_reader){0};
}
