#include "path_uri.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* RFC 3986, section 2.3. The reserved characters are data in a file's name, and so are encoded. */
static bool is_unreserved(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

static void append_encoded(struct text_buffer *out, const char *path)
{
    for (; *path != '\0'; path++) {
        unsigned char c = (unsigned char)*path;
        if (c == '/' || is_unreserved(c))
            text_buffer_append(out, path, 1);
        else
            text_buffer_printf(out, "%%%02X", c);
    }
}

/* Takes off the last segment of a path, and the "/" before it. */
static void drop_segment(struct text_buffer *path)
{
    while (path->length > 0 && path->text[path->length - 1] != '/')
        path->length--;
    if (path->length > 0)
        path->length--;
    if (path->text != NULL)
        path->text[path->length] = '\0';
}

/* Appends the segments of `path` to the absolute path in `out` (which has no "/" at its end). */
static void append_segments(struct text_buffer *out, const char *path)
{
    while (*path != '\0' && !out->failed) {
        size_t length = strcspn(path, "/");
        if (length == 2 && memcmp(path, "..", 2) == 0) {
            drop_segment(out);
        } else if (length > 0 && !(length == 1 && path[0] == '.')) {
            text_buffer_puts(out, "/");
            text_buffer_append(out, path, length);
        }
        path += length;
        path += *path == '/';
    }
}

/* True if the path leads through "..", so that only the working directory tells where it ends. */
static bool goes_up(const char *path)
{
    for (const char *at = strstr(path, ".."); at != NULL; at = strstr(at + 1, ".."))
        if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
            return true;
    return false;
}

/* The working directory without a "/" at its end: "" for the root. NULL: not known. */
static char *working_directory(void)
{
    char *directory = getcwd(NULL, 0);
    if (directory != NULL && strcmp(directory, "/") == 0)
        directory[0] = '\0';
    return directory;
}

bool path_uri_below(struct text_buffer *out, const char *path)
{
    struct text_buffer whole = {0};
    bool absolute = path[0] == '/';
    bool needed = absolute || goes_up(path);
    char *directory = needed ? working_directory() : NULL;
    size_t below = directory == NULL ? 0 : strlen(directory);
    text_buffer_puts(&whole, absolute || directory == NULL ? "" : directory);
    append_segments(&whole, path);
    if (path[0] != '\0' && path[strlen(path) - 1] == '/')
        text_buffer_puts(&whole, "/");
    const char *text = whole.text == NULL ? "" : whole.text;
    bool relative = directory == NULL ? !absolute
                                      : strncmp(text, directory, below) == 0 &&
                                            (text[below] == '/' || text[below] == '\0');
    bool same = text[0] == '\0' || text[below] == '\0' || text[below + 1] == '\0';
    if (relative)
        text_buffer_puts(out, same ? "./" : text + below + 1);
    else
        text_buffer_puts(out, text[0] == '\0' ? "/" : text);
    out->failed = out->failed || whole.failed || (needed && directory == NULL);
    text_buffer_fini(&whole);
    free(directory);
    return relative;
}

bool path_uri_append(struct text_buffer *out, const char *path)
{
    struct text_buffer plain = {0};
    bool relative = path_uri_below(&plain, path);
    text_buffer_puts(out, relative ? "" : "file://");
    append_encoded(out, plain.text == NULL ? "" : plain.text);
    out->failed = out->failed || plain.failed;
    text_buffer_fini(&plain);
    return relative;
}
