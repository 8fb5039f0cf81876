#include "html_block.h"

#include "html_text.h"
#include "texts.h"

static const char *class_of(enum manuscript_tone tone)
{
    static const char *const classes[] = {
        [MANUSCRIPT_PLAIN] = "",    [MANUSCRIPT_STRONG] = "strong",   [MANUSCRIPT_QUIET] = "quiet",
        [MANUSCRIPT_GOOD] = "good", [MANUSCRIPT_WARNING] = "warning", [MANUSCRIPT_BAD] = "bad"};
    return classes[tone];
}

/* What tells a tone without its colour; the words say it to who hears the page. */
static void put_mark(struct text_buffer *out, enum manuscript_tone tone)
{
    const char *mark = tone == MANUSCRIPT_GOOD      ? "\u2713"
                       : tone == MANUSCRIPT_WARNING ? "!"
                       : tone == MANUSCRIPT_BAD     ? "\u2717"
                                                    : NULL;
    if (mark != NULL)
        text_buffer_printf(out, "<span class=\"mark\" aria-hidden=\"true\">%s</span>", mark);
}

/* <p class="good">mark text</p> */
static void put_element(struct text_buffer *out, const char *name, enum manuscript_tone tone,
                        const char *text)
{
    text_buffer_printf(out, "<%s", name);
    if (tone != MANUSCRIPT_PLAIN)
        text_buffer_printf(out, " class=\"%s\"", class_of(tone));
    text_buffer_puts(out, ">");
    put_mark(out, tone);
    html_text_put(out, text);
    text_buffer_printf(out, "</%s>\n", name);
}

/* ---- Blocks ---- */

/* Whether there is a verdict between this heading and the next part. */
static bool decides(const struct manuscript_block *part)
{
    for (const struct manuscript_block *block = part->next; block != NULL; block = block->next) {
        if (block->kind == MANUSCRIPT_VERDICT)
            return true;
        if (block->kind == MANUSCRIPT_SECTION && block->level == 1)
            return false;
    }
    return false;
}

/* On paper a decision has its pages to itself; other parts follow each other. */
static void put_part(struct html_block_page *page, const struct manuscript_block *block)
{
    bool decided = decides(block);
    bool new_page = page->in_part && block->new_page && (decided || page->decided);
    text_buffer_puts(page->out, page->in_part ? "</section>\n" : "");
    text_buffer_puts(page->out, "<section aria-labelledby=\"");
    html_text_put(page->out, block->anchor);
    text_buffer_printf(page->out, "\"%s>\n", new_page ? " class=\"new-page\"" : "");
    page->in_part = true;
    page->decided = decided;
}

static void put_section(struct html_block_page *page, const struct manuscript_block *block)
{
    unsigned level = block->level < 3 ? block->level + 1 : 4;
    if (block->level == 1)
        put_part(page, block);
    text_buffer_printf(page->out, "<h%u id=\"", level);
    html_text_put(page->out, block->anchor);
    text_buffer_puts(page->out, "\">");
    html_text_put(page->out, block->text);
    text_buffer_printf(page->out, "</h%u>\n", level);
    page->anchor = block->anchor;
}

static void put_verdict(struct html_block_page *page, const struct manuscript_block *block)
{
    text_buffer_printf(page->out, "<div class=\"verdict %s\">\n<p class=\"headline\">",
                       class_of(block->tone));
    put_mark(page->out, block->tone);
    html_text_put(page->out, block->text);
    text_buffer_puts(page->out, "</p>\n");
    if (block->detail != NULL && block->detail[0] != '\0')
        put_element(page->out, "p", MANUSCRIPT_PLAIN, block->detail);
    text_buffer_puts(page->out, "</div>\n");
}

static void put_figures(struct html_block_page *page, const struct manuscript_block *block)
{
    struct text_buffer *out = page->out;
    text_buffer_puts(out, "<dl class=\"figures\">\n");
    for (size_t i = 0; i < block->figure_count; i++) {
        const struct manuscript_figure *figure = &block->figures[i];
        text_buffer_printf(out, "<div class=\"%s\"><dt>", class_of(figure->tone));
        html_text_put(out, figure->label);
        text_buffer_puts(out, "</dt><dd class=\"value\">");
        put_mark(out, figure->tone);
        html_text_put(out, figure->value);
        text_buffer_puts(out, "</dd>");
        if (figure->detail != NULL) {
            text_buffer_puts(out, "<dd class=\"detail\">");
            html_text_put(out, figure->detail);
            text_buffer_puts(out, "</dd>");
        }
        text_buffer_puts(out, "</div>\n");
    }
    text_buffer_puts(out, "</dl>\n");
}

static void put_notice(struct html_block_page *page, const struct manuscript_block *block)
{
    text_buffer_printf(page->out, "<div class=\"notice %s\" role=\"note\">", class_of(block->tone));
    text_buffer_puts(page->out, "<p>");
    put_mark(page->out, block->tone);
    html_text_put(page->out, block->text);
    text_buffer_puts(page->out, "</p></div>\n");
}

static void put_command(struct html_block_page *page, const struct manuscript_block *block)
{
    text_buffer_puts(page->out, "<pre><code>");
    html_text_put(page->out, block->text);
    text_buffer_puts(page->out, "</code></pre>\n");
}

