#include "manuscript_text.h"

#include <stdlib.h>

#include "chart_table.h"
#include "report.h"
#include "section_table.h"

static void put(struct text_buffer *out, const char *text, enum manuscript_tone tone)
{
    static const char *const tones[] = {"", "[STRONG]", "[QUIET]", "[GOOD]", "[WARNING]", "[BAD]"};
    text_buffer_printf(out, "%s%s", text != NULL ? text : "", tones[tone]);
}

static void put_table(struct text_buffer *out, const struct manuscript_table *table)
{
    for (size_t i = 0; i < table->column_count; i++)
        text_buffer_printf(out, "| %s ", table->columns[i].heading);
    text_buffer_puts(out, "|\n");
    for (const struct manuscript_row *row = table->first; row != NULL; row = row->next) {
        for (size_t i = 0; i < table->column_count; i++) {
            text_buffer_puts(out, "| ");
            put(out, row->cells[i].text, row->cells[i].tone);
            text_buffer_puts(out, " ");
        }
        text_buffer_puts(out, "|\n");
    }
}

static void put_figures(struct text_buffer *out, const struct manuscript_block *block)
{
    for (size_t i = 0; i < block->figure_count; i++) {
        const struct manuscript_figure *figure = &block->figures[i];
        text_buffer_printf(out, "FIGURE %s = %s // ", figure->label, figure->value);
        put(out, figure->detail, figure->tone);
        text_buffer_puts(out, "\n");
    }
}

static void put_block(struct text_buffer *out, const struct manuscript_block *block)
{
    static const char *const marks[] = {"", "", "", "", "! ", "- ", "$ ", "", ""};
    if (block->kind == MANUSCRIPT_TABLE) {
        put_table(out, block->table);
        return;
    }
    if (block->kind == MANUSCRIPT_FIGURES) {
        put_figures(out, block);
        return;
    }
    text_buffer_puts(out, marks[block->kind]);
    if (block->kind == MANUSCRIPT_SECTION) {
        text_buffer_fill(out, '#', block->level);
        text_buffer_puts(out, " ");
    } else if (block->kind == MANUSCRIPT_CHART) {
        text_buffer_printf(out, "CHART %s // ", block->chart->name);
    }
    put(out, block->text, block->tone);
    if (block->kind == MANUSCRIPT_VERDICT)
        text_buffer_printf(out, " // %s", block->detail);
    text_buffer_puts(out, "\n");
}

void manuscript_text(const struct manuscript *manuscript, struct text_buffer *out)
{
    for (const struct manuscript_block *block = manuscript->first; block != NULL;
         block = block->next)
        put_block(out, block);
}

void manuscript_text_of(const struct summary *summary, const char *language, const char *section,
                        struct text_buffer *out)
{
    struct texts texts = {0};
    struct manuscript manuscript = {0};
    if (texts_load(language, NULL, &texts, NULL) != STATUS_OK)
        abort();
    size_t count;
    const struct chart_row *table = chart_table(&count);
    const struct chart_row *charts[32];
    for (size_t i = 0; i < count; i++)
        charts[i] = &table[i];
    const struct section_input input = {.summary = summary,
                                        .texts = &texts,
                                        .charts = charts,
                                        .chart_count = count,
                                        .formats = REPORT_ALL};
    const struct section_row *row = section_find(section);
    if (row == NULL || section_build(&input, &row, 1, &manuscript, NULL) != STATUS_OK)
        abort();
    manuscript_text(&manuscript, out);
    if (out->failed)
        abort();
    manuscript_fini(&manuscript);
    texts_fini(&texts);
}
