#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

/* One read operation: what the functions below share. */
struct reading {
    struct input_buffer *buffer;
    const char *name; /* safe to print */
    size_t limit;
    enum input_fault fault;
    struct diag *diag;
};

static enum status refuse_reading(struct reading *reading, int error_number)
{
    reading->fault = INPUT_FAULT_UNREADABLE;
    return diag_set(reading->diag, STATUS_INPUT, "%s: cannot read: %s", reading->name,
                    diag_reason(error_number));
}

static enum status refuse_size(struct reading *reading)
{
    reading->fault = INPUT_FAULT_TOO_LARGE;
    const size_t mebibyte = (size_t)1 << 20;
    if (reading->limit >= mebibyte && reading->limit % mebibyte == 0)
        return diag_set(reading->diag, STATUS_INPUT, "%s: larger than the limit of %zu MiB",
                        reading->name, reading->limit / mebibyte);
    return diag_set(reading->diag, STATUS_INPUT, "%s: larger than the limit of %zu bytes",
                    reading->name, reading->limit);
}

/*
 * Pipes, files and (only as "-") terminals and null devices are read. A directory and every other
 * device would block, never end or fail with a message that does not say why.
 */
static enum status check_kind(struct reading *reading, const struct stat *about, bool is_standard)
{
    mode_t mode = about->st_mode;
    if (S_ISREG(mode) || S_ISFIFO(mode) || (is_standard && !S_ISDIR(mode)))
        return STATUS_OK;
    reading->fault = INPUT_FAULT_NOT_REGULAR;
    return diag_set(reading->diag, STATUS_INPUT, "%s: is a %s, not a file", reading->name,
                    S_ISDIR(mode)    ? "directory"
                    : S_ISSOCK(mode) ? "socket"
                                     : "device");
}

/* Room for `size` bytes and a NUL after them. */
static enum status reserve_bytes(struct reading *reading, size_t size)
{
    struct input_buffer *buffer = reading->buffer;
    if (size < buffer->capacity)
        return STATUS_OK;
    char *data = size < SIZE_MAX ? realloc(buffer->data, size + 1) : NULL;
    if (data == NULL)
        return diag_set(reading->diag, STATUS_ENVIRONMENT, "%s: out of memory", reading->name);
    buffer->data = data;
    buffer->capacity = size + 1;
    return STATUS_OK;
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

/*
 * Reads to the end. `expected` is the size of a regular file, or 0. A regular file whose size came
 * out exactly is done with one read: asked for one byte more, it gave none.
 */
static enum status read_to_end(struct reading *reading, int descriptor, size_t expected)
{
    struct input_buffer *buffer = reading->buffer;
    enum status status = reserve_bytes(reading, expected > 0 ? expected + 1 : 4096);
    while (status == STATUS_OK) {
        ssize_t count =
            read_some(descriptor, buffer->data + buffer->size, buffer->capacity - 1 - buffer->size);
        if (count < 0)
            return refuse_reading(reading, errno);
        buffer->size += (size_t)count;
        buffer->data[buffer->size] = '\0';
        if (buffer->size > reading->limit)
            return refuse_size(reading);
        if (count == 0 || (expected > 0 && buffer->size == expected))
            return STATUS_OK;
        if (buffer->size == buffer->capacity - 1)
            status =
                reserve_bytes(reading, buffer->size > SIZE_MAX / 2 ? SIZE_MAX : buffer->size * 2);
    }
    return status;
}

static enum status read_descriptor(struct reading *reading, int descriptor, bool is_standard)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0)
        return refuse_reading(reading, errno);
    enum status status = check_kind(reading, &about, is_standard);
    if (status != STATUS_OK)
        return status;
    size_t expected = 0;
    /* Standard input may stand in the middle of a file: its size says nothing. */
    if (S_ISREG(about.st_mode) && !is_standard && about.st_size > 0) {
        if ((uintmax_t)about.st_size > reading->limit)
            return refuse_size(reading);
        expected = (size_t)about.st_size;
    }
    return read_to_end(reading, descriptor, expected);
}

enum status input_read_file(struct input_buffer *buffer, const char *path, size_t limit,
                            enum input_fault *fault, struct diag *diag)
{
    char name[1024] = "standard input";
    struct reading reading = {.buffer = buffer, .name = name, .limit = limit, .diag = diag};
    buffer->size = 0;
    bool is_standard = strcmp(path, "-") == 0;
    int descriptor = STDIN_FILENO;
    enum status status = STATUS_OK;
    if (!is_standard) {
        text_escape_into(name, sizeof name, path, strlen(path));
        do
            descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        while (descriptor < 0 && errno == EINTR);
        if (descriptor < 0)
            status = refuse_reading(&reading, errno);
    }
    if (status == STATUS_OK)
        status = read_descriptor(&reading, descriptor, is_standard);
    if (!is_standard && descriptor >= 0)
        close(descriptor);
    if (status != STATUS_OK)
        buffer->size = 0;
    *fault = reading.fault;
    return status;
}

#define SMALL_CAPACITY ((size_t)64 << 10)

bool input_read_small(struct input_buffer *buffer, const char *path, size_t limit)
{
    buffer->size = 0;
    if (buffer->capacity < SMALL_CAPACITY) {
        char *data = realloc(buffer->data, SMALL_CAPACITY);
        if (data == NULL)
            return false;
        buffer->data = data;
        buffer->capacity = SMALL_CAPACITY;
    }
    /* Should a pipe have taken the file's place, then opening it must not wait. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    ssize_t count = read(descriptor, buffer->data, SMALL_CAPACITY - 1);
    close(descriptor);
    /* A regular file gives all it has: less than was asked for is the end (read(2)). An empty one
     * may be no regular file. */
    if (count <= 0 || (size_t)count == SMALL_CAPACITY - 1 || (size_t)count > limit)
        return false;
    buffer->size = (size_t)count;
    buffer->data[count] = '\0';
    return true;
}

void input_fini(struct input_buffer *buffer)
{
    if (buffer == NULL)
        return;
    free(buffer->data);
    *buffer = (struct input_buffer){0};
}
