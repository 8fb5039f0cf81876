#include "sheet_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sheet_candidates.h"
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
    uint32_t limit = CELL_MAX_ROWS - REMARK_ROWS;
    if (grid->max_rows > 0 && grid->max_rows < limit)
        limit = grid->max_rows + 1; /* the headings */
    return grid->row < limit;
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

/* "column.peak" is explained by "meaning.peak". */
static void add_note(const struct sheet_grid *grid, uint32_t column, const char *id)
{
    char meaning[64];
    const char *name = strchr(id, '.');
    snprintf(meaning, sizeof meaning, "meaning%s", name != NULL ? name : "");
    cell_note(grid->sheet, 0, column, texts_get(cell_texts(grid->sheet), meaning));
}

static void add_heading(struct sheet_grid *grid, const char *id, const char *text, bool number)
{
    uint32_t index;
    struct sheet_grid_column *column = next_column(grid, &index);
    if (column == NULL)
        return;
    double whole = (double)text_width(text, strlen(text));
    column->number = number;
    column->heading = BOLD * fmax(fmin(whole, HEADING_WIDTH),
                                  fmin((double)text_width_of_word(text), MAX_WIDTH / 2));
    text_buffer_append(&grid->headings, text, strlen(text) + 1);
    cell_text(grid->sheet, 0, index, text, number ? CELL_HEADER_RIGHT : CELL_HEADER);
    add_note(grid, index, id);
    unsigned lines = cell_lines(text, column->heading / BOLD);
    grid->row_lines = lines > grid->row_lines ? lines : grid->row_lines;
}

void sheet_grid_headings(struct sheet_grid *grid, const struct sheet_grid_heading *headings,
                         size_t count)
{
    if (grid->grouped && grid->column_count == 0 && cell_is_writable(grid->sheet))
        add_heading(grid, "column.group", texts_get(cell_texts(grid->sheet), "column.group"),
                    false);
    for (size_t i = 0; i < count && cell_is_writable(grid->sheet); i++)
        add_heading(grid, headings[i].id, texts_get(cell_texts(grid->sheet), headings[i].id),
                    headings[i].number);
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
        add_heading(grid, id, grid->buffer.text, true);
}

/* Makes the column and the row large enough for a text; true if it goes over several lines. */
static bool make_room(struct sheet_grid *grid, struct sheet_grid_column *column, const char *text,
                      bool fixed_width)
{
    double width = (double)text_width(text, strlen(text));
    bool wraps = width > MAX_WIDTH;
    if (wraps) {
        unsigned lines = cell_lines(text, MAX_WIDTH);
        grid->row_lines = lines > grid->row_lines ? lines : grid->row_lines;
        width = MAX_WIDTH;
    }
    /* Letters of a fixed width are a little wider than the sheet's own. */
    column->content = fmax(column->content, fixed_width ? width * 1.1 : width);
    return wraps;
}

void sheet_grid_text(struct sheet_grid *grid, const char *text, enum cell_style style)
{
    uint32_t index;
    struct sheet_grid_column *column = next_column(grid, &index);
    if (column == NULL || text == NULL || text[0] == '\0' || !row_fits(grid))
        return;
    bool wraps = make_room(grid, column, text, style == CELL_CODE);
    cell_text(grid->sheet, grid->row, index, text, wraps && style == CELL_TEXT ? CELL_WRAP : style);
}

