#include "cell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "workbook_private.h"

/* Points: of a row with one line, of each further line, the most that a row may have. */
#define ROW_POINTS 12.75
#define LINE_POINTS 10.5
#define MAX_ROW_POINTS 409.0
#define ROW_PIXELS 17
/* Pixels that a picture keeps off the line of the heading above it. */
#define PICTURE_OFFSET 4
#define DEFAULT_WIDTH 8.43
/* Characters from which on the end of a line makes no difference. */
#define LONG_LINE 40.0
/* Percent: small letters on a screen. */
#define ZOOM 110
#define PAPER_A4 9

void cell_prepare_sheet(struct sheet *sheet)
{
    worksheet_set_default_row(sheet->worksheet, ROW_POINTS, LXW_FALSE);
}

/* ---- Texts ---- */

/* The text made safe, in the workbook's own buffer; NULL after a fault. */
static const char *prepare(struct sheet *sheet, const char *text)
{
    struct workbook *workbook = sheet->workbook;
    text_buffer_clear(&workbook->buffer);
    cell_sanitise(&workbook->buffer, workbook->texts, text);
    if (workbook->buffer.failed)
        workbook_lack_memory(workbook);
    return workbook->buffer.failed ? NULL : workbook->buffer.text;
}

void cell_check_buffer(struct sheet *sheet, const struct text_buffer *buffer)
{
    if (sheet != NULL && buffer->failed)
        workbook_lack_memory(sheet->workbook);
}

bool cell_is_writable(const struct sheet *sheet)
{
    return sheet != NULL && sheet->workbook->status == STATUS_OK;
}

bool cell_has_place(const struct sheet *sheet, uint32_t row, uint32_t column)
{
    return cell_is_writable(sheet) && row < CELL_MAX_ROWS && column < CELL_MAX_COLUMNS;
}

/* Writes a text that is safe already. */
static void write_text(struct sheet *sheet, uint32_t row, uint32_t column, const char *safe,
                       enum cell_style style)
{
    lxw_format *format = sheet->workbook->formats[style];
    lxw_error error =
        safe[0] == '\0'
            ? worksheet_write_blank(sheet->worksheet, row, (lxw_col_t)column, format)
            : worksheet_write_string(sheet->worksheet, row, (lxw_col_t)column, safe, format);
    workbook_check(sheet->workbook, error);
}

void cell_text(struct sheet *sheet, uint32_t row, uint32_t column, const char *text,
               enum cell_style style)
{
    const char *safe =
        cell_has_place(sheet, row, column) ? prepare(sheet, text != NULL ? text : "") : NULL;
    if (safe != NULL)
        write_text(sheet, row, column, safe, style);
}

static double row_height(double lines, double size)
{
    double points = ROW_POINTS + (lines - 1) * LINE_POINTS;
    return fmin(ceil(points * size / CELL_FONT_SIZE * 4) / 4, MAX_ROW_POINTS);
}

/* A row written in parts is as high as its highest part. */
static void set_height(struct sheet *sheet, uint32_t row, double height)
{
    if (sheet->height > 0 && sheet->height_row == row && sheet->height >= height)
        return;
    sheet->height_row = row;
    sheet->height = height;
    workbook_check(sheet->workbook, worksheet_set_row(sheet->worksheet, row, height, NULL));
}

void cell_text_across(struct sheet *sheet, uint32_t row, uint32_t first, uint32_t last,
                      const char *text, enum cell_style style)
{
    if (!cell_has_place(sheet, row, last))
        return;
    struct workbook *workbook = sheet->workbook;
    double width = 0;
    for (uint32_t column = first; column <= last; column++)
        width += sheet->widths[column] > 0 ? sheet->widths[column] : DEFAULT_WIDTH;
    double size = cell_format_size(style);
    const char *safe = prepare(sheet, text);
    if (safe == NULL)
        return;
    double lines = cell_format_wraps(style) ? cell_lines(safe, width * CELL_FONT_SIZE / size) : 1;
    set_height(sheet, row, row_height(lines, size));
    /* The library does not look whether the cells of a merged range could be written. */
    workbook_check(workbook, worksheet_merge_range(sheet->worksheet, row, (lxw_col_t)first, row,
                                                   (lxw_col_t)last, "", workbook->formats[style]));
    for (uint32_t column = first + 1; column <= last; column++)
        workbook_check(workbook, worksheet_write_blank(sheet->worksheet, row, (lxw_col_t)column,
                                                       workbook->formats[style]));
    write_text(sheet, row, first, safe, style);
}

