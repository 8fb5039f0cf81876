#include "document_text.h"

#include <stdio.h>
#include <string.h>

#include "json_read.h"

/* So much is read at once, which stays in the second-level cache while it is checked. */
#define PIECE_BYTES ((size_t)256 << 10)
/* Storage that a long line made larger than this is not kept. */
#define KEPT_BYTES (PIECE_BYTES * 4)

static bool has_ending(const char *path, size_t length, const char *ending)
{
    size_t size = strlen(ending);
    return length > size && memcmp(path + length - size, ending, size) == 0;
}

/* Without the .gz of a compressed file. */
static size_t plain_length(const char *path)
{
    size_t length = strlen(path);
    return has_ending(path, length, ".gz") ? length - strlen(".gz") : length;
}

enum document_text_name document_text_name(const char *path)
{
    size_t length = plain_length(path);
    if (has_ending(path, length, ".json"))
        return DOCUMENT_TEXT_JSON;
    return has_ending(path, length, ".jsonl") || has_ending(path, length, ".ndjson")
               ? DOCUMENT_TEXT_LINES
               : DOCUMENT_TEXT_OTHER;
}

void document_text_open(struct document_text *text, const char *path, size_t limit)
{
    text->limit = limit;
    text->carry.size = 0;
    text->lines = 0;
    enum document_text_name name = document_text_name(path);
    text->is_lines = name == DOCUMENT_TEXT_LINES;
    text->decided = name != DOCUMENT_TEXT_OTHER;
    text->found = text->skipping = text->done = false;
    text->opened = (struct diag){0};
    if (input_stream_open(&text->stream, path, &text->opened) != STATUS_OK)
        text->is_lines = false;
}

/* ---- lines or whole ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t skip_blank(const char *text, size_t size, size_t at)
{
    while (at < size && is_blank(text[at]))
        at++;
    return at;
}

/* UTF-16 cannot be split into lines at the byte 0x0A. */
static bool is_wide(const char *text, size_t size)
{
    return size >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0);
}

bool document_text_is_lines(const char *path, const char *text, size_t size)
{
    return document_text_name(path) == DOCUMENT_TEXT_LINES && !is_wide(text, size) &&
           skip_blank(text, size, 0) < size;
}

static enum status is_whole_value(const char *text, size_t size, bool *whole, struct diag *diag)
{
    struct json_read_document json = {0};
    struct json_read_fault fault;
    enum status status = json_read_parse(&json, text, size, &fault, diag);
    *whole = status == STATUS_OK;
    json_read_fini(&json);
    return status == STATUS_INPUT ? STATUS_OK : status;
}

/* Decides by the content, once the first line and something behind it, or all, was read. */
static enum status decide(struct document_text *text, const struct input_buffer *bytes, bool end,
                          struct diag *diag)
{
    size_t begin = skip_blank(bytes->data, bytes->size, 0);
    const char *line_feed =
        begin < bytes->size ? memchr(bytes->data + begin, '\n', bytes->size - begin) : NULL;
    size_t line_end = line_feed == NULL ? bytes->size : (size_t)(line_feed - bytes->data);
    bool follows = skip_blank(bytes->data, bytes->size, line_end) < bytes->size;
    if (!follows && !end && bytes->size <= text->limit)
        return STATUS_OK;
    text->decided = true;
    if (!follows)
        return STATUS_OK;
    return is_whole_value(bytes->data + begin, line_end - begin, &text->is_lines, diag);
}

/* ---- reading ---- */

/* How far to read: twice as far each time, so that a long line costs no more than its length; not
 * further than what is too large, and no further than a file is long. */
static size_t next_size(const struct document_text *text, size_t size)
{
    size_t expected = text->stream.expected;
    size_t wanted = size + (size > PIECE_BYTES ? size : PIECE_BYTES);
    if (!text->is_lines && !text->stream.compressed && expected > size && expected <= text->limit)
        wanted = expected + 1;
    return size <= text->limit && wanted > text->limit ? text->limit + 1 : wanted;
}

