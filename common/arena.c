#include "arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Large enough that a record needs few blocks, small enough that one record does not waste much. */
#define ARENA_BLOCK_SIZE 16384

struct arena_block {
    struct arena_block *next;
    size_t used;
    size_t capacity;
    alignas(max_align_t) unsigned char bytes[];
};

static struct arena_block *add_block(struct arena *arena, size_t size)
{
    size_t capacity = size > ARENA_BLOCK_SIZE ? size : ARENA_BLOCK_SIZE;
    if (capacity > SIZE_MAX - sizeof(struct arena_block))
        return NULL;
    struct arena_block *block = malloc(sizeof *block + capacity);
    if (block == NULL)
        return NULL;
    block->next = arena->blocks;
    block->used = 0;
    block->capacity = capacity;
    arena->blocks = block;
    return block;
}

void *arena_take(struct arena *arena, size_t size)
{
    size_t alignment = alignof(max_align_t);
    if (size > SIZE_MAX - alignment)
        return NULL;
    size = (size + alignment - 1) / alignment * alignment;
    struct arena_block *block = arena->blocks;
    if (block == NULL || block->capacity - block->used < size)
        block = add_block(arena, size);
    if (block == NULL)
        return NULL;
    void *memory = block->bytes + block->used;
    block->used += size;
    return memset(memory, 0, size);
}

void *arena_take_array(struct arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    return arena_take(arena, count * size);
}

void *arena_room(struct arena *arena, void *items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    size_t more = *capacity == 0 ? 8 : *capacity * 2;
    void *copy = arena_take_array(arena, more, size);
    if (copy == NULL)
        return NULL;
    if (count > 0)
        memcpy(copy, items, count * size);
    *capacity = more;
    return copy;
}

char *arena_copy(struct arena *arena, const char *text, size_t length)
{
    char *copy = length < SIZE_MAX ? arena_take(arena, length + 1) : NULL;
    if (copy != NULL && length > 0)
        memcpy(copy, text, length);
    return copy;
}

char *arena_vprintf(struct arena *arena, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : arena_take(arena, (size_t)length + 1);
    if (text != NULL)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = arena_vprintf(arena, format, arguments);
    va_end(arguments);
    return text;
}

void arena_clear(struct arena *arena)
{
    struct arena_block *kept = arena->blocks;
    if (kept == NULL)
        return;
    arena->blocks = kept->next;
    arena_fini(arena);
    if (kept->capacity > ARENA_BLOCK_SIZE) { /* one large document must not stay for ever */
        free(kept);
        return;
    }
    kept->next = NULL;
    kept->used = 0;
    arena->blocks = kept;
}

void arena_fini(struct arena *arena)
{
    if (arena == NULL)
        return;
    while (arena->blocks != NULL) {
        struct arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}
