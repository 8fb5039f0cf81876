#include "manuscript.h"

#include <stdarg.h>
#include <string.h>

/* ---- Life ---- */

void manuscript_fini(struct manuscript *manuscript)
{
    if (manuscript == NULL)
        return;
    arena_fini(&manuscript->arena);
    *manuscript = (struct manuscript){0};
}

enum status manuscript_check(const struct manuscript *manuscript, struct diag *diag)
{
    return manuscript->failed ? diag_no_memory(diag) : STATUS_OK;
}

/* ---- Texts ---- */

const char *manuscript_format(struct manuscript *manuscript, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_vprintf(&manuscript->arena, format, arguments);
    va_end(arguments);
    manuscript->failed |= text == NULL;
    return text != NULL ? text : "";
}

const char *manuscript_copy(struct manuscript *manuscript, const char *text)
{
    return text != NULL ? manuscript_format(manuscript, "%s", text) : NULL;
}

/* ---- Blocks ---- */

/* NULL when memory is exhausted. */
static struct manuscript_block *add(struct manuscript *manuscript, enum manuscript_kind kind,
                                    enum manuscript_tone tone, const char *text)
{
    struct manuscript_block *block =
        manuscript->failed ? NULL : arena_take(&manuscript->arena, sizeof *block);
    manuscript->failed |= block == NULL;
    manuscript->table = NULL;
    if (block == NULL)
        return NULL;
    block->kind = kind;
    block->tone = tone;
    block->text = text != NULL ? text : "";
    if (manuscript->last != NULL)
        manuscript->last->next = block;
    else
        manuscript->first = block;
    manuscript->last = block;
    return block;
}

void manuscript_section(struct manuscript *manuscript, unsigned level, const char *anchor,
                        const char *heading, bool new_page)
{
    struct manuscript_block *block = add(manuscript, MANUSCRIPT_SECTION, MANUSCRIPT_PLAIN, heading);
    if (block == NULL)
        return;
    block->level = level;
    block->anchor = anchor;
    block->new_page = new_page;
}

void manuscript_verdict(struct manuscript *manuscript, enum manuscript_tone tone,
                        const char *headline, const char *reason)
{
    struct manuscript_block *block = add(manuscript, MANUSCRIPT_VERDICT, tone, headline);
    if (block != NULL)
        block->detail = reason;
}

void manuscript_figures(struct manuscript *manuscript, const struct manuscript_figure *figures,
                        size_t count)
{
    struct manuscript_block *block = add(manuscript, MANUSCRIPT_FIGURES, MANUSCRIPT_PLAIN, NULL);
    if (block == NULL)
        return;
    block->figure_count = count < MANUSCRIPT_FIGURES_MOST ? count : MANUSCRIPT_FIGURES_MOST;
    memcpy(block->figures, figures, block->figure_count * sizeof *figures);
}

void manuscript_paragraph(struct manuscript *manuscript, enum manuscript_tone tone,
                          const char *text)
{
    (void)add(manuscript, MANUSCRIPT_PARAGRAPH, tone, text);
}

void manuscript_notice(struct manuscript *manuscript, enum manuscript_tone tone, const char *text)
{
    (void)add(manuscript, MANUSCRIPT_NOTICE, tone, text);
}

void manuscript_item(struct manuscript *manuscript, enum manuscript_tone tone, const char *text)
{
    (void)add(manuscript, MANUSCRIPT_ITEM, tone, text);
}

void manuscript_command(struct manuscript *manuscript, const char *text)
{
    (void)add(manuscript, MANUSCRIPT_COMMAND, MANUSCRIPT_PLAIN, text);
}

void manuscript_chart(struct manuscript *manuscript, const struct chart_row *chart, size_t group,
                      const char *alternative)
{
    struct manuscript_block *block =
        add(manuscript, MANUSCRIPT_CHART, MANUSCRIPT_PLAIN, alternative);
    if (block == NULL)
        return;
    block->chart = chart;
    block->group = group;
}

/* ---- Tables ---- */

void manuscript_table(struct manuscript *manuscript, const struct manuscript_column *columns,
                      size_t count)
{
    struct manuscript_block *block = add(manuscript, MANUSCRIPT_TABLE, MANUSCRIPT_PLAIN, NULL);
    struct manuscript_table *table =
        block != NULL ? arena_take(&manuscript->arena, sizeof *table) : NULL;
    manuscript->failed |= table == NULL;
    if (table == NULL)
        return;
    table->column_count = count < MANUSCRIPT_COLUMNS_MOST ? count : MANUSCRIPT_COLUMNS_MOST;
    memcpy(table->columns, columns, table->column_count * sizeof *columns);
    block->table = table;
    manuscript->table = table;
}

static struct manuscript_row *add_row(struct manuscript *manuscript, struct manuscript_table *table)
{
    struct manuscript_row *row = arena_take(
        &manuscript->arena, sizeof *row + table->column_count * sizeof(struct manuscript_text));
    manuscript->failed |= row == NULL;
    if (row == NULL)
        return NULL;
    if (table->last != NULL)
        table->last->next = row;
    else
        table->first = row;
    table->last = row;
    table->row_count++;
    table->filled = 0;
    return row;
}

void manuscript_cell(struct manuscript *manuscript, enum manuscript_tone tone, const char *text)
{
    struct manuscript_table *table = manuscript->table;
    if (manuscript->failed || table == NULL || table->column_count == 0)
        return;
    if ((table->last == NULL || table->filled == table->column_count) &&
        add_row(manuscript, table) == NULL)
        return;
    table->last->cells[table->filled++] = (struct manuscript_text){text, tone};
}