/* Reads on; *end: there is no more. */
static enum status fill(struct document_text *text, struct input_buffer *bytes, bool *end,
                        struct diag *diag)
{
    size_t wanted = next_size(text, bytes->size);
    enum status status = input_buffer_reserve(bytes, wanted, diag);
    while (status == STATUS_OK && bytes->size < wanted && !*end) {
        size_t count;
        status = input_stream_read(&text->stream, bytes->data + bytes->size, wanted - bytes->size,
                                   &count, diag);
        bytes->size += count;
        *end = status == STATUS_OK && count == 0;
    }
    if (bytes->data != NULL)
        bytes->data[bytes->size] = '\0';
    return status;
}

/* What was carried over comes first. */
static enum status begin_piece(struct document_text *text, struct document_piece *piece,
                               struct diag *diag)
{
    if (piece->bytes.capacity > KEPT_BYTES)
        input_fini(&piece->bytes);
    piece->fault = INPUT_FAULT_NONE;
    piece->error_number = 0;
    piece->fault_line = 0;
    piece->first_line = text->lines;
    enum status status = input_buffer_reserve(&piece->bytes, text->carry.size + 1, diag);
    if (status != STATUS_OK)
        return status;
    if (text->carry.size > 0)
        memcpy(piece->bytes.data, text->carry.data, text->carry.size);
    piece->bytes.size = text->carry.size;
    text->carry.size = 0;
    if (text->carry.capacity > KEPT_BYTES)
        input_fini(&text->carry);
    return STATUS_OK;
}

/* Drops what belongs to a line that is too long; true: its end was found. */
static bool drop_long_line(struct input_buffer *bytes)
{
    const char *line_feed = memchr(bytes->data, '\n', bytes->size);
    size_t dropped = line_feed == NULL ? bytes->size : (size_t)(line_feed - bytes->data) + 1;
    memmove(bytes->data, bytes->data + dropped, bytes->size - dropped);
    bytes->size -= dropped;
    return line_feed != NULL;
}

/* Whether the piece has what it needs. */
static bool is_enough(struct document_text *text, struct input_buffer *bytes)
{
    if (!text->decided)
        return false;
    if (!text->is_lines)
        return bytes->size > text->limit ||
               (!text->stream.compressed && text->stream.expected > text->limit);
    if (text->skipping && !drop_long_line(bytes))
        return false;
    text->skipping = false;
    return bytes->size > text->limit || memchr(bytes->data, '\n', bytes->size) != NULL;
}

static enum status read_piece(struct document_text *text, struct input_buffer *bytes, bool *end,
                              struct diag *reason)
{
    enum status status;
    do {
        status = fill(text, bytes, end, reason);
        if (status == STATUS_ENVIRONMENT)
            return status;
        bool last = *end || status == STATUS_INPUT;
        enum status decided = text->decided ? STATUS_OK : decide(text, bytes, last, reason);
        if (decided != STATUS_OK)
            return decided;
        if (text->lines == 0 && text->is_lines && is_wide(bytes->data, bytes->size))
            text->is_lines = false;
    } while (!is_enough(text, bytes) && status == STATUS_OK && !*end);
    return status;
}

/* ---- pieces ---- */

static void keep_fault(const struct document_text *text, struct document_piece *piece,
                       const struct diag *reason)
{
    const struct input_stream *stream = &text->stream;
    size_t length = strlen(stream->name);
    const char *message = reason->text;
    if (strncmp(message, stream->name, length) == 0 && strncmp(message + length, ": ", 2) == 0)
        message += length + 2;
    snprintf(piece->reason, sizeof piece->reason, "%.511s", message);
    piece->fault = stream->fault;
    piece->error_number = stream->error_number;
    piece->fault_line = text->is_lines ? text->lines + 1 : 0;
}

