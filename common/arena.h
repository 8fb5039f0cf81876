#ifndef RANKLEDGER_ARENA_H
#define RANKLEDGER_ARENA_H

#include <stdarg.h>
#include <stddef.h>

/*
 * Memory that is released all at once. A zeroed arena is ready for use and safe to fini.
 * Everything taken stays valid until arena_fini; nothing moves.
 */
struct arena {
    struct arena_block *blocks; /* newest first */
};

/* `size` zeroed bytes aligned for any object, or NULL if memory is exhausted. */
void *arena_take(struct arena *arena, size_t size);

/* `count` zeroed objects of `size` bytes; NULL also if the product overflows. */
void *arena_take_array(struct arena *arena, size_t count, size_t size);

/*
 * Room for one more behind the `count` objects of an array of `*capacity`: the array itself, or a
 * copy of twice the capacity where it is full (the old one stays valid, as all that was taken).
 * NULL if memory is exhausted; then nothing has changed.
 */
void *arena_room(struct arena *arena, void *items, size_t count, size_t *capacity, size_t size);

/* A NUL-terminated copy of `length` bytes; NULL if memory is exhausted. */
char *arena_copy(struct arena *arena, const char *text, size_t length);

/* A formatted text; NULL if memory is exhausted. */
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* Releases everything taken but keeps a block for what comes next. */
void arena_clear(struct arena *arena);

void arena_fini(struct arena *arena);

#endif
