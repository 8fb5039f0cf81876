#ifndef RANKLEDGER_WORKBOOK_PRIVATE_H
#define RANKLEDGER_WORKBOOK_PRIVATE_H

#include <xlsxwriter.h>

#include "cell.h"
#include "workbook.h"

/* Shared by workbook.c and cell*.c alone. */

struct sheet {
    struct workbook *workbook;
    struct sheet *next;
    lxw_worksheet *worksheet;
    double widths[CELL_MAX_COLUMNS];       /* characters; 0 while the default holds */
    lxw_row_t breaks[CELL_MAX_BREAKS + 1]; /* first rows of pages, then 0 */
    size_t break_count;
    double height; /* points, of the row whose height was set last */
    uint32_t height_row;
    uint32_t link_count;
};

struct workbook {
    lxw_workbook *book;
    lxw_format *formats[CELL_STYLE_COUNT];
    uint32_t bars[CELL_BAR_COUNT]; /* their colours, 0xRRGGBB */
    const struct texts *texts;
    const char *title; /* of the whole, for the foot of a page; borrowed */
    struct sheet *sheets;
    char *path;
    struct text_buffer buffer; /* reused for texts */
    enum status status;
    struct diag diag;
};

/* The library copies what it is given, but its structures are not const. */
static inline char *workbook_unconst(const char *text)
{
    union {
        const char *in;
        char *out;
    } both = {.in = text};
    return both.out;
}

/* Keeps the first fault of the library. */
void workbook_check(struct workbook *workbook, lxw_error error);
/* Points of the ordinary text, of a style's text; whether a style goes over several lines. */
#define CELL_FONT_SIZE 8.0
double cell_format_size(enum cell_style style);
bool cell_format_wraps(enum cell_style style);

/* True if the sheet takes a cell there. */
bool cell_has_place(const struct sheet *sheet, uint32_t row, uint32_t column);

/* The style of a number: CELL_TINY for one that `style` would show as zero or over-long. */
enum cell_style cell_number_style(double value, enum cell_style style);

/* Makes every format; false if memory is exhausted. */
bool cell_make_formats(struct workbook *workbook, const struct theme *theme);
/* Sets what holds for the whole of a new sheet. */
void cell_prepare_sheet(struct sheet *sheet);

#endif
