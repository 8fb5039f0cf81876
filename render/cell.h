#ifndef RANKLEDGER_CELL_H
#define RANKLEDGER_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text_buffer.h"
#include "texts.h"
#include "workbook.h"

/*
 * Writing the cells of a sheet. Every text goes through cell_sanitise and is written as a string,
 * never as a formula or a link; every number is finite, and one that is not measured becomes an
 * empty cell.
 */

#define CELL_MAX_ROWS 1048576u
#define CELL_MAX_COLUMNS 256u          /* what the program uses; a sheet has room for 16,384 */
#define CELL_MAX_UNITS ((size_t)32767) /* UTF-16 units of a text */

enum cell_style {
    CELL_TEXT,
    CELL_WRAP,  /* text over several lines */
    CELL_CODE,  /* a command or a path: fixed width, wrapped */
    CELL_MUTED, /* what is absent or a remark */
    CELL_MUTED_RIGHT,
    CELL_TITLE_ACCEPT,
    CELL_TITLE_TUNE,
    CELL_TITLE_REJECT,
    CELL_REASON,
    CELL_HEADING,
    CELL_HEADER,       /* of a table */
    CELL_HEADER_RIGHT, /* of a column of numbers */
    CELL_LABEL,
    CELL_STRONG, /* the selected strategy */
    CELL_LINK,
    CELL_PASS,
    CELL_TIGHT,
    CELL_FAIL,
    CELL_NEUTRAL, /* not measured, not applied */
    CELL_WHOLE,   /* numbers with so many decimals */
    CELL_ONE,
    CELL_TWO,
    CELL_FOUR,
    CELL_TINY, /* scientific: what would round to zero */
    CELL_PERCENT,
    CELL_SIGNED_PERCENT,
    CELL_AT_MOST_ONE, /* limits, with the sign of the comparison */
    CELL_AT_MOST_PERCENT,
    CELL_AT_LEAST_WHOLE,
    CELL_AT_LEAST_TWO,
    CELL_STYLE_COUNT
};

void cell_text(struct sheet *sheet, uint32_t row, uint32_t column, const char *text,
               enum cell_style style);

/* A text that opens a file of the sheet's own folder. `file` has letters, digits, "_", "." and "-"
 * alone. A sheet holds CELL_MAX_LINKS of them; further ones are plain texts. */
#define CELL_MAX_LINKS 65530u
void cell_link(struct sheet *sheet, uint32_t row, uint32_t column, const char *file);

/* NAN writes an empty cell. A value that the style would show as zero although it is not is shown
 * in CELL_TINY. */
void cell_number(struct sheet *sheet, uint32_t row, uint32_t column, double value,
                 enum cell_style style);

/* As cell_text over the columns first..last of one row, high enough for the text; columns must
 * have their widths by then. */
void cell_text_across(struct sheet *sheet, uint32_t row, uint32_t first, uint32_t last,
                      const char *text, enum cell_style style);

/* A picture of `width` x `height` pixels of the sheet (the PNG has more) with its upper left
 * corner in a cell; `description` for who cannot see it. Returns the first row below it. */
struct cell_picture {
    const unsigned char *png;
    size_t size;
    unsigned width, height;
    const char *description;
};
uint32_t cell_picture(struct sheet *sheet, uint32_t row, uint32_t column,
                      const struct cell_picture *picture);

/* Width in characters and height in lines of text. */
void cell_column_width(struct sheet *sheet, uint32_t column, double width);
void cell_row_lines(struct sheet *sheet, uint32_t row, unsigned lines);
/* Lines that a text takes in a column of `width` characters; at least 1. */
unsigned cell_lines(const char *text, double width);

/* The rows above `row` and the columns left of `column` stay in view. */
void cell_freeze(struct sheet *sheet, uint32_t row, uint32_t column);
void cell_autofilter(struct sheet *sheet, uint32_t first_row, uint32_t last_row,
                     uint32_t last_column);
/*
 * Makes rows 0 (the headings, which it writes) to `last_row` a table of the spreadsheet's own, with
 * a filter: a name, as many headings as columns, all different, and whether numbers stand below
 * each. The name has letters alone. There must be a row besides the headings.
 */
struct cell_table {
    const char *name;
    const char *const *headings;
    const bool *numbers;
    size_t column_count; /* at most CELL_MAX_COLUMNS */
    uint32_t last_row;
};
void cell_table(struct sheet *sheet, const struct cell_table *table);

/*
 * A page begins at `row`. A sheet with breaks is printed at CELL_BREAK_SCALE percent (programs
 * ignore breaks where they scale themselves), so its columns must fit: 170 characters on A4.
 */
#define CELL_BREAK_SCALE 85
#define CELL_MAX_BREAKS ((size_t)256)
/* Height of such a page in pixels of the sheet. */
#define CELL_BREAK_PIXELS 770u
void cell_page_break(struct sheet *sheet, uint32_t row);

/* Landscape A4 with page numbers, as many pages wide as keeps the letters legible; `header_row` is
 * repeated on every page, or none if negative, and so are the first `fixed_columns` columns. After
 * the widths. */
void cell_print_setup(struct sheet *sheet, long header_row, uint32_t fixed_columns);

const struct texts *cell_texts(const struct sheet *sheet);

/* Notes that a text for the sheet could not be put together for want of memory. A buffer stays
 * failed, so one call after its last use is enough. */
void cell_check_buffer(struct sheet *sheet, const struct text_buffer *buffer);

/* True if the sheet still takes cells. */
bool cell_is_writable(const struct sheet *sheet);

/*
 * Appends a text as a cell may hold it: control characters and bidirectional overrides visible,
 * user names in paths replaced, what XML cannot hold visible, "_x0041_" kept as such although
 * spreadsheets would decode it, and cut with a mark in the report's language at 32,767 UTF-16
 * units.
 */
void cell_sanitise(struct text_buffer *out, const struct texts *texts, const char *text);

#endif