void sheet_grid_link(struct sheet_grid *grid, const char *text, const struct cell_target *target,
                     enum cell_style style)
{
    /* Not every program breaks the lines of a link. */
    if (target->sheet == NULL || text == NULL || text_width(text, strlen(text)) > MAX_WIDTH) {
        sheet_grid_text(grid, text, style == CELL_LINK_STRONG ? CELL_STRONG : CELL_TEXT);
        return;
    }
    uint32_t index;
    struct sheet_grid_column *column = next_column(grid, &index);
    if (column == NULL || text[0] == '\0' || !row_fits(grid))
        return;
    (void)make_room(grid, column, text, false);
    cell_link_inside(grid->sheet, grid->row, index, text, target, style);
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

/* Notes that this row of a column has a bar. */
static void add_to_span(struct sheet_grid *grid, struct sheet_grid_bars *bars)
{
    struct cell_span *last = bars->span_count > 0 ? &bars->spans[bars->span_count - 1] : NULL;
    if (last != NULL && last->last + 1 == grid->row) {
        last->last = grid->row;
        return;
    }
    if (bars->span_count == bars->span_capacity) {
        size_t capacity = bars->span_capacity * 2 + 16;
        struct cell_span *spans = realloc(bars->spans, capacity * sizeof *spans);
        grid->buffer.failed |= spans == NULL;
        if (spans == NULL)
            return;
        bars->spans = spans;
        bars->span_capacity = capacity;
    }
    bars->spans[bars->span_count++] = (struct cell_span){grid->row, grid->row};
}

void sheet_grid_bar(struct sheet_grid *grid, enum sheet_grid_bar bar, double value, bool failed,
                    enum cell_style style)
{
    struct sheet_grid_bars *bars = &grid->bars[bar];
    bars->column = grid->column;
    if (isfinite(value) && !failed && row_fits(grid)) {
        bars->largest = fmax(bars->largest, value);
        add_to_span(grid, bars);
    }
    sheet_grid_number(grid, value, style);
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

bool sheet_grid_cuts(struct sheet_grid *grid, size_t rows)
{
    if (grid->cut_rows == 0)
        return false;
    grid->cut_rows += (double)rows;
    return true;
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

void sheet_grid_label(struct sheet_grid *grid, const struct summary_candidate *candidate)
{
    struct cell_target target = {.row = grid->candidate_row};
    if (grid->input != NULL && grid->candidate != candidate)
        target.sheet = sheet_table_name(grid->input, "sheet.candidates");
    grid->candidate = candidate;
    sheet_grid_link(grid, candidate->label, &target, CELL_LINK_WRAP);
}

void sheet_grid_candidates(struct sheet_grid *grid, const struct summary *summary,
                           void (*write)(struct sheet_grid *grid, const struct summary_group *group,
                                         const struct summary_candidate *candidate))
{
    grid->candidate_row = SHEET_CANDIDATES_FIRST_ROW;
    for (size_t i = 0; i < summary->group_count; i++) {
        const struct summary_group *group = &summary->groups[i];
        for (size_t k = 0; k < group->candidate_count; k++) {
            write(grid, group, &group->candidates[group->order[k]]);
            grid->candidate_row++;
        }
    }
}

static void write_bars(struct sheet_grid *grid)
{
    static const enum cell_bar kinds[SHEET_GRID_BARS] = {[SHEET_GRID_MEMORY] = CELL_BAR_MEMORY,
                                                         [SHEET_GRID_TOKENS] = CELL_BAR_THROUGHPUT,
                                                         [SHEET_GRID_SAMPLES] =
                                                             CELL_BAR_THROUGHPUT};
    for (size_t i = 0; i < SHEET_GRID_BARS; i++) {
        const struct sheet_grid_bars *bars = &grid->bars[i];
        const struct cell_bars drawn = {.column = bars->column,
                                        .spans = bars->spans,
                                        .span_count = bars->span_count,
                                        .largest = bars->largest,
                                        .bar = kinds[i]};
        cell_bars(grid->sheet, &drawn);
    }
}

static void write_table(struct sheet_grid *grid)
{
    const char *headings[CELL_MAX_COLUMNS];
    bool numbers[CELL_MAX_COLUMNS];
    const char *heading = grid->headings.text;
    for (uint32_t i = 0; i < grid->column_count; i++) {
        bool headed = heading < grid->headings.text + grid->headings.length;
        headings[i] = headed ? heading : "";
        numbers[i] = grid->columns[i].number;
        heading += headed ? strlen(heading) + 1 : 0;
    }
    const struct cell_table table = {.name = grid->table,
                                     .headings = headings,
                                     .numbers = numbers,
                                     .column_count = grid->column_count,
                                     .last_row = grid->row - 1};
    cell_table(grid->sheet, &table);
}

void sheet_grid_finish(struct sheet_grid *grid, uint32_t frozen_columns, const char *about_id)
{
    frozen_columns += grid->grouped ? 1 : 0;
    if (cell_is_writable(grid->sheet) && grid->column_count > 0 && !grid->headings.failed) {
        for (uint32_t i = 0; i < grid->column_count; i++)
            cell_column_width(
                grid->sheet, i,
                fmax(grid->columns[i].content + PADDING, grid->columns[i].heading + FILTER_BUTTON));
        cell_freeze(grid->sheet, 1, frozen_columns);
        cell_print_setup(grid->sheet, 0, frozen_columns);
        if (grid->row > 1)
            write_table(grid);
        write_bars(grid);
        write_remarks(grid, frozen_columns, about_id);
    }
    cell_check_buffer(grid->sheet, &grid->buffer);
    cell_check_buffer(grid->sheet, &grid->headings);
    for (size_t i = 0; i < SHEET_GRID_BARS; i++)
        free(grid->bars[i].spans);
    text_buffer_fini(&grid->headings);
    text_buffer_fini(&grid->buffer);
}
