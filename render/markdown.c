#include "markdown.h"

#include <string.h>

#include "chart_table.h"
#include "report_template.h"
#include "report_view.h"

/* Rows of a table that a pull request has room for. */
#define MARKDOWN_ROWS 40

/* ---- Texts ---- */

void markdown_escape(struct text_buffer *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '@') /* a mention survives a backslash */
            text_buffer_puts(out, "`@`");
        else if (strchr("\\`*_{}[]<>#|~!&$", *c) != NULL || (*c == ':' && c[1] == '/'))
            text_buffer_printf(out, "\\%c", *c);
        else if (*c == '.' && c - text >= 3 && strncmp(c - 3, "www", 3) == 0)
            text_buffer_puts(out, "\\.");
        else if (*c == '-' && c - text >= 2 && strncmp(c - 2, "GH", 2) == 0) /* an issue's number */
            text_buffer_puts(out, "\\-");
        else
            text_buffer_append(out, c, 1);
    }
}

/* The longest run of backticks. */
static size_t longest_fence(const char *text)
{
    size_t longest = 0;
    for (const char *c = text; *c != '\0';) {
        size_t run = strspn(c, "`");
        longest = run > longest ? run : longest;
        c += run > 0 ? run : 1;
    }
    return longest;
}

void markdown_code(struct text_buffer *out, const char *text)
{
    size_t fence = longest_fence(text) + 1;
    bool pad = text[0] == '`' || text[0] == '\0' || text[strlen(text) - 1] == '`';
    text_buffer_fill(out, '`', fence);
    if (pad)
        text_buffer_puts(out, " ");
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '|') /* a table splits at it even here */
            text_buffer_puts(out, "\\|");
        else
            text_buffer_append(out, c, 1);
    }
    if (pad)
        text_buffer_puts(out, " ");
    text_buffer_fill(out, '`', fence);
}

/* A text at the beginning of a line, where more characters mean something: those of lists, rules
 * and underlined headings, a number with a point, spaces. */
static void put_line(struct text_buffer *out, const char *text)
{
    text += strspn(text, " ");
    size_t digits = strspn(text, "0123456789");
    if (digits > 0 && (text[digits] == '.' || text[digits] == ')')) {
        text_buffer_append(out, text, digits);
        text_buffer_puts(out, "\\");
        text += digits;
    } else if (text[0] != '\0' && strchr("-+=", text[0]) != NULL) {
        text_buffer_puts(out, "\\");
    }
    markdown_escape(out, text);
}

static void put_strong(struct text_buffer *out, const char *text)
{
    text_buffer_puts(out, "**");
    markdown_escape(out, text);
    text_buffer_puts(out, "**");
}

/* ---- Tables ---- */

static void put_cell(struct text_buffer *out, const struct manuscript_column *column,
                     const struct manuscript_text *cell)
{
    text_buffer_puts(out, " ");
    if (cell->text == NULL || cell->text[0] == '\0')
        return;
    const char *mark = cell->tone == MANUSCRIPT_STRONG  ? "**"
                       : cell->tone == MANUSCRIPT_QUIET ? "*"
                                                        : "";
    text_buffer_puts(out, mark);
    if (column->code)
        markdown_code(out, cell->text);
    else
        markdown_escape(out, cell->text);
    text_buffer_printf(out, "%s ", mark);
}

static void write_table(struct text_buffer *out, const struct report_input *input,
                        const struct manuscript_table *table)
{
    text_buffer_puts(out, "\n|");
    for (size_t i = 0; i < table->column_count; i++) {
        text_buffer_puts(out, " ");
        markdown_escape(out, table->columns[i].heading);
        text_buffer_puts(out, " |");
    }
    text_buffer_puts(out, "\n|");
    for (size_t i = 0; i < table->column_count; i++)
        text_buffer_puts(out, table->columns[i].number ? "--:|" : "---|");
    text_buffer_puts(out, "\n");
    size_t shown = 0;
    for (const struct manuscript_row *row = table->first; row != NULL && shown < MARKDOWN_ROWS;
         row = row->next, shown++) {
        text_buffer_puts(out, "|");
        for (size_t i = 0; i < table->column_count; i++) {
            put_cell(out, &table->columns[i], &row->cells[i]);
            text_buffer_puts(out, "|");
        }
        text_buffer_puts(out, "\n");
    }
    if (shown < table->row_count) {
        const struct sentence_value value = {.name = "count",
                                             .number = (double)(table->row_count - shown)};
        text_buffer_puts(out, "\n");
        texts_fill(out, input->texts, "markdown.more_rows", &value, 1);
        text_buffer_puts(out, "\n");
    }
}

/* ---- Other blocks ---- */

/* Headings begin at the third level: the verdict is the second, the first is the page's own. */
static void write_heading(struct text_buffer *out, const struct manuscript_block *block)
{
    text_buffer_puts(out, "\n##");
    text_buffer_fill(out, '#', block->level);
    text_buffer_puts(out, " ");
    markdown_escape(out, block->text);
    text_buffer_puts(out, "\n");
}