/* ---- Numbers ---- */

/* The smallest number that a style does not show as zero. */
static double smallest_shown(enum cell_style style)
{
    switch (style) {
    case CELL_WHOLE:
        return 0.5;
    case CELL_ONE:
        return 0.05;
    case CELL_TWO:
        return 0.005;
    case CELL_FOUR:
        return 0.00005;
    case CELL_PERCENT:
    case CELL_SIGNED_PERCENT:
        return 0.0005;
    default:
        return 0;
    }
}

enum cell_style cell_number_style(double value, enum cell_style style)
{
    double size = fabs(value);
    return (size > 0 && size < smallest_shown(style)) || size >= 1e15 ? CELL_TINY : style;
}

void cell_number(struct sheet *sheet, uint32_t row, uint32_t column, double value,
                 enum cell_style style)
{
    if (!cell_has_place(sheet, row, column))
        return;
    struct workbook *workbook = sheet->workbook;
    lxw_error error;
    if (!isfinite(value)) {
        error = worksheet_write_blank(sheet->worksheet, row, (lxw_col_t)column,
                                      workbook->formats[style]);
    } else {
        /* No negative zero: it would read "-0". */
        error = worksheet_write_number(sheet->worksheet, row, (lxw_col_t)column,
                                       fabs(value) > 0 ? value : 0,
                                       workbook->formats[cell_number_style(value, style)]);
    }
    workbook_check(workbook, error);
}

/* ---- Pictures ---- */

static uint32_t big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
           (uint32_t)bytes[3];
}

uint32_t cell_picture(struct sheet *sheet, uint32_t row, uint32_t column,
                      const struct cell_picture *picture)
{
    uint32_t below = row + picture->height / ROW_PIXELS + 2;
    /* Width and height in pixels stand in the first chunk (PNG, section 11.2.2). */
    if (!cell_has_place(sheet, below, column) || picture->size < 24)
        return below;
    double pixel_width = (double)big_endian(picture->png + 16);
    double pixel_height = (double)big_endian(picture->png + 20);
    struct workbook *workbook = sheet->workbook;
    text_buffer_clear(&workbook->buffer);
    text_buffer_puts(&workbook->buffer, picture->description);
    if (workbook->buffer.failed || pixel_width < 1 || pixel_height < 1) {
        workbook_lack_memory(workbook);
        return below;
    }
    lxw_image_options options = {.x_scale = picture->width / pixel_width,
                                 .y_scale = picture->height / pixel_height,
                                 .y_offset = PICTURE_OFFSET,
                                 .object_position = LXW_OBJECT_MOVE_DONT_SIZE,
                                 .description = workbook->buffer.text};
    workbook_check(workbook,
                   worksheet_insert_image_buffer_opt(sheet->worksheet, row, (lxw_col_t)column,
                                                     picture->png, picture->size, &options));
    return below;
}

/* ---- Layout ---- */

void cell_column_width(struct sheet *sheet, uint32_t column, double width)
{
    if (!cell_has_place(sheet, 0, column))
        return;
    sheet->widths[column] = width;
    workbook_check(sheet->workbook, worksheet_set_column(sheet->worksheet, (lxw_col_t)column,
                                                         (lxw_col_t)column, width, NULL));
}

void cell_row_lines(struct sheet *sheet, uint32_t row, unsigned lines)
{
    if (!cell_has_place(sheet, row, 0))
        return;
    workbook_check(sheet->workbook, worksheet_set_row(sheet->worksheet, row,
                                                      row_height(lines, CELL_FONT_SIZE), NULL));
}

unsigned cell_lines(const char *text, double width)
{
    /* A line breaks at words, so a short one is filled to some nine tenths. */
    double columns = fmax(width > LONG_LINE ? width : width * 0.9, 1);
    double lines = ceil((double)text_width(text, strlen(text)) / columns);
    return lines < 1 ? 1 : lines > 1000 ? 1000 : (unsigned)lines;
}

