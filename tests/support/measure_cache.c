#include "measure_cache.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PLACES 16384

struct entry {
    struct entry *next;
    struct canvas_font font;
    struct canvas_extent extent;
    size_t length;
    char text[];
};

struct measure_cache {
    struct canvas canvas;
    struct canvas *measuring;
    struct entry *places[PLACES];
};

/* FNV-1a, 64 bits. */
static size_t place_of(const struct canvas_font *font, const char *text, size_t length)
{
    uint64_t hash = 14695981039346656037U ^ (uint64_t)(font->size * 16) ^ (font->bold ? 977U : 0U) ^
                    (font->fixed ? 1201U : 0U);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211U;
    return (size_t)(hash % PLACES);
}

static struct canvas_extent measure(struct canvas *base, const struct canvas_font *font,
                                    const char *text, size_t length)
{
    struct measure_cache *cache = (struct measure_cache *)base;
    struct entry **place = &cache->places[place_of(font, text, length)];
    for (struct entry *entry = *place; entry != NULL; entry = entry->next) {
        if (entry->length == length && memcmp(entry->text, text, length) == 0 &&
            memcmp(&entry->font.size, &font->size, sizeof font->size) == 0 &&
            entry->font.bold == font->bold && entry->font.fixed == font->fixed)
            return entry->extent;
    }
    struct entry *entry = malloc(sizeof *entry + length);
    if (entry == NULL)
        abort();
    *entry = (struct entry){.next = *place, .font = *font, .length = length};
    memcpy(entry->text, text, length);
    entry->extent = cache->measuring->backend->measure(cache->measuring, font, text, length);
    *place = entry;
    return entry->extent;
}

struct measure_cache *measure_cache_create(struct canvas *measuring)
{
    static const struct canvas_backend backend = {.measure = measure};
    struct measure_cache *cache = calloc(1, sizeof *cache);
    if (cache == NULL)
        abort();
    cache->canvas.backend = &backend;
    cache->measuring = measuring;
    return cache;
}

void measure_cache_destroy(struct measure_cache *cache)
{
    for (size_t i = 0; cache != NULL && i < PLACES; i++) {
        while (cache->places[i] != NULL) {
            struct entry *next = cache->places[i]->next;
            free(cache->places[i]);
            cache->places[i] = next;
        }
    }
    free(cache);
}

struct canvas *measure_cache_canvas(struct measure_cache *cache)
{
    return &cache->canvas;
}
