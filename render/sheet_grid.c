#include "sheet_grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

/* Characters: beyond the first a text wraps; a heading wraps from the second on. */
#define MAX_WIDTH 60.0
#define HEADING_WIDTH 14.0
/* Bold letters are wider. */
#define BOLD 1.2
/* Space at both sides of a cell, and for the button of a filter. */
#define PADDING 2.5
#define FILTER_BUTTON 2.5
/* Rows kept for the remarks below a table that fills its sheet. */
#define REMARK_ROWS 4u

static bool row_fits(const struct sheet_grid *grid)
{
    return grid->row < CELL_MAX_ROWS - REMARK_ROWS;
}

static struct sheet_grid_column *next_column(struct sheet_grid *grid, uint32_t *index)
{
    *index = grid->column++;
    if (*index >= CELL_MAX_COLUMNS)
        return NULL;
    if (grid->column > grid->column_count)
        grid->column_count = grid->column;
    return &grid->columns[*index];
}

static void add_heading(struct sheet_grid *grid, const char *text, bool number)
{
    uint32_t index;
    struct sheet_grid_column *column = next_column(grid, &index);
    if (column == NULL)
        return;
    double whole = (double)text_width(text, strlen(text));
    column->heading = BOLD * fmax(fmin(whole, HEADING_WIDTH),
                                  fmin((double)text_width_of_word(text), MAX_WIDTH / 2));
    cell_text(grid->sheet, 0, index, text, number ? CELL_HEADER_RIGHT : CELL_HEADER);
    unsigned lines = cell_lines(text, column->heading / BOLD);
    grid->row_lines = lines > grid->row_lines ? lines : grid->row_lines;
}

void sheet_grid_headings(struct sheet_grid *grid, const struct sheet_grid_heading *headings,
                         size_t count)
{
    if (grid->grouped && grid->column_count == 0 && cell_is_writable(grid->sheet))
        add_heading(grid, texts_get(cell_texts(grid->sheet), "column.group"), false);
    for (size_t i = 0; i < count && cell_is_writable(grid->sheet); i++)
        add_heading(grid, texts_get(cell_texts(grid->sheet), headings[i].id), headings[i].number);
}

void sheet_grid_heading_of(struct sheet_grid *grid, const char *id, const char *placeholder,
                           const char *text)
{
    if (!cell_is_writable(grid->sheet))
        return;
    struct sentence_value value = {.name = placeholder, .text = text};
    text_buffer_clear(&grid->buffer);
    texts_fill(&grid->buffer, cell_texts(grid->sheet), id, &value, 1);
    if (!grid->buffer.failed)
        add_heading(grid, grid->buffer.text, true);
}

void sheet_grid_text(struct sheet_grid *grid, const char *text, enum cell_style style)
{
    uint32_t index;
    struct sheet_grid_column *column = next_column(grid, &index);
    if (column == NULL || text == NULL || text[0] == '\0' || !row_fits(grid))
        return;
    double width = (double)text_width(text, strlen(text));
    if (width > MAX_WIDTH) {
        unsigned lines = cell_lines(text, MAX_WIDTH);
        grid->row_lines = lines > grid->row_lines ? lines : grid->row_lines;
        style = style == CELL_TEXT ? CELL_WRAP : style;
        width = MAX_WIDTH;
    }
    /* Letters of a fixed width are a little wider than the sheet's own. */
    column->content = fmax(column->content, style == CELL_CODE ? width * 1.1 : width);
    cell_text(grid->sheet, grid->row, index, text, style);
}

void sheet_grid_group(struct sheet_grid *grid, const struct summary_group *group)
{
    if (grid->grouped)
        sheet_grid_text(grid, group->label, CELL_TEXT);
}

void sheet_grid_word(struct sheet_grid *grid, const char *group, const char *word)
{
    if (cell_is_writable(grid->sheet))
        sheet_grid_text(grid, texts_word(cell_texts(grid->sheet), group, word), CELL_TEXT);
}

/* What the style makes of the number, roughly: thousands separators and decimals. */
static double number_width(double value, enum cell_style style)
{
    static const int decimals[CELL_STYLE_COUNT] = {[CELL_ONE] = 2,
                                                   [CELL_TWO] = 3,
                                                   [CELL_FOUR] = 5,
                                                   [CELL_PERCENT] = 3,
                                                   [CELL_SIGNED_PERCENT] = 4,
                                                   [CELL_TINY] = 7};
    double shown =
        fabs(style == CELL_PERCENT || style == CELL_SIGNED_PERCENT ? 100 * value : value);
    if (shown >= 1e15)
        return 10;
    double digits = shown < 1 ? 1 : floor(log10(shown)) + 1;
    double separators = floor((digits - 1) / 3);
    return fmax(digits + separators + decimals[style] + (value < 0 ? 1 : 0), 8);
}

