#include "import_load.h"

#include <stdio.h>
#include <string.h>

#include "sha256.h"
#include "text.h"

/* ---- Text ---- */

/* Bytes of the terminal escape sequence (ECMA-48) at `at`, which begins with ESC. */
static size_t escape_length(const char *at, const char *end)
{
    const char *to = at + 1;
    if (to < end && *to == '[') {
        for (to++; to < end && *to >= 0x20 && *to < 0x40;)
            to++;
        return (size_t)(to - at) + (to < end && *to >= 0x40 && *to <= 0x7E ? 1 : 0);
    }
    if (to < end && *to == ']') { /* a title or a link, up to BEL or ESC \ */
        for (to++; to < end && *to != '\a' && *to != '\n' && *to != '\033';)
            to++;
        if (to + 1 < end && to[0] == '\033' && to[1] == '\\')
            return (size_t)(to - at) + 2;
        return (size_t)(to - at) + (to < end && *to == '\a' ? 1 : 0);
    }
    while (to < end && *to >= 0x20 && *to < 0x30)
        to++;
    return (size_t)(to - at) + (to < end && *to >= 0x30 && *to <= 0x7E ? 1 : 0);
}

/* Takes out, in place, what is no text: escape sequences, and the NUL bytes that a log has which
 * was cut while its writer went on. */
static size_t clean_text(char *text, size_t size)
{
    const char *end = text + size;
    char *to = text;
    for (const char *from = text; from < end;) {
        if (*from == '\033')
            from += escape_length(from, end);
        else if (*from == '\0')
            from++;
        else
            *to++ = *from++;
    }
    *to = '\0'; /* the buffer has room for a NUL behind the text */
    return (size_t)(to - text);
}

static bool is_blank(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (strchr(" \t\r\n", text[i]) == NULL || text[i] == '\0')
            return false;
    return true;
}

/* Where the text begins: a log that was emptied while its writer went on starts with a hole. */
static size_t hole_length(const char *text, size_t size)
{
    size_t length = 0;
    while (length < size && text[length] == '\0')
        length++;
    return length;
}

/*
 * A NUL among the first bytes, or what no text begins with: the file is UTF-16, compressed, a
 * picture, ... The reader of JSON knows these kinds by their first bytes and says so.
 */
static enum status refuse_binary(const struct import_load *load, struct diag *diag)
{
    enum { HEAD = 512 };
    struct json_read_document json = {0};
    struct json_read_fault fault = {0};
    size_t size = load->input.size;
    size_t head = size < HEAD ? size : HEAD;
    const char *text = load->input.data;
    size_t hole = hole_length(text, size);
    if (hole == size)
        return diag_set(diag, STATUS_INPUT,
                        "%s: has only NUL bytes: the disk was full, or the machine crashed",
                        load->source.path);
    size_t rest = size - hole < HEAD ? size - hole : HEAD;
    bool binary =
        memchr(text + hole, '\0', rest) != NULL ||
        (head >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0 ||
                       memcmp(text, "\x1F\x8B", 2) == 0));
    if (!binary)
        return STATUS_OK;
    enum status status = json_read_parse(&json, text, head, &fault, diag);
    json_read_fini(&json);
    if (status == STATUS_ENVIRONMENT)
        return status;
    const char *kind = strstr(fault.message, "this looks like ");
    if (fault.kind == JSON_READ_FAULT_ENCODING)
        kind = fault.message;
    return diag_set(diag, STATUS_INPUT, "%s: is no log: %s", load->source.path,
                    kind != NULL ? kind : "it has NUL bytes, which no text has");
}

/* ---- JSON as Python writes it ---- */

static size_t token_length(const char *at, const char *end)
{
    static const char *const tokens[] = {"NaN", "Infinity", "-Infinity"};
    for (size_t i = 0; i < sizeof tokens / sizeof tokens[0]; i++) {
        size_t length = strlen(tokens[i]);
        if ((size_t)(end - at) >= length && memcmp(at, tokens[i], length) == 0)
            return length;
    }
    return 0;
}

/* The text with NaN, Infinity and -Infinity, where they stand for numbers, as strings. Lines stay.
 */
static void quote_tokens(struct text_buffer *out, const char *text, size_t size)
{
    const char *end = text + size;
    const char *from = text; /* what is not copied yet */
    bool inside = false;     /* a string */
    for (const char *at = text; at < end; at++) {
        if (inside && *at == '\\')
            at++;
        else if (*at == '"')
            inside = !inside;
        size_t length = !inside && at < end ? token_length(at, end) : 0;
        if (length == 0)
            continue;
        text_buffer_append(out, from, (size_t)(at - from));
        text_buffer_printf(out, "\"%.*s\"", (int)length, at);
        from = at + length;
        at = from - 1;
    }
    text_buffer_append(out, from, (size_t)(end - from));
}

