#include "text_buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(struct text_buffer *buffer, size_t extra)
{
    if (buffer->failed)
        return false;
    if (extra < buffer->capacity - buffer->length)
        return true;
    size_t needed = buffer->length + extra + 1;
    size_t capacity = buffer->capacity < 128 ? 256 : buffer->capacity * 2;
    if (capacity < needed)
        capacity = needed;
    char *text = needed > buffer->length ? realloc(buffer->text, capacity) : NULL;
    if (text == NULL) {
        buffer->failed = true;
        return false;
    }
    buffer->text = text;
    buffer->capacity = capacity;
    return true;
}

void text_buffer_append(struct text_buffer *buffer, const char *text, size_t length)
{
    if (!reserve(buffer, length))
        return;
    if (length > 0)
        memcpy(buffer->text + buffer->length, text, length);
    buffer->length += length;
    buffer->text[buffer->length] = '\0';
}

void text_buffer_puts(struct text_buffer *buffer, const char *text)
{
    text_buffer_append(buffer, text, strlen(text));
}

void text_buffer_printf(struct text_buffer *buffer, const char *format, ...)
{
    char local[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(local, sizeof local, format, arguments);
    va_end(arguments);
    if (length < 0) {
        buffer->failed = true;
    } else if ((size_t)length < sizeof local) {
        text_buffer_append(buffer, local, (size_t)length);
    } else if (reserve(buffer, (size_t)length)) {
        va_start(arguments, format);
        vsnprintf(buffer->text + buffer->length, (size_t)length + 1, format, arguments);
        va_end(arguments);
        buffer->length += (size_t)length;
    }
}

void text_buffer_fill(struct text_buffer *buffer, char c, size_t count)
{
    if (!reserve(buffer, count))
        return;
    memset(buffer->text + buffer->length, c, count);
    buffer->length += count;
    buffer->text[buffer->length] = '\0';
}

void text_buffer_clear(struct text_buffer *buffer)
{
    buffer->length = 0;
    if (buffer->text != NULL)
        buffer->text[0] = '\0';
}

void text_buffer_fini(struct text_buffer *buffer)
{
    if (buffer == NULL)
        return;
    free(buffer->text);
    *buffer = (struct text_buffer){0};
}
