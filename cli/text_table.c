#include "text_table.h"

#include <string.h>

#include "text.h"

#define GAP 2

void text_table_add(struct text_table *table, const char *text)
{
    if (table->failed)
        return;
    const char **cells =
        arena_room(table->arena, table->cells, table->count, &table->capacity, sizeof *cells);
    table->failed = cells == NULL;
    if (table->failed)
        return;
    table->cells = cells;
    const char *copy = arena_copy(table->arena, text, strlen(text));
    table->failed = copy == NULL;
    if (copy != NULL)
        table->cells[table->count++] = copy;
}

static size_t width_of(const struct text_table *table, size_t column)
{
    size_t widest = 0;
    for (size_t i = column; i < table->count; i += table->columns) {
        size_t width = text_width(table->cells[i], strlen(table->cells[i]));
        if (width > widest)
            widest = width;
    }
    return widest;
}

void text_table_print(const struct text_table *table, size_t indent, struct text_buffer *out)
{
    size_t widths[TEXT_TABLE_MAX_COLUMNS];
    if (table->failed) {
        out->failed = true;
        return;
    }
    for (size_t column = 0; column < table->columns; column++)
        widths[column] = width_of(table, column);
    for (size_t i = 0; i < table->count; i++) {
        size_t column = i % table->columns;
        bool last = column + 1 == table->columns;
        size_t room = widths[column] - text_width(table->cells[i], strlen(table->cells[i]));
        text_buffer_fill(out, ' ', column == 0 ? indent : GAP);
        if (table->right[column])
            text_buffer_fill(out, ' ', room);
        text_buffer_puts(out, table->cells[i]);
        if (!table->right[column] && !last)
            text_buffer_fill(out, ' ', room);
        if (last)
            text_buffer_puts(out, "\n");
    }
}