static enum status parse(struct import_load *load, const char *text, size_t size, bool *sound,
                         struct diag *diag)
{
    struct json_read_fault fault;
    enum status status = json_read_parse(&load->json, text, size, &fault, diag);
    *sound = status == STATUS_OK && (load->json.flags & JSON_READ_DUPLICATE_KEY) == 0;
    if (status == STATUS_OK && !*sound)
        snprintf(load->fault, sizeof load->fault, "1:1: a name is given twice in one object");
    if (status == STATUS_INPUT) {
        size_t line = 0;
        size_t column = 0;
        json_read_position(&load->json, fault.offset, &line, &column);
        snprintf(load->fault, sizeof load->fault, "%zu:%zu: %s", line, column, fault.message);
    }
    return status == STATUS_INPUT ? STATUS_OK : status;
}

static enum status read_json(struct import_load *load, struct diag *diag)
{
    const struct import_source *source = &load->source;
    bool sound = false;
    size_t blank = strspn(source->text, " \t\r\n");
    if (source->text[blank] != '{' && source->text[blank] != '[')
        return STATUS_OK;
    enum status status = parse(load, source->text, source->size, &sound, diag);
    if (status == STATUS_OK && !sound && source->text[blank] == '{' &&
        (strstr(source->text, "NaN") != NULL || strstr(source->text, "Infinity") != NULL)) {
        quote_tokens(&load->python, source->text, source->size);
        status = load->python.failed
                     ? diag_no_memory(diag)
                     : parse(load, load->python.text, load->python.length, &sound, diag);
    }
    if (status == STATUS_OK && sound)
        load->source.json = &load->json;
    else if (status == STATUS_OK && source->text[blank] == '{')
        load->source.json_fault = load->fault;
    return status;
}

static enum status name_source(struct import_load *load, const char *path, struct diag *diag)
{
    text_buffer_clear(&load->path);
    text_buffer_clear(&load->python);
    load->source = (struct import_source){.file = strcmp(path, "-") == 0 ? NULL : path};
    if (load->source.file == NULL)
        text_buffer_puts(&load->path, "<stdin>");
    else
        text_escape(&load->path, path, strlen(path));
    load->source.path = load->path.text != NULL ? load->path.text : "";
    return load->path.failed ? diag_no_memory(diag) : STATUS_OK;
}

/* The bytes in `input` as a source. */
static enum status take_input(struct import_load *load, struct diag *diag)
{
    load->bytes = load->input.size;
    sha256_hex(load->input.data, load->bytes, load->sha256);
    if (is_blank(load->input.data, load->bytes))
        return diag_set(diag, STATUS_INPUT,
                        "%s: is empty: the job died before it wrote, or the disk was full",
                        load->source.path);
    enum status status = refuse_binary(load, diag);
    if (status != STATUS_OK)
        return status;
    char *text = load->input.data;
    if (load->bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        memset(text, 0, 3); /* a byte order mark goes as NUL bytes do */
    load->source.size = clean_text(text, load->bytes);
    load->source.text = text;
    return read_json(load, diag);
}

static const char *advice_on(enum input_fault fault)
{
    return fault == INPUT_FAULT_TOO_LARGE     ? "; --size-limit MIB raises it"
           : fault == INPUT_FAULT_NOT_REGULAR ? "; name the logs themselves (DIR/*.log)"
                                              : "";
}

enum status import_load_file(struct import_load *load, const char *path, size_t limit,
                             struct diag *diag)
{
    enum input_fault fault = INPUT_FAULT_NONE;
    struct diag reason = {0};
    enum status status = name_source(load, path, diag);
    if (status != STATUS_OK)
        return status;
    status = input_read_file(&load->input, path, limit, &fault, &reason);
    if (status != STATUS_OK)
        return diag_set(diag, status, "%s%s", reason.text, advice_on(fault));
    return take_input(load, diag);
}

enum status import_load_bytes(struct import_load *load, const char *text, size_t size,
                              struct diag *diag)
{
    enum status status = name_source(load, "-", diag);
    if (status == STATUS_OK)
        status = input_buffer_reserve(&load->input, size, diag);
    if (status != STATUS_OK)
        return status;
    memcpy(load->input.data, text, size);
    load->input.size = size;
    return take_input(load, diag);
}

void import_load_fini(struct import_load *load)
{
    text_buffer_fini(&load->path);
    text_buffer_fini(&load->python);
    input_fini(&load->input);
    json_read_fini(&load->json);
    *load = (struct import_load){0};
}
