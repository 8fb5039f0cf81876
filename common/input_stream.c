#include "input_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input_path.h"
#include "input_unpack.h"
#include "text.h"

static enum status refuse_reading(struct input_stream *stream, int error_number, struct diag *diag)
{
    stream->fault = INPUT_FAULT_UNREADABLE;
    stream->error_number = error_number;
    return diag_set(diag, STATUS_INPUT, "%s: cannot read: %s", stream->name,
                    diag_reason(error_number));
}

enum status input_stream_refuse_size(struct input_stream *stream, const char *what, size_t limit,
                                     struct diag *diag)
{
    const size_t mebibyte = (size_t)1 << 20;
    bool whole = limit >= mebibyte && limit % mebibyte == 0;
    stream->fault = INPUT_FAULT_TOO_LARGE;
    return diag_set(diag, STATUS_INPUT, "%s: %slarger than the limit of %zu %s%s", stream->name,
                    what, whole ? limit / mebibyte : limit, whole ? "MiB" : "bytes",
                    stream->compressed ? " when it is decompressed" : "");
}

/*
 * Pipes, files and (only as "-") terminals and null devices are read. A directory and every other
 * device would block, never end or fail with a message that does not say why.
 */
static enum status check_kind(struct input_stream *stream, const struct stat *about,
                              struct diag *diag)
{
    mode_t mode = about->st_mode;
    if (S_ISREG(mode) || S_ISFIFO(mode) || (stream->is_standard && !S_ISDIR(mode)))
        return STATUS_OK;
    stream->fault = INPUT_FAULT_NOT_REGULAR;
    return diag_set(diag, STATUS_INPUT, "%s: is a %s, not a file", stream->name,
                    S_ISDIR(mode)    ? "directory"
                    : S_ISSOCK(mode) ? "socket"
                                     : "device");
}

enum status input_stream_open(struct input_stream *stream, const char *path, struct diag *diag)
{
    struct stat about;
    stream->fault = INPUT_FAULT_NONE;
    stream->error_number = 0;
    stream->begun = stream->ended = stream->compressed = false;
    stream->expected = 0;
    stream->is_standard = strcmp(path, "-") == 0;
    stream->descriptor = STDIN_FILENO;
    if (stream->is_standard)
        strcpy(stream->name, "standard input");
    else
        text_escape_into(stream->name, sizeof stream->name, path, strlen(path));
    while (!stream->is_standard &&
           (stream->descriptor = input_path_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)) < 0 &&
           errno == EINTR)
        ;
    stream->owned = !stream->is_standard && stream->descriptor >= 0;
    if (stream->descriptor < 0 || fstat(stream->descriptor, &about) != 0)
        return refuse_reading(stream, errno, diag);
    /* Standard input may stand in the middle of a file: its size says nothing. */
    if (S_ISREG(about.st_mode) && !stream->is_standard && about.st_size > 0)
        stream->expected =
            (uintmax_t)about.st_size < SIZE_MAX ? (size_t)about.st_size : SIZE_MAX - 1;
    return check_kind(stream, &about, diag);
}

/* As read(2), through interruptions and descriptors that somebody else made non-blocking. */
static ssize_t read_some(int descriptor, char *data, size_t size)
{
    for (;;) {
        ssize_t count = read(descriptor, data, size);
        if (count >= 0 || (errno != EINTR && errno != EAGAIN))
            return count;
        struct pollfd waiting = {.fd = descriptor, .events = POLLIN};
        if (errno == EAGAIN && poll(&waiting, 1, -1) < 0 && errno != EINTR)
            return -1;
    }
}

enum status input_unpack_fill(struct input_stream *stream, char *data, size_t size, size_t *count,
                              struct diag *diag)
{
    ssize_t got = stream->ended ? 0 : read_some(stream->descriptor, data, size);
    if (got < 0)
        return refuse_reading(stream, errno, diag);
    stream->ended = got == 0;
    *count = (size_t)got;
    return STATUS_OK;
}

/* The first bytes tell what the file is: at least two of them, if it has so many. */
static enum status begin(struct input_stream *stream, char *data, size_t size, size_t *count,
                         struct diag *diag)
{
    enum status status = input_unpack_fill(stream, data, size, count, diag);
    if (status == STATUS_OK && *count == 1) {
        size_t more = 0;
        status = input_unpack_fill(stream, data + 1, size - 1, &more, diag);
        *count += more;
    }
    stream->begun = true;
    if (status == STATUS_OK && input_gzip_begins(data, *count))
        status = input_unpack_begin(stream, data, *count, diag);
    return status;
}

enum status input_stream_read(struct input_stream *stream, char *data, size_t size, size_t *count,
                              struct diag *diag)
{
    *count = 0;
    if (!stream->begun) {
        enum status status = begin(stream, data, size, count, diag);
        if (status != STATUS_OK || !stream->compressed)
            return status;
    }
    return stream->compressed ? input_unpack_read(stream, data, size, count, diag)
                              : input_unpack_fill(stream, data, size, count, diag);
}

/*
 * A regular file whose size came out exactly is done with one read: asked for one byte more, it
 * gave none.
 */
enum status input_stream_read_rest(struct input_stream *stream, struct input_buffer *buffer,
                                   size_t limit, struct diag *diag)
{
    size_t expected = buffer->size == 0 && !stream->begun ? stream->expected : 0;
    enum status status = input_buffer_reserve(
        buffer, buffer->size + (expected == 0 || expected > limit ? 4096 : expected + 1), diag);
    while (status == STATUS_OK) {
        size_t count;
        status = input_stream_read(stream, buffer->data + buffer->size,
                                   buffer->capacity - 1 - buffer->size, &count, diag);
        if (status != STATUS_OK)
            return status;
        buffer->size += count;
        buffer->data[buffer->size] = '\0';
        if (buffer->size > limit || (expected > limit && !stream->compressed))
            return input_stream_refuse_size(stream, "", limit, diag);
        if (count == 0 || (expected > 0 && buffer->size == expected && !stream->compressed))
            return STATUS_OK;
        if (buffer->capacity - 1 - buffer->size < 2)
            status = input_buffer_reserve(
                buffer, buffer->size > SIZE_MAX / 2 ? SIZE_MAX : buffer->size * 2, diag);
    }
    return status;
}

bool input_stream_digest(struct input_stream *stream, char out[65])
{
    if (!stream->compressed || !stream->wants_digest)
        return false;
    sha256_end(&stream->digest, out);
    return true;
}

void input_stream_close(struct input_stream *stream)
{
    if (stream->owned)
        close(stream->descriptor);
    stream->owned = false;
}

void input_stream_fini(struct input_stream *stream)
{
    if (stream == NULL)
        return;
    input_gzip_destroy(stream->gzip);
    input_fini(&stream->raw);
    *stream = (struct input_stream){0};
}
