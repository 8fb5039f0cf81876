#include "glyph_table.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 512

struct glyph_table_entry {
    const void *font; /* NULL: free */
    uint32_t glyph;
    size_t number;
};

static size_t place(const struct glyph_table *table, const void *font, uint32_t glyph)
{
    /* Fibonacci hashing of both (Knuth, The Art of Computer Programming, volume 3, 6.4). */
    uint64_t key = ((uint64_t)(uintptr_t)font ^ glyph) * UINT64_C(0x9E3779B97F4A7C15);
    size_t at = (size_t)(key >> 32) & (table->capacity - 1);
    while (table->entries[at].font != NULL &&
           (table->entries[at].font != font || table->entries[at].glyph != glyph))
        at = (at + 1) & (table->capacity - 1);
    return at;
}

static int grow(struct glyph_table *table)
{
    struct glyph_table larger = {.capacity =
                                     table->capacity > 0 ? 2 * table->capacity : FIRST_CAPACITY};
    larger.entries = calloc(larger.capacity, sizeof *larger.entries);
    if (larger.entries == NULL)
        return 0;
    for (size_t i = 0; i < table->capacity; i++) {
        const struct glyph_table_entry *entry = &table->entries[i];
        if (entry->font != NULL)
            larger.entries[place(&larger, entry->font, entry->glyph)] = *entry;
    }
    larger.count = table->count;
    free(table->entries);
    *table = larger;
    return 1;
}

size_t *glyph_table_find(struct glyph_table *table, const void *font, uint32_t glyph)
{
    if (2 * (table->count + 1) > table->capacity && !grow(table))
        return NULL;
    struct glyph_table_entry *entry = &table->entries[place(table, font, glyph)];
    if (entry->font == NULL) {
        *entry = (struct glyph_table_entry){font, glyph, GLYPH_TABLE_NEW};
        table->count++;
    }
    return &entry->number;
}

void glyph_table_clear(struct glyph_table *table)
{
    if (table->entries != NULL)
        memset(table->entries, 0, table->capacity * sizeof *table->entries);
    table->count = 0;
}

void glyph_table_fini(struct glyph_table *table)
{
    free(table->entries);
    *table = (struct glyph_table){0};
}
