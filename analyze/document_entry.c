#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "document_check.h"
#include "input_path.h"
#include "validate.h"

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

static enum status check_kept(const struct document_check *check, bool lines, size_t line)
{
    const struct input_buffer *bytes = &check->reader->input;
    enum status status = document_check_prepare(check->reader, check->diag);
    if (status != STATUS_OK)
        return status;
    return lines ? document_check_lines(check, bytes->data, bytes->size, line)
                 : document_check_text(check, bytes->data, bytes->size, 0);
}

/* The piece and the reader exchange their storage, so that the text of the last document stays. */
static enum status check_piece(const struct document_check *check, struct document_piece *piece)
{
    struct document_reader *reader = check->reader;
    enum status status = STATUS_OK;
    bool lines = piece->kind == DOCUMENT_PIECE_LINES;
    if (lines || piece->fault == INPUT_FAULT_NONE) {
        spare_pattern(reader);
        struct input_buffer bytes = reader->input;
        reader->input = piece->bytes;
        piece->bytes = bytes;
        status = check_kept(check, lines, piece->first_line);
    }
    if (status == STATUS_OK && piece->fault != INPUT_FAULT_NONE)
        status = document_check_unreadable(check, piece->fault_line, piece->fault, piece->reason);
    return status;
}

enum status document_check_piece(struct document_reader *reader, const char *path,
                                 struct document_piece *piece, document_visit *visit, void *context,
                                 struct diag *diag)
{
    const struct document_check check = {.reader = reader,
                                         .path = path,
                                         .visit = visit,
                                         .context = context,
                                         .diag = diag,
                                         .kept = true};
    return check_piece(&check, piece);
}

enum status document_check_bytes(struct document_reader *reader, const char *path, const char *text,
                                 size_t size, document_visit *visit, void *context,
                                 struct diag *diag)
{
    const struct document_check check = {
        .reader = reader, .path = path, .visit = visit, .context = context, .diag = diag};
    enum status status = document_check_prepare(reader, diag);
    if (status != STATUS_OK)
        return status;
    return document_text_is_lines(path, text, size) ? document_check_lines(&check, text, size, 0)
                                                    : document_check_text(&check, text, size, 0);
}

/* Behind the reason why something cannot be read that its directory had a moment ago. */
static const char vanished[] = ": it was there when its directory was listed";

static void explain_vanished(const struct path_entry *entry, struct document_piece *piece)
{
    size_t length = strlen(piece->reason);
    if (entry->walked && entry->regular && piece->error_number == ENOENT)
        snprintf(piece->reason + length, sizeof piece->reason - length, "%s", vanished);
}

/* Piece by piece; the reader's own memory is all that it takes. */
static enum status check_stream(struct document_check *check, const struct path_entry *entry)
{
    struct document_reader *reader = check->reader;
    struct document_text *text = &reader->text;
    struct document_piece *piece = &reader->piece;
    char digest[65];
    bool more = true;
    text->stream.wants_digest = reader->wants_digest;
    document_text_open(text, entry->path,
                       reader->size_limit != 0 ? reader->size_limit : INPUT_DEFAULT_LIMIT);
    enum status status = document_text_next(text, piece, &more, check->diag);
    while (status == STATUS_OK && more) {
        explain_vanished(entry, piece);
        /* Only of a document is the file's digest the document's, and it comes in one piece. */
        if (piece->kind == DOCUMENT_PIECE_WHOLE && input_stream_digest(&text->stream, digest))
            check->file_sha256 = digest;
        status = check_piece(check, piece);
        if (status == STATUS_OK)
            status = document_text_next(text, piece, &more, check->diag);
    }
    document_text_close(text);
    return status;
}

/* What a directory walk found and is no regular file; NULL: it can be opened. */
static const char *refuse_kind(const struct path_entry *entry)
{
    struct stat about;
    if (!entry->walked || entry->regular || input_path_stat(entry->path, &about) != 0 ||
        S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))
        return NULL;
    return S_ISFIFO(about.st_mode)   ? "is a pipe, not a file"
           : S_ISSOCK(about.st_mode) ? "is a socket, not a file"
                                     : "is a device, not a file";
}

/* The walk could not list this directory. */
static enum status check_directory(const struct document_check *check,
                                   const struct path_entry *entry)
{
    char reason[160];
    snprintf(reason, sizeof reason, "cannot read: %s%s", diag_reason(entry->error_number),
             entry->walked && entry->error_number == ENOENT ? vanished : "");
    return document_check_unreadable(check, 0, INPUT_FAULT_UNREADABLE, reason);
}

enum status document_check_entry(struct document_reader *reader, const struct path_entry *entry,
                                 document_visit *visit, void *context, struct diag *diag)
{
    struct document_check check = {.reader = reader,
                                   .path = entry->path,
                                   .visit = visit,
                                   .context = context,
                                   .diag = diag,
                                   .kept = true};
    if (entry->error_number != 0)
        return check_directory(&check, entry);
    const char *refusal = refuse_kind(entry);
    if (refusal != NULL)
        return document_check_unreadable(&check, 0, INPUT_FAULT_NOT_REGULAR, refusal);
    size_t limit = reader->size_limit != 0 ? reader->size_limit : INPUT_DEFAULT_LIMIT;
    if (!entry->regular || document_text_name(entry->path) == DOCUMENT_TEXT_OTHER)
        return check_stream(&check, entry);
    spare_pattern(reader);
    bool in_folder = entry->folder != NULL;
    if (!input_read_small(&reader->input, in_folder ? entry->folder->descriptor : AT_FDCWD,
                          entry->path + (in_folder ? entry->name : 0), limit))
        return check_stream(&check, entry);
    return check_kept(
        &check, document_text_is_lines(entry->path, reader->input.data, reader->input.size), 0);
}

void document_reader_fini(struct document_reader *reader)
{
    if (reader == NULL)
        return;
    input_fini(&reader->input);
    input_fini(&reader->before);
    document_piece_fini(&reader->piece);
    document_text_fini(&reader->text);
    if (reader->memory != NULL)
        validate_memory_fini(reader->memory);
    free(reader->memory);
    json_read_fini(&reader->json);
    arena_fini(&reader->arena);
    free(reader->index);
    *reader = (struct document_reader){0};
}
