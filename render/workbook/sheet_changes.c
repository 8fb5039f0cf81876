#include "sheet_changes.h"

#include <math.h>

#include "changes_view.h"

#define COLUMNS 6u
#define LABEL_WIDTH 30.0
#define COLUMN_WIDTH 24.0

struct page {
    const struct sheet_input *input;
    struct sheet *sheet;
    struct text_buffer buffer;
    uint32_t row;
};

static void put_line(struct page *page, const char *text, enum cell_style style)
{
    cell_text_across(page->sheet, page->row++, 0, COLUMNS - 1, text, style);
}

static void put_buffer(struct page *page, enum cell_style style)
{
    if (!page->buffer.failed && page->buffer.length > 0)
        put_line(page, page->buffer.text, style);
    text_buffer_clear(&page->buffer);
}

static void put_title(struct page *page)
{
    const struct changes *changes = page->input->summary->changes;
    static const enum cell_style styles[] = {[CHANGES_VIEW_BEYOND] = CELL_TITLE_REJECT,
                                             [CHANGES_VIEW_WORSE] = CELL_TITLE_TUNE,
                                             [CHANGES_VIEW_BETTER] = CELL_TITLE_ACCEPT,
                                             [CHANGES_VIEW_UNCHANGED] = CELL_TITLE_ACCEPT};
    bool compared = changes_view_compared(changes) > 0;
    put_line(page, texts_get(page->input->texts, changes_view_headline(changes)),
             compared ? styles[changes_view_whole(changes)] : CELL_TITLE_TUNE);
    texts_message(&page->buffer, page->input->texts, &changes->verdict);
    put_buffer(page, CELL_REASON);
}

static void put_fact(struct page *page, const char *id, const char *text)
{
    cell_text(page->sheet, page->row, 0, texts_get(page->input->texts, id), CELL_LABEL);
    cell_text_across(page->sheet, page->row++, 1, COLUMNS - 1, text, CELL_WRAP);
}

static void put_number(struct page *page, const char *id, double value, enum cell_style style)
{
    cell_text(page->sheet, page->row, 0, texts_get(page->input->texts, id), CELL_LABEL);
    cell_number(page->sheet, page->row++, 1, value, style);
}

static void put_side(struct page *page, const char *id, const struct changes_side *side)
{
    put_fact(page, id, side->path);
    cell_text(page->sheet, page->row, 0, texts_get(page->input->texts, "column.side_kind"),
              CELL_LABEL);
    cell_text(page->sheet, page->row++, 1, texts_word(page->input->texts, "side", side->kind),
              CELL_TEXT);
    put_number(page, "field.sources", side->sources, CELL_WHOLE);
    put_number(page, "field.rejected", (double)side->rejected_count, CELL_WHOLE);
}

static void put_facts(struct page *page)
{
    const struct changes *changes = page->input->summary->changes;
    page->row++;
    put_number(page, "figure.regressions", changes->regressions, CELL_WHOLE);
    if (!isnan(changes->max_regression))
        put_number(page, "column.beyond", changes->beyond, CELL_WHOLE);
    put_number(page, "figure.improvements", changes->improvements, CELL_WHOLE);
    put_number(page, "figure.compared", (double)changes_view_compared(changes), CELL_WHOLE);
    page->row++;
    put_side(page, "column.base", &changes->base);
    page->row++;
    put_side(page, "column.new", &changes->now);
    page->row++;
    put_number(page, "field.tolerance", changes->tolerance, CELL_PERCENT);
    if (isnan(changes->max_regression))
        put_fact(page, "field.max_regression", texts_get(page->input->texts, "figure.no_maximum"));
    else
        put_number(page, "field.max_regression", changes->max_regression, CELL_PERCENT);
}

static void put_pictures(struct page *page)
{
    const struct summary *summary = page->input->summary;
    for (size_t i = 0; i < page->input->picture_count; i++) {
        const struct sheet_picture *picture = &page->input->pictures[i];
        cell_page_break(page->sheet, ++page->row);
        if (summary->group_count > 1)
            put_line(page, summary->groups[picture->group].label, CELL_HEADING);
        page->row = cell_picture(page->sheet, page->row, 0, &picture->picture);
    }
}

void sheet_changes_write(const struct sheet_input *input, struct sheet *sheet)
{
    struct page page = {.input = input, .sheet = sheet};
    for (uint32_t i = 0; i < COLUMNS; i++)
        cell_column_width(sheet, i, i == 0 ? LABEL_WIDTH : COLUMN_WIDTH);
    put_title(&page);
    put_facts(&page);
    put_pictures(&page);
    cell_print_setup(sheet, -1, 0);
    cell_check_buffer(sheet, &page.buffer);
    text_buffer_fini(&page.buffer);
}