static void refuse_size(struct document_text *text, struct document_piece *piece, const char *what)
{
    struct diag reason = {0};
    (void)input_stream_refuse_size(&text->stream, what, text->limit, &reason);
    keep_fault(text, piece, &reason);
}

static size_t count_lines(const char *text, size_t size)
{
    size_t lines = 0;
    const char *end = text + size;
    while (text < end && (text = memchr(text, '\n', (size_t)(end - text))) != NULL) {
        lines++;
        text++;
    }
    return lines;
}

/* Ends the piece behind its last whole line. */
static enum status cut_lines(struct document_text *text, struct document_piece *piece, bool end,
                             struct diag *diag)
{
    struct input_buffer *bytes = &piece->bytes;
    const char *last = bytes->size > 0 ? memrchr(bytes->data, '\n', bytes->size) : NULL;
    size_t whole = end ? bytes->size : last == NULL ? 0 : (size_t)(last - bytes->data) + 1;
    size_t rest = bytes->size - whole;
    enum status status = input_buffer_reserve(&text->carry, rest, diag);
    if (status != STATUS_OK)
        return status;
    if (rest > 0)
        memcpy(text->carry.data, bytes->data + whole, rest);
    text->carry.size = rest;
    bytes->size = whole;
    text->lines += whole > 0 ? count_lines(bytes->data, whole) : 0;
    text->found = text->found || skip_blank(bytes->data, bytes->size, 0) < whole;
    return STATUS_OK;
}

/* A line that is not ended yet and too large already. What a compressed file has behind it is not
 * worth decompressing: there may be no end to it. */
static void refuse_line(struct document_text *text, struct document_piece *piece)
{
    refuse_size(text, piece, "the line is ");
    text->carry.size = 0;
    text->lines++;
    text->skipping = true;
    text->found = true;
    text->done = text->stream.compressed;
    size_t length = strlen(piece->reason);
    if (text->done)
        snprintf(piece->reason + length, sizeof piece->reason - length,
                 "; the rest of the file is not read");
}

static enum status finish_lines(struct document_text *text, struct document_piece *piece, bool end,
                                struct diag *diag)
{
    piece->kind = DOCUMENT_PIECE_LINES;
    enum status status = cut_lines(text, piece, end, diag);
    if (status != STATUS_OK)
        return status;
    if (text->carry.size > text->limit)
        refuse_line(text, piece);
    else if (end && !text->found)
        piece->kind = DOCUMENT_PIECE_WHOLE; /* blank lines alone are an empty document */
    return STATUS_OK;
}

enum status document_text_next(struct document_text *text, struct document_piece *piece, bool *more,
                               struct diag *diag)
{
    struct diag reason = {0};
    bool end = false;
    *more = !text->done;
    if (text->done)
        return STATUS_OK;
    enum status status = begin_piece(text, piece, diag);
    if (status != STATUS_OK)
        return status;
    status = text->opened.status == STATUS_OK
                 ? read_piece(text, &piece->bytes, &end, &reason)
                 : diag_set(&reason, STATUS_INPUT, "%s", text->opened.text);
    if (status == STATUS_ENVIRONMENT)
        return diag_set(diag, status, "%s", reason.text);
    text->done = end || status == STATUS_INPUT || !text->is_lines;
    piece->kind = DOCUMENT_PIECE_WHOLE;
    if (text->is_lines) {
        enum status finished = finish_lines(text, piece, end, diag);
        if (finished != STATUS_OK)
            return finished;
    }
    if (status == STATUS_INPUT)
        keep_fault(text, piece, &reason);
    else if (!text->is_lines && (piece->bytes.size > text->limit || !end))
        refuse_size(text, piece, "");
    return STATUS_OK;
}

void document_text_close(struct document_text *text)
{
    input_stream_close(&text->stream);
}

void document_text_fini(struct document_text *text)
{
    input_stream_close(&text->stream);
    input_stream_fini(&text->stream);
    input_fini(&text->carry);
}

void document_piece_fini(struct document_piece *piece)
{
    input_fini(&piece->bytes);
}
