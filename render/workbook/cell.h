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
    CELL_LINK_WRAP,
    CELL_LINK_STRONG, /* the selected strategy, over several lines */
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
    CELL_INPUT_ONE, /* what a reader may change */
    CELL_INPUT_TWO,
    CELL_INPUT_PERCENT,
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
 * Makes the rows `first_row` (the headings, which it writes) to `last_row` a table of the
 * spreadsheet's own, with a filter and striped rows. The name has letters alone and is no other
 * table's. Headings are as many as columns; spreadsheets refuse a file in which two are alike (case
 * aside), one is empty or longer than 255 characters, so that such a one is numbered or cut. There
 * must be a row besides the headings.
 */
struct cell_table {
    const char *name;
    const char *const *headings;
    const bool *numbers; /* whether numbers stand below each */
    size_t column_count; /* at most CELL_MAX_COLUMNS */
    uint32_t first_row, last_row;
};
void cell_table(struct sheet *sheet, const struct cell_table *table);

/* The headings of a table as it holds them: sanitised, all different, none empty. Appended to
 * `out`, each with its NUL; false if memory is exhausted. */
bool cell_headings(struct text_buffer *out, const struct texts *texts, const char *const *headings,
                   size_t count);

/* What a cell means, shown when it is pointed at. Not for many cells. */
void cell_note(struct sheet *sheet, uint32_t row, uint32_t column, const char *text);

/* A cell of a sheet that the workbook has or will have. */
struct cell_target {
    const char *sheet; /* its name */
    uint32_t row, column;
};

/* As cell_text, and a click goes to `target`. Counts as a link (CELL_MAX_LINKS); a text too long
 * for a link is a text alone. */
void cell_link_inside(struct sheet *sheet, uint32_t row, uint32_t column, const char *text,
                      const struct cell_target *target, enum cell_style style);

/* A name of the whole workbook for a cell: letters, digits and "_", none that reads like a cell
 * ("AB1", "R1C1"), and no other cell's. */
void cell_name(struct sheet *sheet, const char *name, uint32_t row, uint32_t column);

/* Rows of one column. */
struct cell_span {
    uint32_t first, last;
};

enum cell_bar { CELL_BAR_MEMORY, CELL_BAR_THROUGHPUT, CELL_BAR_COUNT };

/* Bars behind the numbers of a column, from zero to `largest`, in the rows of the spans alone. */
struct cell_bars {
    uint32_t column;
    const struct cell_span *spans;
    size_t span_count;
    double largest;
    enum cell_bar bar; /* for its colour */
};
void cell_bars(struct sheet *sheet, const struct cell_bars *bars);

/* ---- Formulas: of the what-if sheet alone, and never with a text from evidence in them ---- */

/* A formula without its "=", and its value as of now. A NAN value is the empty text. */
void cell_formula_number(struct sheet *sheet, uint32_t row, uint32_t column, const char *formula,
                         double value, enum cell_style style);
void cell_formula_text(struct sheet *sheet, uint32_t row, uint32_t column, const char *formula,
                       const char *value, enum cell_style style);

/* Appends "'name'!" and "$B$5": with `fixed` a reference that does not move when it is copied. */
void cell_append_sheet(struct text_buffer *out, const char *sheet);
void cell_append_reference(struct text_buffer *out, uint32_t row, uint32_t column, bool fixed);
/* Appends a text as a formula holds it: in quotes, its own doubled, at most 255 UTF-16 units. */
void cell_append_literal(struct text_buffer *out, const struct texts *texts, const char *text);

/* A number that a reader may change: empty or from `smallest` to `largest`. */
struct cell_input {
    double smallest, largest;
    const char *title, *message; /* shown beside the cell */
    const char *refusal;         /* shown for any other value */
};
void cell_input(struct sheet *sheet, uint32_t row, uint32_t column, double value,
                const struct cell_input *input, enum cell_style style);

/* In the rows of a column: a cell whose text is `text` looks like `style`. */
void cell_text_style(struct sheet *sheet, const struct cell_span *rows, uint32_t column,
                     const char *text, enum cell_style style);

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

/* Prints the columns up to `last_column` of the rows up to `last_row` alone, on pages as wide as
 * they are. After cell_print_setup. */
void cell_print_area(struct sheet *sheet, uint32_t last_row, uint32_t last_column);

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
