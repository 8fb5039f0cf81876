#ifndef RANKLEDGER_TEXT_TABLE_H
#define RANKLEDGER_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "text_buffer.h"

#define TEXT_TABLE_MAX_COLUMNS 8

/*
 * An aligned table for the terminal. Widths are terminal columns, so that wide characters line up.
 * Cells are safe to print and live in the arena; the first row is the heading. A zeroed table with
 * columns, right and arena set is ready.
 */
struct text_table {
    size_t columns;
    bool right[TEXT_TABLE_MAX_COLUMNS]; /* aligned to the right: numbers */
    struct arena *arena;
    const char **cells; /* row after row */
    size_t count, capacity;
    bool failed; /* memory exhausted */
};

/* Adds the next cell, left to right, row by row; `text` is copied. */
void text_table_add(struct text_table *table, const char *text);

/* Appends the table; every line starts with `indent` spaces and has no blanks at its end. */
void text_table_print(const struct text_table *table, size_t indent, struct text_buffer *out);

#endif
