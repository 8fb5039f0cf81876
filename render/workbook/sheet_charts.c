#include "sheet_table.h"
#include "text_buffer.h"

/* Every chart, in the report's order, below a caption of its own. */

#define COLUMNS 8u
#define COLUMN_WIDTH 21.0
/* Of its own size in CSS pixels: read on a screen first. */
#define PICTURE_SCALE 1.0
/* A caption with the empty row above it. */
#define CAPTION_PIXELS 36u

struct charts_page {
    const struct sheet_input *input;
    struct sheet *sheet;
    struct text_buffer buffer;
    uint32_t row;
    unsigned used; /* pixels of the printed page */
};

bool sheet_charts_has_content(const struct sheet_input *input)
{
    return input->picture_count > 0;
}

/* "3. Throughput per strategy", and the group where there are several. */
static void write_caption(struct charts_page *page, size_t index)
{
    const struct sheet_picture *picture = &page->input->pictures[index];
    const struct summary *summary = page->input->summary;
    text_buffer_clear(&page->buffer);
    text_buffer_printf(&page->buffer, "%zu. %s", index + 1, picture->picture.description);
    if (!page->buffer.failed)
        cell_text_across(page->sheet, page->row++, 0, COLUMNS - 1, page->buffer.text, CELL_HEADING);
    if (summary->group_count > 1)
        cell_text_across(page->sheet, page->row++, 0, COLUMNS - 1,
                         summary->groups[picture->group].label, CELL_MUTED);
}

static void write_picture(struct charts_page *page, size_t index)
{
    struct cell_picture scaled = page->input->pictures[index].picture;
    scaled.width = (unsigned)(scaled.width * PICTURE_SCALE);
    scaled.height = (unsigned)(scaled.height * PICTURE_SCALE);
    unsigned height = scaled.height + CAPTION_PIXELS;
    if (index > 0 && page->used + height > CELL_BREAK_PIXELS) {
        cell_page_break(page->sheet, page->row);
        page->used = 0;
    }
    page->used += height;
    write_caption(page, index);
    page->row = cell_picture(page->sheet, page->row, 0, &scaled);
}

void sheet_charts_write(const struct sheet_input *input, struct sheet *sheet)
{
    struct charts_page page = {.input = input, .sheet = sheet};
    for (uint32_t i = 0; i < COLUMNS; i++)
        cell_column_width(sheet, i, COLUMN_WIDTH);
    for (size_t i = 0; i < input->picture_count; i++)
        write_picture(&page, i);
    cell_print_setup(sheet, -1, 0);
    cell_check_buffer(sheet, &page.buffer);
    text_buffer_fini(&page.buffer);
}
