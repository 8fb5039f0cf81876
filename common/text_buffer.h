#ifndef RANKLEDGER_TEXT_BUFFER_H
#define RANKLEDGER_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A growing text. Appending never fails visibly: when memory is exhausted `failed` is set, further
 * appends do nothing, and the owner checks it once at the end. `text` is NUL-terminated, or NULL
 * while nothing was appended. A zeroed buffer is ready for use and safe to fini. Numbers are
 * written as in the C locale (the programs never call setlocale).
 */
struct text_buffer {
    char *text;
    size_t length;
    size_t capacity;
    bool failed;
};

void text_buffer_append(struct text_buffer *buffer, const char *text, size_t length);
void text_buffer_puts(struct text_buffer *buffer, const char *text);
void text_buffer_printf(struct text_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends `count` copies of the byte `c`. */
void text_buffer_fill(struct text_buffer *buffer, char c, size_t count);
/* Empties the buffer and keeps its memory. */
void text_buffer_clear(struct text_buffer *buffer);
void text_buffer_fini(struct text_buffer *buffer);

#endif
