#include "workbook_memory.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The one variable of the program: the library offers no place to carry it. A failure is final,
 * for the process that renders ends with it. */
static bool memory_failed;

struct memory_file {
    FILE *stream; /* whose file this is */
    char *data;
    size_t size, capacity, position;
};

/* The library clears a stream's error mark when it goes back to read what it wrote: the mark is
 * looked at before. */
static void check_stream(const struct memory_file *file)
{
    if (file->stream != NULL && ferror(file->stream))
        memory_failed = true;
}

static ssize_t memory_read(void *cookie, char *buffer, size_t size)
{
    struct memory_file *file = cookie;
    check_stream(file);
    size_t left = file->position < file->size ? file->size - file->position : 0;
    size_t count = size < left ? size : left;
    if (count > 0)
        memcpy(buffer, file->data + file->position, count);
    file->position += count;
    return (ssize_t)count;
}

static bool memory_reserve(struct memory_file *file, size_t size)
{
    if (size <= file->capacity)
        return true;
    size_t capacity = file->capacity < 4096 ? 4096 : file->capacity;
    while (capacity < size)
        capacity = capacity <= SIZE_MAX / 2 ? capacity * 2 : size;
    char *data = realloc(file->data, capacity);
    if (data == NULL)
        return false;
    file->data = data;
    file->capacity = capacity;
    return true;
}

static ssize_t memory_write(void *cookie, const char *buffer, size_t size)
{
    struct memory_file *file = cookie;
    check_stream(file);
    if (size > SIZE_MAX - file->position || !memory_reserve(file, file->position + size)) {
        memory_failed = true;
        errno = ENOMEM;
        return 0; /* as fopencookie wants an error said */
    }
    if (file->position > file->size)
        memset(file->data + file->size, 0, file->position - file->size);
    memcpy(file->data + file->position, buffer, size);
    file->position += size;
    if (file->position > file->size)
        file->size = file->position;
    return (ssize_t)size;
}

static int memory_seek(void *cookie, off64_t *offset, int whence)
{
    struct memory_file *file = cookie;
    check_stream(file);
    int64_t base = whence == SEEK_SET   ? 0
                   : whence == SEEK_CUR ? (int64_t)file->position
                                        : (int64_t)file->size;
    if (*offset < -base)
        return -1;
    file->position = (size_t)(base + *offset);
    *offset = (off64_t)file->position;
    return 0;
}

static int memory_close(void *cookie)
{
    struct memory_file *file = cookie;
    check_stream(file);
    free(file->data);
    free(file);
    return 0;
}

/* The library's declaration; its header names the parameter differently from version to version. */
FILE *lxw_tmpfile(const char *tmpdir);

FILE *lxw_tmpfile(const char *tmpdir)
{
    (void)tmpdir;
    struct memory_file *file = calloc(1, sizeof *file);
    FILE *stream = NULL;
    if (file != NULL)
        stream = fopencookie(file, "w+b",
                             (cookie_io_functions_t){.read = memory_read,
                                                     .write = memory_write,
                                                     .seek = memory_seek,
                                                     .close = memory_close});
    if (stream == NULL) {
        free(file);
        memory_failed = true;
    } else {
        file->stream = stream;
    }
    return stream;
}

bool workbook_memory_failed(void)
{
    return memory_failed;
}
