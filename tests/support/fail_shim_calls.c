#include "fail_shim.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * One wrapper a function, all alike: find the next definition, ask fail_shim_strikes(), then fail
 * or call it. They have the C library's names, so that the dynamic linker finds them first.
 */
#define EXPORT __attribute__((visibility("default")))
#define STRIKES(kind) fail_shim_strikes(FAIL_SHIM_##kind, __builtin_return_address(0))
/* Messages on standard error always get through: without them nobody could tell what happened. */
#define STREAM_STRIKES(kind, stream) (is_file(stream) && STRIKES(kind))
#define DESCRIPTOR_STRIKES(kind, descriptor) ((descriptor) != STDERR_FILENO && STRIKES(kind))
#define NEXT(name)                                                                                 \
    static __typeof__(name) *next;                                                                 \
    if (next == NULL)                                                                              \
    *(void **)&next = dlsym(RTLD_NEXT, #name)

#define WRAP_IF(condition, result, failure, name, parameters, arguments)                           \
    EXPORT result name parameters                                                                  \
    {                                                                                              \
        NEXT(name);                                                                                \
        if (condition)                                                                             \
            return failure;                                                                        \
        return next arguments;                                                                     \
    }
#define WRAP(kind, result, failure, name, parameters, arguments)                                   \
    WRAP_IF(STRIKES(kind), result, failure, name, parameters, arguments)
#define WRAP_STREAM(kind, result, failure, name, parameters, arguments)                            \
    WRAP_IF(STREAM_STRIKES(kind, stream), result, failure, name, parameters, arguments)

/* A stream that lives in memory (open_memstream, fopencookie) knows no disk that could be full: it
 * fails where its memory does. */
static bool is_file(FILE *stream)
{
    int saved = errno;
    bool file = stream == NULL || (stream != stderr && fileno(stream) >= 0);
    errno = saved;
    return file;
}

/* ---- Memory ---- */

/* dlsym() and the start of a sanitizer may allocate before the next malloc is known. */
static alignas(max_align_t) unsigned char early[65536];
static size_t early_used;

static void *take_early(size_t size)
{
    size_t rounded = (size + 31) / 16 * 16; /* room for the size before it */
    if (rounded > sizeof early - early_used)
        _exit(125);
    unsigned char *memory = early + early_used;
    memcpy(memory, &size, sizeof size);
    early_used += rounded;
    return memory + 16;
}

static bool is_early(const void *memory)
{
    return (const unsigned char *)memory >= early &&
           (const unsigned char *)memory < early + sizeof early;
}

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    bool resolving;
} memory_calls;

static bool find_memory_calls(void)
{
    if (memory_calls.free != NULL)
        return true;
    if (memory_calls.resolving)
        return false;
    memory_calls.resolving = true;
    *(void **)&memory_calls.malloc = dlsym(RTLD_NEXT, "malloc");
    *(void **)&memory_calls.calloc = dlsym(RTLD_NEXT, "calloc");
    *(void **)&memory_calls.realloc = dlsym(RTLD_NEXT, "realloc");
    *(void **)&memory_calls.free = dlsym(RTLD_NEXT, "free");
    memory_calls.resolving = false;
    return memory_calls.free != NULL;
}

