#include "index_workbook.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "text.h"
#include "workbook.h"

/* Characters: of the widest column, of a heading before it wraps; beside a cell's content, for the
 * button of the filter. */
#define MAX_WIDTH 48.0
#define HEADING_WIDTH 14.0
#define PADDING 2.5
#define FILTER_BUTTON 3.0
/* Rows of the sheet that stay free for a remark. */
#define REMARK_ROWS 2u

struct page {
    const struct index_workbook_input *input;
    struct sheet *sheet;
    double widths[CELL_MAX_COLUMNS];
};

static enum cell_style style_of(enum index_workbook_kind kind)
{
    static const enum cell_style styles[] = {
        [INDEX_WORKBOOK_TEXT] = CELL_TEXT,     [INDEX_WORKBOOK_VERDICT] = CELL_TEXT,
        [INDEX_WORKBOOK_LINK] = CELL_LINK,     [INDEX_WORKBOOK_WHOLE] = CELL_WHOLE,
        [INDEX_WORKBOOK_ONE] = CELL_ONE,       [INDEX_WORKBOOK_TWO] = CELL_TWO,
        [INDEX_WORKBOOK_SHARE] = CELL_PERCENT, [INDEX_WORKBOOK_CHANGE] = CELL_SIGNED_PERCENT,
    };
    return styles[kind];
}

static enum cell_style verdict_style(const char *verdict)
{
    if (strcmp(verdict, "accept") == 0)
        return CELL_PASS;
    return strcmp(verdict, "tune") == 0 ? CELL_TIGHT : CELL_FAIL;
}

static void widen(struct page *page, size_t column, double width)
{
    page->widths[column] = fmax(page->widths[column], fmin(width, MAX_WIDTH));
}

static void put_value(struct page *page, uint32_t row, size_t column)
{
    const struct index_workbook_input *input = page->input;
    enum index_workbook_kind kind = input->columns[column].kind;
    struct index_workbook_value value = input->value(input->context, row - 1, column);
    uint32_t at = (uint32_t)column;
    if (kind >= INDEX_WORKBOOK_WHOLE) {
        if (!isfinite(value.number))
            return;
        /* Thousands separators and decimals: two more characters a group of three. */
        double digits = fabs(value.number) < 1 ? 1 : floor(log10(fabs(value.number))) + 1;
        widen(page, column, digits * 4 / 3 + 5);
        cell_number(page->sheet, row, at, value.number, style_of(kind));
        return;
    }
    if (value.text == NULL || value.text[0] == '\0')
        return;
    widen(page, column, (double)text_width(value.text, strlen(value.text)) + PADDING);
    if (kind == INDEX_WORKBOOK_LINK)
        cell_link(page->sheet, row, at, value.text);
    else
        cell_text(page->sheet, row, at, value.text,
                  kind == INDEX_WORKBOOK_VERDICT ? verdict_style(value.text) : CELL_TEXT);
}

/* A heading goes over several lines, at its words. */
static double heading_width(const char *heading)
{
    double longest = (double)text_width_of_word(heading);
    return fmax(longest, fmin((double)text_width(heading, strlen(heading)), HEADING_WIDTH)) * 1.2 +
           FILTER_BUTTON;
}

static void put_table(struct page *page, uint32_t last_row)
{
    const struct index_workbook_input *input = page->input;
    const char *headings[CELL_MAX_COLUMNS];
    bool numbers[CELL_MAX_COLUMNS];
    for (size_t i = 0; i < input->column_count; i++) {
        headings[i] = input->columns[i].heading;
        numbers[i] = input->columns[i].kind >= INDEX_WORKBOOK_WHOLE;
        enum cell_style style = numbers[i] ? CELL_HEADER_RIGHT : CELL_HEADER;
        cell_text(page->sheet, 0, (uint32_t)i, headings[i], style);
        widen(page, i, heading_width(headings[i]));
        cell_column_width(page->sheet, (uint32_t)i, page->widths[i]);
    }
    const struct cell_table table = {.name = "Groups",
                                     .headings = headings,
                                     .numbers = numbers,
                                     .column_count = input->column_count,
                                     .last_row = last_row};
    cell_table(page->sheet, &table); /* nothing without a row */
}