void cell_freeze(struct sheet *sheet, uint32_t row, uint32_t column)
{
    if (cell_has_place(sheet, row, column))
        worksheet_freeze_panes(sheet->worksheet, row, (lxw_col_t)column);
}

void cell_autofilter(struct sheet *sheet, uint32_t first_row, uint32_t last_row,
                     uint32_t last_column)
{
    if (cell_has_place(sheet, last_row, last_column))
        workbook_check(sheet->workbook, worksheet_autofilter(sheet->worksheet, first_row, 0,
                                                             last_row, (lxw_col_t)last_column));
}

void cell_page_break(struct sheet *sheet, uint32_t row)
{
    if (cell_is_writable(sheet) && row > 0 && sheet->break_count < CELL_MAX_BREAKS)
        sheet->breaks[sheet->break_count++] = row;
}

/* A page's foot: the title at the left, the page at the right; "&" is its escape character. */
static void append_footer(struct text_buffer *out, const struct workbook *workbook)
{
    static const struct sentence_value page[] = {{.name = "page", .text = "&P"},
                                                 {.name = "pages", .text = "&N"}};
    text_buffer_puts(out, "&L&8");
    for (const char *c = workbook->title; *c != '\0'; c++)
        text_buffer_append(out, *c == '&' ? "&&" : c, *c == '&' ? 2 : 1);
    text_buffer_puts(out, " - &A&R&8");
    texts_fill(out, workbook->texts, "report.page", page, 2);
}

/* Characters that a landscape page takes before its letters become too small. */
#define PAGE_WIDTH 200.0

static double total_width(const struct sheet *sheet)
{
    double width = 0;
    for (size_t i = 0; i < CELL_MAX_COLUMNS; i++)
        width += sheet->widths[i];
    return width;
}

void cell_print_setup(struct sheet *sheet, long header_row, uint32_t fixed_columns)
{
    if (!cell_is_writable(sheet))
        return;
    struct workbook *workbook = sheet->workbook;
    text_buffer_clear(&workbook->buffer);
    append_footer(&workbook->buffer, workbook);
    if (workbook->buffer.failed) {
        workbook_lack_memory(workbook);
        return;
    }
    worksheet_set_zoom(sheet->worksheet, ZOOM);
    worksheet_set_landscape(sheet->worksheet);
    worksheet_set_paper(sheet->worksheet, PAPER_A4);
    if (sheet->break_count > 0) {
        /* Breaks hold only where a scale is given; the columns are chosen to fit this one. */
        worksheet_set_print_scale(sheet->worksheet, CELL_BREAK_SCALE);
        workbook_check(workbook, worksheet_set_h_pagebreaks(sheet->worksheet, sheet->breaks));
    } else {
        double pages = fmin(fmax(ceil(total_width(sheet) / PAGE_WIDTH), 1), 100);
        worksheet_fit_to_pages(sheet->worksheet, (uint16_t)pages, 0);
    }
    if (fixed_columns > 0)
        workbook_check(workbook, worksheet_repeat_columns(sheet->worksheet, 0,
                                                          (lxw_col_t)(fixed_columns - 1)));
    worksheet_set_margins(sheet->worksheet, 0.5, 0.5, 0.6, 0.7);
    /* A title too long for a footer (255 characters) is not worth a failed report. */
    (void)worksheet_set_footer(sheet->worksheet, workbook->buffer.text);
    if (header_row >= 0)
        workbook_check(workbook, worksheet_repeat_rows(sheet->worksheet, (lxw_row_t)header_row,
                                                       (lxw_row_t)header_row));
}

void cell_print_area(struct sheet *sheet, uint32_t last_row, uint32_t last_column)
{
    if (!cell_has_place(sheet, last_row, last_column))
        return;
    worksheet_fit_to_pages(sheet->worksheet, 1, 0);
    workbook_check(sheet->workbook,
                   worksheet_print_area(sheet->worksheet, 0, 0, last_row, (lxw_col_t)last_column));
}

const struct texts *cell_texts(const struct sheet *sheet)
{
    return sheet != NULL ? sheet->workbook->texts : NULL;
}
