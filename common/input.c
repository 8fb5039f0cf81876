#include "input.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "input_gzip.h"
#include "input_stream.h"

enum status input_buffer_reserve(struct input_buffer *buffer, size_t size, struct diag *diag)
{
    if (size < buffer->capacity)
        return STATUS_OK;
    char *data = size < SIZE_MAX ? realloc(buffer->data, size + 1) : NULL;
    if (data == NULL)
        return diag_no_memory(diag);
    buffer->data = data;
    buffer->capacity = size + 1;
    return STATUS_OK;
}

enum status input_read_file(struct input_buffer *buffer, const char *path, size_t limit,
                            enum input_fault *fault, struct diag *diag)
{
    struct input_stream stream = {0};
    buffer->size = 0;
    enum status status = input_stream_open(&stream, path, diag);
    if (status == STATUS_OK)
        status = input_stream_read_rest(&stream, buffer, limit, diag);
    if (status != STATUS_OK)
        buffer->size = 0;
    *fault = stream.fault;
    input_stream_close(&stream);
    input_stream_fini(&stream);
    return status;
}

#define SMALL_CAPACITY ((size_t)64 << 10)

bool input_read_small(struct input_buffer *buffer, int directory, const char *name, size_t limit)
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
    int descriptor = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    ssize_t count = read(descriptor, buffer->data, SMALL_CAPACITY - 1);
    close(descriptor);
    /* A regular file gives all it has: less than was asked for is the end (read(2)). An empty one
     * may be no regular file. */
    if (count <= 0 || (size_t)count == SMALL_CAPACITY - 1 || (size_t)count > limit ||
        input_gzip_begins(buffer->data, (size_t)count))
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