EXPORT void *malloc(size_t size)
{
    if (!find_memory_calls())
        return take_early(size);
    return STRIKES(MALLOC) ? NULL : memory_calls.malloc(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
    if (!find_memory_calls()) {
        if (size != 0 && count > sizeof early / size)
            _exit(125);
        return take_early(count * size); /* static memory is zero */
    }
    return STRIKES(MALLOC) ? NULL : memory_calls.calloc(count, size);
}

EXPORT void *realloc(void *memory, size_t size)
{
    if (is_early(memory)) {
        size_t old = 0;
        memcpy(&old, (unsigned char *)memory - 16, sizeof old);
        void *moved = malloc(size);
        return moved == NULL ? NULL : memcpy(moved, memory, old < size ? old : size);
    }
    if (!find_memory_calls())
        return take_early(size);
    return STRIKES(MALLOC) ? NULL : memory_calls.realloc(memory, size);
}

EXPORT void free(void *memory)
{
    if (memory != NULL && !is_early(memory) && find_memory_calls())
        memory_calls.free(memory);
}

WRAP(MALLOC, void *, NULL, reallocarray, (void *memory, size_t count, size_t size),
     (memory, count, size))
WRAP(MALLOC, void *, NULL, aligned_alloc, (size_t alignment, size_t size), (alignment, size))
WRAP(MALLOC, char *, NULL, realpath, (const char *path, char *resolved), (path, resolved))
WRAP(MALLOC, ssize_t, -1, getline, (char **line, size_t *size, FILE *stream), (line, size, stream))
WRAP(MALLOC, ssize_t, -1, getdelim, (char **line, size_t *size, int delimiter, FILE *stream),
     (line, size, delimiter, stream))
WRAP(MALLOC, char *, NULL, getcwd, (char *buffer, size_t size), (buffer, size))

EXPORT int posix_memalign(void **memory, size_t alignment, size_t size)
{
    NEXT(posix_memalign);
    return STRIKES(MALLOC) ? ENOMEM : next(memory, alignment, size);
}

/* From here on without the next definition: a copy from our own malloc is the same thing. */
static char *copy_text(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

#undef strdup
#undef strndup

EXPORT char *strdup(const char *text)
{
    return STRIKES(MALLOC) ? NULL : copy_text(text, strlen(text));
}

EXPORT char *strndup(const char *text, size_t length)
{
    return STRIKES(MALLOC) ? NULL : copy_text(text, strnlen(text, length));
}

EXPORT int vasprintf(char **text, const char *format, va_list arguments)
{
    NEXT(vasprintf);
    return STRIKES(MALLOC) ? -1 : next(text, format, arguments);
}

EXPORT int asprintf(char **text, const char *format, ...)
{
    NEXT(vasprintf);
    if (STRIKES(MALLOC))
        return -1;
    va_list arguments;
    va_start(arguments, format);
    int length = next(text, format, arguments);
    va_end(arguments);
    return length;
}

WRAP(MMAP, void *, MAP_FAILED, mmap,
     (void *address, size_t length, int protection, int flags, int descriptor, off_t offset),
     (address, length, protection, flags, descriptor, offset))

/* ---- Descriptors ---- */

/* open and its kin take the mode as a further argument only when they create. */
#define MODE_OF(flags, last)                                                                       \
    mode_t mode = 0;                                                                               \
    if (((flags) & (O_CREAT | O_TMPFILE)) != 0) {                                                  \
        va_list arguments;                                                                         \
        va_start(arguments, last);                                                                 \
        mode = va_arg(arguments, mode_t);                                                          \
        va_end(arguments);                                                                         \
    }

#define WRAP_OPEN(name)                                                                            \
    EXPORT int name(const char *path, int flags, ...)                                              \
    {                                                                                              \
        NEXT(name);                                                                                \
        MODE_OF(flags, flags)                                                                      \
        return STRIKES(OPEN) ? -1 : next(path, flags, mode);                                       \
    }

#define WRAP_OPENAT(name)                                                                          \
    EXPORT int name(int folder, const char *path, int flags, ...)                                  \
    {                                                                                              \
        NEXT(name);                                                                                \
        MODE_OF(flags, flags)                                                                      \
        return STRIKES(OPEN) ? -1 : next(folder, path, flags, mode);                               \
    }

WRAP_OPEN(open)
WRAP_OPEN(open64)
WRAP_OPENAT(openat)
WRAP_OPENAT(openat64)
WRAP(OPEN, int, -1, creat, (const char *path, mode_t mode), (path, mode))
WRAP(OPEN, int, -1, mkstemp, (char *pattern), (pattern))
WRAP(OPEN, int, -1, mkostemp, (char *pattern, int flags), (pattern, flags))
WRAP(READ, ssize_t, -1, read, (int descriptor, void *data, size_t size), (descriptor, data, size))
WRAP(READ, ssize_t, -1, pread, (int descriptor, void *data, size_t size, off_t offset),
     (descriptor, data, size, offset))
WRAP_IF(DESCRIPTOR_STRIKES(WRITE, descriptor), ssize_t, -1, write,
        (int descriptor, const void *data, size_t size), (descriptor, data, size))
WRAP_IF(DESCRIPTOR_STRIKES(WRITE, descriptor), ssize_t, -1, pwrite,
        (int descriptor, const void *data, size_t size, off_t offset),
        (descriptor, data, size, offset))
WRAP_IF(DESCRIPTOR_STRIKES(WRITE, descriptor), int, -1, fsync, (int descriptor), (descriptor))
WRAP_IF(DESCRIPTOR_STRIKES(WRITE, descriptor), int, -1, ftruncate, (int descriptor, off_t size),
        (descriptor, size))
WRAP(SEEK, off_t, -1, lseek, (int descriptor, off_t offset, int from), (descriptor, offset, from))

/*
 * A failing close has closed nevertheless, close(2). It reports that what was written did not reach
 * the disk, so that this happens: a program that ignores it must not get away with it.
 */
EXPORT int close(int descriptor)
{
    NEXT(close);
    bool strikes = STRIKES(CLOSE);
    int error_number = errno;
    if (strikes && ftruncate(descriptor, 0) != 0)
        errno = error_number; /* opened for reading, or no file */
    int result = next(descriptor);
    if (!strikes)
        return result;
    errno = error_number;
    return -1;
}

/* ---- Names ---- */

WRAP(RENAME, int, -1, rename, (const char *from, const char *to), (from, to))
WRAP(RENAME, int, -1, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
WRAP(RENAME, int, -1, link, (const char *from, const char *to), (from, to))
WRAP(RENAME, int, -1, symlink, (const char *from, const char *to), (from, to))
WRAP(UNLINK, int, -1, unlink, (const char *path), (path))
WRAP(UNLINK, int, -1, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
WRAP(UNLINK, int, -1, remove, (const char *path), (path))
WRAP(UNLINK, int, -1, rmdir, (const char *path), (path))
WRAP(MKDIR, int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(MKDIR, int, -1, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode))
WRAP(STAT, int, -1, stat, (const char *path, struct stat *about), (path, about))
WRAP(STAT, int, -1, lstat, (const char *path, struct stat *about), (path, about))
WRAP(STAT, int, -1, fstat, (int descriptor, struct stat *about), (descriptor, about))
WRAP(STAT, int, -1, fstatat, (int folder, const char *path, struct stat *about, int flags),
     (folder, path, about, flags))
WRAP(STAT, int, -1, faccessat, (int folder, const char *path, int mode, int flags),
     (folder, path, mode, flags))
WRAP(STAT, int, -1, access, (const char *path, int mode), (path, mode))
WRAP(CHMOD, int, -1, fchmod, (int descriptor, mode_t mode), (descriptor, mode))
WRAP(CHMOD, int, -1, chmod, (const char *path, mode_t mode), (path, mode))
WRAP(READLINK, ssize_t, -1, readlink, (const char *path, char *target, size_t size),
     (path, target, size))
WRAP(OPENDIR, DIR *, NULL, opendir, (const char *path), (path))
WRAP(OPENDIR, DIR *, NULL, fdopendir, (int descriptor), (descriptor))
WRAP(READDIR, struct dirent *, NULL, readdir, (DIR * directory), (directory))
WRAP(OPENDIR, int, -1, scandir,
     (const char *path, struct dirent ***entries, int (*filter)(const struct dirent *),
      int (*compare)(const struct dirent **, const struct dirent **)),
     (path, entries, filter, compare))

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    NEXT(pthread_create);
    return STRIKES(THREAD) ? EAGAIN : next(thread, attributes, run, argument);
}

/* ---- Streams ---- */

/* glibc's _IO_ERR_SEEN: what ferror() reports. */
static int set_stream_error(FILE *stream)
{
    stream->_flags |= 0x20;
    return EOF;
}

WRAP(FOPEN, FILE *, NULL, fopen, (const char *path, const char *mode), (path, mode))
WRAP(FOPEN, FILE *, NULL, fopen64, (const char *path, const char *mode), (path, mode))
WRAP(FOPEN, FILE *, NULL, fdopen, (int descriptor, const char *mode), (descriptor, mode))
WRAP(FOPEN, FILE *, NULL, freopen, (const char *path, const char *mode, FILE *stream),
     (path, mode, stream))
WRAP(FOPEN, FILE *, NULL, tmpfile, (void), ())
WRAP(FOPEN, FILE *, NULL, tmpfile64, (void), ())
WRAP(FOPEN, FILE *, NULL, open_memstream, (char **data, size_t *size), (data, size))
WRAP_STREAM(FREAD, size_t, (set_stream_error(stream), 0), fread,
            (void *data, size_t size, size_t count, FILE *stream), (data, size, count, stream))
WRAP_STREAM(FREAD, char *, (set_stream_error(stream), NULL), fgets,
            (char *text, int size, FILE *stream), (text, size, stream))
WRAP_STREAM(FWRITE, size_t, (set_stream_error(stream), 0), fwrite,
            (const void *data, size_t size, size_t count, FILE *stream),
            (data, size, count, stream))
WRAP_STREAM(FWRITE, int, set_stream_error(stream), fputs, (const char *text, FILE *stream),
            (text, stream))
WRAP(FWRITE, int, set_stream_error(stdout), puts, (const char *text), (text))
WRAP_STREAM(FWRITE, int, set_stream_error(stream), fputc, (int c, FILE *stream), (c, stream))
WRAP_STREAM(FWRITE, int, set_stream_error(stream), putc, (int c, FILE *stream), (c, stream))
WRAP(FWRITE, int, set_stream_error(stdout), putchar, (int c), (c))
WRAP_STREAM(FWRITE, int, set_stream_error(stream), vfprintf,
            (FILE * stream, const char *format, va_list arguments), (stream, format, arguments))

/* What was not yet written is lost. */
EXPORT int fflush(FILE *stream)
{
    NEXT(fflush);
    FILE *struck = stream != NULL ? stream : stdout;
    if (!STREAM_STRIKES(FLUSH, stream))
        return next(stream);
    __fpurge(struck);
    return set_stream_error(struck);
}

WRAP(SEEK, int, -1, fseek, (FILE * stream, long offset, int from), (stream, offset, from))
WRAP(SEEK, int, -1, fseeko, (FILE * stream, off_t offset, int from), (stream, offset, from))
WRAP(SEEK, long, -1, ftell, (FILE * stream), (stream))

/* As close: closed, and what was not yet written is lost. */
EXPORT int fclose(FILE *stream)
{
    NEXT(fclose);
    bool strikes = STREAM_STRIKES(FCLOSE, stream);
    int error_number = errno;
    if (strikes)
        __fpurge(stream);
    int result = next(stream);
    if (!strikes)
        return result;
    errno = error_number;
    return EOF;
}

/* The printing functions with an ellipsis; those with "_chk" are what -D_FORTIFY_SOURCE calls. */
#define PRINT(stream)                                                                              \
    if (STREAM_STRIKES(FWRITE, stream))                                                            \
        return set_stream_error(stream);                                                           \
    NEXT(vfprintf);                                                                                \
    va_list arguments;                                                                             \
    va_start(arguments, format);                                                                   \
    int length = next(stream, format, arguments);                                                  \
    va_end(arguments);                                                                             \
    return length;

EXPORT int fprintf(FILE *stream, const char *format, ...){PRINT(stream)}

EXPORT int printf(const char *format, ...)
{
    PRINT(stdout)
}

int __fprintf_chk(FILE *stream, int flag, const char *format, ...);
int __printf_chk(int flag, const char *format, ...);

EXPORT int __fprintf_chk(FILE *stream, int flag, const char *format, ...)
{
    (void)flag;
    PRINT(stream)
}

EXPORT int __printf_chk(int flag, const char *format, ...)
{
    (void)flag;
    PRINT(stdout)
}