static void write_groups(const struct index_workbook_input *input, struct sheet *sheet)
{
    struct page page = {.input = input, .sheet = sheet};
    uint32_t limit = CELL_MAX_ROWS - 1 - REMARK_ROWS;
    uint32_t rows = input->row_count > limit ? limit : (uint32_t)input->row_count;
    for (uint32_t row = 1; row <= rows && cell_is_writable(sheet); row++)
        for (size_t column = 0; column < input->column_count; column++)
            put_value(&page, row, column);
    put_table(&page, rows);
    cell_row_lines(sheet, 0, 3);
    cell_freeze(sheet, 1, 1);
    cell_print_setup(sheet, 0, 1);
    if (rows < input->row_count)
        cell_text(sheet, rows + 1, 0, "More groups than a sheet has rows: index.csv has all",
                  CELL_FAIL);
    else if (rows == 0)
        cell_text(sheet, 1, 0, "No group: nothing could be used", CELL_MUTED);
}

static void write_totals(const struct index_workbook_input *input, struct sheet *sheet)
{
    cell_column_width(sheet, 0, MAX_WIDTH);
    cell_column_width(sheet, 1, HEADING_WIDTH);
    cell_text(sheet, 0, 0, "Total", CELL_HEADER);
    cell_text(sheet, 0, 1, "Number", CELL_HEADER_RIGHT);
    for (size_t i = 0; i < input->total_count; i++) {
        cell_text(sheet, (uint32_t)i + 1, 0, input->totals[i].name, CELL_TEXT);
        cell_number(sheet, (uint32_t)i + 1, 1, input->totals[i].number, CELL_WHOLE);
    }
    cell_freeze(sheet, 1, 0);
    cell_print_setup(sheet, 0, 0);
}

static void write_left_out(const struct index_workbook_input *input, struct sheet *sheet)
{
    uint32_t limit = CELL_MAX_ROWS - 1 - REMARK_ROWS;
    uint32_t rows = input->left_out_count > limit ? limit : (uint32_t)input->left_out_count;
    cell_column_width(sheet, 0, MAX_WIDTH * 1.5);
    cell_column_width(sheet, 1, MAX_WIDTH * 2);
    cell_text(sheet, 0, 0, "Source", CELL_HEADER);
    cell_text(sheet, 0, 1, "Why it was left out", CELL_HEADER);
    for (uint32_t i = 0; i < rows && cell_is_writable(sheet); i++) {
        struct index_workbook_left_out left_out = input->left_out(input->context, i);
        cell_text(sheet, i + 1, 0, left_out.path, CELL_TEXT);
        cell_text(sheet, i + 1, 1, left_out.reason, CELL_TEXT);
    }
    cell_freeze(sheet, 1, 0);
    if (rows > 0)
        cell_autofilter(sheet, 0, rows, 1);
    else
        cell_text(sheet, 1, 0, "Nothing was left out", CELL_MUTED);
    cell_print_setup(sheet, 0, 0);
}

enum status index_workbook_write(const struct index_workbook_input *input, const char *path,
                                 const char *scratch, struct diag *diag)
{
    static const struct {
        const char *name;
        void (*write)(const struct index_workbook_input *input, struct sheet *sheet);
    } sheets[] = {{"Index", write_groups}, {"Totals", write_totals}, {"Left out", write_left_out}};
    const struct workbook_properties properties = {.title = "Index of an archive of evidence",
                                                   .subject = "One decision a group",
                                                   .author = "rankledger",
                                                   .created = input->created};
    struct workbook *workbook = NULL;
    enum status status = workbook_create(path, scratch, input->texts, &properties, &workbook, diag);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < sizeof sheets / sizeof sheets[0]; i++) {
        struct sheet *sheet = workbook_add_sheet(workbook, sheets[i].name);
        if (sheet != NULL)
            sheets[i].write(input, sheet);
    }
    return workbook_finish(workbook, diag);
}