/* Items that follow each other, each with the commands below it. */
static const struct manuscript_block *put_list(struct html_block_page *page,
                                               const struct manuscript_block *block)
{
    text_buffer_puts(page->out, "<ul>\n");
    while (block != NULL && block->kind == MANUSCRIPT_ITEM) {
        text_buffer_puts(page->out, "<li");
        if (block->tone != MANUSCRIPT_PLAIN)
            text_buffer_printf(page->out, " class=\"%s\"", class_of(block->tone));
        text_buffer_puts(page->out, ">");
        put_mark(page->out, block->tone);
        html_text_put(page->out, block->text);
        for (block = block->next; block != NULL && block->kind == MANUSCRIPT_COMMAND;
             block = block->next)
            put_command(page, block);
        text_buffer_puts(page->out, "</li>\n");
    }
    text_buffer_puts(page->out, "</ul>\n");
    return block;
}

/* ---- Tables ---- */

static void put_head(struct text_buffer *out, const struct manuscript_table *table)
{
    text_buffer_puts(out, "<thead><tr>");
    for (size_t i = 0; i < table->column_count; i++) {
        text_buffer_printf(out, "<th scope=\"col\"%s>",
                           table->columns[i].number ? " class=\"number\"" : "");
        html_text_put(out, table->columns[i].heading);
        text_buffer_puts(out, "</th>");
    }
    text_buffer_puts(out, "</tr></thead>\n");
}

/* The first cell names its row. */
static void put_cell(struct text_buffer *out, const struct manuscript_column *column,
                     const struct manuscript_text *cell, bool names_row)
{
    const char *name = names_row ? "th" : "td";
    const char *kind = column->number ? "number" : column->code ? "code" : "text";
    const char *tone = class_of(cell->tone);
    text_buffer_printf(out, "<%s%s class=\"%s%s%s\">", name, names_row ? " scope=\"row\"" : "",
                       kind, tone[0] != '\0' ? " " : "", tone);
    put_mark(out, cell->tone);
    html_text_put(out, cell->text);
    text_buffer_printf(out, "</%s>", name);
}

/* A table wider than the screen scrolls by itself, with the keyboard, too. */
static void put_table(struct html_block_page *page, const struct manuscript_block *block)
{
    struct text_buffer *out = page->out;
    const struct manuscript_table *table = block->table;
    text_buffer_puts(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\"");
    if (page->anchor != NULL) {
        text_buffer_puts(out, " aria-labelledby=\"");
        html_text_put(out, page->anchor);
        text_buffer_puts(out, "\"");
    }
    text_buffer_puts(out, "><table>\n");
    put_head(out, table);
    text_buffer_puts(out, "<tbody>\n");
    for (const struct manuscript_row *row = table->first; row != NULL; row = row->next) {
        text_buffer_puts(out, "<tr>");
        for (size_t i = 0; i < table->column_count; i++)
            put_cell(out, &table->columns[i], &row->cells[i], i == 0);
        text_buffer_puts(out, "</tr>\n");
    }
    text_buffer_puts(out, "</tbody>\n</table></div>\n");
}

/* ---- Charts ---- */

/* In place of a chart of a group beyond those that a page has charts of. */
static void put_left_out(struct html_block_page *page)
{
    const struct sentence_value count = {.name = "count", .number = REPORT_PICTURES_PAGE_GROUPS};
    struct text_buffer line = {0};
    texts_fill(&line, page->texts, "html.left_out", &count, 1);
    put_element(page->out, "p", MANUSCRIPT_QUIET, line.text);
    page->out->failed |= line.failed;
    text_buffer_fini(&line);
}

static void put_chart(struct html_block_page *page, const struct manuscript_block *block)
{
    if (block->group >= REPORT_PICTURES_PAGE_GROUPS) {
        put_left_out(page);
        return;
    }
    const struct report_picture *picture =
        report_pictures_find(page->pictures, block->chart, block->group);
    if (picture == NULL || picture->image.svg == NULL)
        return;
    /* the title of the picture, which svg_inline_add numbers so, names what scrolls */
    text_buffer_printf(page->out, "<figure tabindex=\"0\" aria-labelledby=\"title_%zu\">\n",
                       page->charts.picture_count);
    /* a heading of the page says what it is */
    struct svg_inline_picture drawing = {picture->image.svg, picture->image.svg_size,
                                         picture->image.head};
    svg_inline_add(&page->charts, page->out, &drawing);
    text_buffer_puts(page->out, "</figure>\n");
}

const struct manuscript_block *html_block_put(struct html_block_page *page,
                                              const struct manuscript_block *block)
{
    switch (block->kind) {
    case MANUSCRIPT_SECTION:
        put_section(page, block);
        break;
    case MANUSCRIPT_VERDICT:
        put_verdict(page, block);
        break;
    case MANUSCRIPT_FIGURES:
        put_figures(page, block);
        break;
    case MANUSCRIPT_PARAGRAPH:
        put_element(page->out, "p", block->tone, block->text);
        break;
    case MANUSCRIPT_NOTICE:
        put_notice(page, block);
        break;
    case MANUSCRIPT_ITEM:
        return put_list(page, block);
    case MANUSCRIPT_COMMAND:
        put_command(page, block);
        break;
    case MANUSCRIPT_TABLE:
        put_table(page, block);
        break;
    case MANUSCRIPT_CHART:
        put_chart(page, block);
        break;
    }
    return block->next;
}
