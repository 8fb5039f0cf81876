#ifndef RANKLEDGER_GLYPH_TABLE_H
#define RANKLEDGER_GLYPH_TABLE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Which glyph of which font was drawn, with a number for each. A font is a pointer that is only
 * compared; its owner keeps it alive while the table is in use. A zeroed table is ready for use.
 */
struct glyph_table {
    struct glyph_table_entry *entries; /* open addressing; a power of two */
    size_t capacity, count;
};

/* What a new entry's number is, until the caller sets it. */
#define GLYPH_TABLE_NEW SIZE_MAX

/* The number of a glyph, valid until the next call; NULL if memory is exhausted. */
size_t *glyph_table_find(struct glyph_table *table, const void *font, uint32_t glyph);

/* Forgets all entries and keeps the memory. */
void glyph_table_clear(struct glyph_table *table);
void glyph_table_fini(struct glyph_table *table);

#endif
