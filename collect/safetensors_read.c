#include "safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "safetensors_header.h"
#include "text.h"

#define LENGTH_BYTES 8

static enum status refuse(const struct safetensors_reader *reader, int error_number,
                          struct diag *diag)
{
    return diag_set(diag, STATUS_INPUT, "%s: cannot read: %s", reader->path,
                    diag_reason(error_number));
}

/* pread(2) through short reads and interruptions. */
static enum status read_at(const struct safetensors_reader *reader, uint64_t offset, char *data,
                           uint64_t bytes, struct diag *diag)
{
    while (bytes > 0) {
        ssize_t count = pread(reader->descriptor, data, bytes, (off_t)offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return refuse(reader, errno, diag);
        if (count == 0)
            return diag_set(diag, STATUS_INPUT,
                            "%s: the file ends at byte %" PRIu64 ", %" PRIu64 " bytes early",
                            reader->path, offset, bytes);
        data += count;
        bytes -= (uint64_t)count;
        offset += (uint64_t)count;
    }
    return STATUS_OK;
}

static enum status open_file(struct safetensors_reader *reader, const char *path, uint64_t *size,
                             struct diag *diag)
{
    /* Should a pipe stand there, then opening it must not wait. */
    do
        reader->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    while (reader->descriptor < 0 && errno == EINTR);
    struct stat about;
    if (reader->descriptor < 0 || fstat(reader->descriptor, &about) != 0)
        return refuse(reader, errno, diag);
    if (!S_ISREG(about.st_mode))
        return diag_set(diag, STATUS_INPUT, "%s: expected a file, found a %s", reader->path,
                        S_ISDIR(about.st_mode) ? "folder" : "device or pipe");
    *size = (uint64_t)about.st_size;
    return STATUS_OK;
}

/* The header's length, checked against the file's. */
static enum status read_length(const struct safetensors_reader *reader, uint64_t size,
                               uint64_t *length, struct diag *diag)
{
    if (size < LENGTH_BYTES)
        return diag_set(diag, STATUS_INPUT,
                        "%s: %" PRIu64 " bytes are no safetensors file, which has at least %d",
                        reader->path, size, LENGTH_BYTES);
    enum status status = read_at(reader, 0, (char *)length, sizeof *length, diag);
    if (status != STATUS_OK)
        return status;
    if (*length > SAFETENSORS_MAX_HEADER_BYTES || *length > size - LENGTH_BYTES)
        return diag_set(diag, STATUS_INPUT,
                        "%s: the header's length of %" PRIu64 " bytes is %s: the file is cut off, "
                        "or no safetensors file",
                        reader->path, *length,
                        *length > size - LENGTH_BYTES ? "beyond the end of the file"
                                                      : "more than the format's 100 MB");
    return STATUS_OK;
}

static enum status read_header(struct safetensors_reader *reader, uint64_t length,
                               struct diag *diag)
{
    char *text = malloc(length + 1);
    if (text == NULL)
        return diag_no_memory(diag);
    text[length] = '\0';
    enum status status = read_at(reader, LENGTH_BYTES, text, length, diag);
    if (status == STATUS_OK && text[0] != '{')
        status =
            diag_set(diag, STATUS_INPUT,
                     "%s: the header does not begin with {: no safetensors file", reader->path);
    if (status == STATUS_OK)
        status = safetensors_header_parse(reader, text, length, diag);
    free(text);
    return status;
}

enum status safetensors_open(struct safetensors_reader *reader, const char *path, struct diag *diag)
{
    *reader = (struct safetensors_reader){.descriptor = -1};
    struct text_buffer printed = {0};
    text_escape(&printed, path, strlen(path));
    if (!printed.failed)
        reader->path = arena_copy(&reader->arena, printed.text, printed.length);
    text_buffer_fini(&printed);
    uint64_t size = 0, length = 0;
    enum status status =
        reader->path == NULL ? diag_no_memory(diag) : open_file(reader, path, &size, diag);
    if (status == STATUS_OK)
        status = read_length(reader, size, &length, diag);
    reader->data_begin = LENGTH_BYTES + length;
    reader->data_bytes = size - reader->data_begin;
    if (status == STATUS_OK)
        status = read_header(reader, length, diag);
    if (status != STATUS_OK)
        safetensors_close(reader);
    return status;
}

const struct safetensors_tensor *safetensors_find(const struct safetensors_reader *reader,
                                                  const char *name)
{
    size_t low = 0, high = reader->tensor_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, reader->by_name[middle]->name);
        if (order == 0)
            return reader->by_name[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const char *safetensors_note(const struct safetensors_reader *reader, const char *key)
{
    for (size_t i = 0; i < reader->note_count; i++)
        if (strcmp(reader->notes[i].key, key) == 0)
            return reader->notes[i].value;
    return NULL;
}

enum status safetensors_read(const struct safetensors_reader *reader, uint64_t offset, void *data,
                             uint64_t bytes, struct diag *diag)
{
    if (offset > reader->data_bytes || bytes > reader->data_bytes - offset)
        return diag_set(diag, STATUS_BUG, "%s: %" PRIu64 " bytes at %" PRIu64 " of %" PRIu64,
                        reader->path, bytes, offset, reader->data_bytes);
    return read_at(reader, reader->data_begin + offset, data, bytes, diag);
}

void safetensors_forget_cached(const struct safetensors_reader *reader)
{
    (void)posix_fadvise(reader->descriptor, 0, 0, POSIX_FADV_DONTNEED);
}

void safetensors_close(struct safetensors_reader *reader)
{
    if (reader == NULL)
        return;
    /* Only an opened reader has a path; of a zeroed one descriptor 0 is somebody else's. */
    if (reader->path != NULL && reader->descriptor >= 0)
        close(reader->descriptor);
    arena_fini(&reader->arena);
    *reader = (struct safetensors_reader){.descriptor = -1};
}