static void write_verdict(struct text_buffer *out, const struct manuscript_block *block, bool first)
{
    if (first) {
        text_buffer_puts(out, "## ");
        markdown_escape(out, block->text);
    } else {
        text_buffer_puts(out, "\n");
        put_strong(out, block->text);
    }
    text_buffer_puts(out, "\n");
    if (block->detail != NULL && block->detail[0] != '\0') {
        text_buffer_puts(out, "\n");
        put_line(out, block->detail);
        text_buffer_puts(out, "\n");
    }
}

static void write_figures(struct text_buffer *out, const struct report_input *input,
                          const struct manuscript_block *block)
{
    text_buffer_puts(out, "\n");
    for (size_t i = 0; i < block->figure_count; i++) {
        const struct manuscript_figure *figure = &block->figures[i];
        text_buffer_puts(out, "- ");
        markdown_escape(out, figure->label);
        text_buffer_puts(out, texts_get(input->texts, "word.colon"));
        put_strong(out, figure->value);
        if (figure->detail != NULL && figure->detail[0] != '\0') {
            text_buffer_puts(out, texts_get(input->texts, "word.semicolon"));
            markdown_escape(out, figure->detail);
        }
        text_buffer_puts(out, "\n");
    }
}

/* Fenced, so that it can be copied; inside the item that it belongs to. */
static void write_command(struct text_buffer *out, const char *text, bool in_list)
{
    const char *indent = in_list ? "  " : "";
    size_t fence = longest_fence(text) + 1;
    fence = fence < 3 ? 3 : fence;
    text_buffer_printf(out, "\n%s", indent);
    text_buffer_fill(out, '`', fence);
    text_buffer_printf(out, "sh\n%s%s\n%s", indent, text, indent);
    text_buffer_fill(out, '`', fence);
    text_buffer_puts(out, "\n");
}

static bool has_picture(const struct report_input *input, const struct chart_row *chart)
{
    for (size_t i = 0; i < input->template->pictures.count; i++)
        if (input->template->pictures.rows[i] == chart)
            return (input->formats & (REPORT_PNG | REPORT_SVG)) != 0;
    return false;
}

static void write_chart(struct text_buffer *out, const struct report_input *input,
                        const struct manuscript_block *block)
{
    if (!has_picture(input, block->chart))
        return;
    text_buffer_puts(out, "\n![");
    markdown_escape(out, block->text);
    text_buffer_puts(out, "](");
    report_chart_name(out, input->summary, block->chart->name, block->group,
                      (input->formats & REPORT_PNG) ? "png" : "svg");
    text_buffer_puts(out, ")\n");
}

/* A heading of nothing but charts whose pictures are not written; deeper ones do not fill it. */
static bool is_of_absent_charts(const struct report_input *input,
                                const struct manuscript_block *heading)
{
    bool any = false;
    for (const struct manuscript_block *block = heading->next; block != NULL; block = block->next) {
        if (block->kind == MANUSCRIPT_SECTION && block->level <= heading->level)
            break;
        if (block->kind == MANUSCRIPT_SECTION)
            continue;
        if (block->kind != MANUSCRIPT_CHART || has_picture(input, block->chart))
            return false;
        any = true;
    }
    return any;
}

static void write_line(struct text_buffer *out, const char *before, const char *text)
{
    text_buffer_puts(out, before);
    put_line(out, text);
    text_buffer_puts(out, "\n");
}

static bool is_list(enum manuscript_kind kind)
{
    return kind == MANUSCRIPT_ITEM || kind == MANUSCRIPT_COMMAND;
}

/* `before`: the kind of the block before, a section where there is none. */
static void write_block(struct text_buffer *out, const struct report_input *input,
                        const struct manuscript_block *block, enum manuscript_kind before)
{
    switch (block->kind) {
    case MANUSCRIPT_SECTION:
        if (!is_of_absent_charts(input, block))
            write_heading(out, block);
        break;
    case MANUSCRIPT_VERDICT:
        write_verdict(out, block, out->length == 0);
        break;
    case MANUSCRIPT_FIGURES:
        write_figures(out, input, block);
        break;
    case MANUSCRIPT_PARAGRAPH:
        write_line(out, "\n", block->text);
        break;
    case MANUSCRIPT_NOTICE:
        write_line(out, "\n> ", block->text);
        break;
    case MANUSCRIPT_ITEM:
        write_line(out, is_list(before) ? "- " : "\n- ", block->text);
        break;
    case MANUSCRIPT_COMMAND:
        write_command(out, block->text, before == MANUSCRIPT_ITEM);
        break;
    case MANUSCRIPT_TABLE:
        write_table(out, input, block->table);
        break;
    case MANUSCRIPT_CHART:
        write_chart(out, input, block);
        break;
    }
}

enum status markdown_write(const struct manuscript *manuscript, const struct report_input *input,
                           struct text_buffer *out, struct diag *diag)
{
    enum manuscript_kind before = MANUSCRIPT_SECTION;
    for (const struct manuscript_block *block = manuscript->first; block != NULL;
         block = block->next) {
        write_block(out, input, block, before);
        before = block->kind;
    }
    return manuscript->failed || out->failed ? diag_no_memory(diag) : STATUS_OK;
}