void sheet_grid_number(struct sheet_grid *grid, double value, enum cell_style style)
{
    uint32_t index;
    struct sheet_grid_column *column = next_column(grid, &index);
    if (column == NULL || !isfinite(value) || !row_fits(grid))
        return;
    column->content = fmax(column->content, number_width(value, style));
    cell_number(grid->sheet, grid->row, index, value, style);
}

void sheet_grid_list(struct sheet_grid *grid, const char *group, const char *const *items,
                     size_t count)
{
    const struct texts *texts = cell_texts(grid->sheet);
    text_buffer_clear(&grid->buffer);
    for (size_t i = 0; i < count && texts != NULL; i++) {
        if (i > 0)
            text_buffer_puts(&grid->buffer, texts_get(texts, "word.list_separator"));
        text_buffer_puts(&grid->buffer,
                         group != NULL ? texts_word(texts, group, items[i]) : items[i]);
    }
    sheet_grid_text(grid, grid->buffer.text, CELL_TEXT);
}

void sheet_grid_messages(struct sheet_grid *grid, const struct summary_message *messages,
                         size_t count)
{
    const struct texts *texts = cell_texts(grid->sheet);
    text_buffer_clear(&grid->buffer);
    for (size_t i = 0; i < count && texts != NULL; i++) {
        if (i > 0)
            text_buffer_puts(&grid->buffer, " ");
        texts_message(&grid->buffer, texts, &messages[i]);
    }
    sheet_grid_text(grid, grid->buffer.text, CELL_TEXT);
}

void sheet_grid_end_row(struct sheet_grid *grid)
{
    if (!row_fits(grid)) {
        grid->cut_rows++;
    } else {
        if (grid->row_lines > 1)
            cell_row_lines(grid->sheet, grid->row, grid->row_lines);
        grid->row++;
    }
    grid->row_lines = 1;
    grid->column = 0;
}

static void write_remarks(struct sheet_grid *grid, uint32_t first, const char *about_id)
{
    const struct texts *texts = cell_texts(grid->sheet);
    uint32_t row = grid->row;
    if (grid->cut_rows > 0) {
        struct sentence_value value = {.name = "rows", .number = grid->cut_rows};
        text_buffer_clear(&grid->buffer);
        texts_fill(&grid->buffer, texts, "word.cut_rows", &value, 1);
        if (!grid->buffer.failed)
            cell_text(grid->sheet, row, 0, grid->buffer.text, CELL_FAIL);
        row++;
    }
    /* Beside the columns that every page repeats. */
    uint32_t last = first + 5 < grid->column_count ? first + 5 : grid->column_count - 1;
    if (grid->row == 1)
        cell_text_across(grid->sheet, row++, first, last, texts_get(texts, "word.no_rows"),
                         CELL_MUTED);
    cell_text_across(grid->sheet, row + 1, first, last, texts_get(texts, about_id), CELL_MUTED);
}

void sheet_grid_candidates(struct sheet_grid *grid, const struct summary *summary,
                           void (*write)(struct sheet_grid *grid, const struct summary_group *group,
                                         const struct summary_candidate *candidate))
{
    for (size_t i = 0; i < summary->group_count; i++) {
        const struct summary_group *group = &summary->groups[i];
        for (size_t k = 0; k < group->candidate_count; k++)
            write(grid, group, &group->candidates[group->order[k]]);
    }
}

void sheet_grid_finish(struct sheet_grid *grid, uint32_t frozen_columns, const char *about_id)
{
    frozen_columns += grid->grouped ? 1 : 0;
    if (cell_is_writable(grid->sheet) && grid->column_count > 0) {
        for (uint32_t i = 0; i < grid->column_count; i++)
            cell_column_width(
                grid->sheet, i,
                fmax(grid->columns[i].content + PADDING, grid->columns[i].heading + FILTER_BUTTON));
        cell_freeze(grid->sheet, 1, frozen_columns);
        cell_print_setup(grid->sheet, 0, frozen_columns);
        if (grid->row > 1)
            cell_autofilter(grid->sheet, 0, grid->row - 1, grid->column_count - 1);
        write_remarks(grid, frozen_columns, about_id);
    }
    cell_check_buffer(grid->sheet, &grid->buffer);
    text_buffer_fini(&grid->buffer);
}
