#ifndef RANKLEDGER_SHEET_GRID_H
#define RANKLEDGER_SHEET_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cell.h"
#include "text_buffer.h"

/*
 * A sheet that is one table: headings in the first row (frozen, repeated on paper, with a filter),
 * then the rows, then a remark. Columns become as wide as their content, up to a limit from which
 * on texts wrap. Rows beyond a sheet's last one are counted and the cut is said.
 */
struct sheet_grid_column {
    double content; /* widest cell so far, in characters */
    double heading;
};

struct sheet_grid {
    struct sheet *sheet;
    bool grouped; /* the first column is the comparability group: there are several */
    struct sheet_grid_column columns[CELL_MAX_COLUMNS];
    uint32_t column_count;
    uint32_t column; /* of the next cell */
    uint32_t row;    /* of the next cell; 0 is the headings' */
    unsigned row_lines;
    double cut_rows;
    struct text_buffer buffer; /* for texts put together */
};

/* A heading: a text id, and whether numbers stand below it. */
struct sheet_grid_heading {
    const char *id;
    bool number;
};

/* The headings, before the first cell; the group's comes by itself. */
void sheet_grid_headings(struct sheet_grid *grid, const struct sheet_grid_heading *headings,
                         size_t count);
/* One heading over numbers, whose text has a placeholder. */
void sheet_grid_heading_of(struct sheet_grid *grid, const char *id, const char *placeholder,
                           const char *text);

/* The first cell of a row, if the sheet is grouped. */
void sheet_grid_group(struct sheet_grid *grid, const struct summary_group *group);
/* Cells from left to right. A NULL text and a NAN number leave the cell empty. */
void sheet_grid_text(struct sheet_grid *grid, const char *text, enum cell_style style);
void sheet_grid_word(struct sheet_grid *grid, const char *group, const char *word);
void sheet_grid_number(struct sheet_grid *grid, double value, enum cell_style style);
/* Texts separated by commas; each a word of `group` unless that is NULL. */
void sheet_grid_list(struct sheet_grid *grid, const char *group, const char *const *items,
                     size_t count);
void sheet_grid_messages(struct sheet_grid *grid, const struct summary_message *messages,
                         size_t count);
void sheet_grid_end_row(struct sheet_grid *grid);
/* Calls `write` for every candidate of every group, a group's best first. */
void sheet_grid_candidates(struct sheet_grid *grid, const struct summary *summary,
                           void (*write)(struct sheet_grid *grid, const struct summary_group *group,
                                         const struct summary_candidate *candidate));

/* Widths, filter, frozen headings, print set-up and the remark `about_id` below the table. The
 * first `frozen_columns` columns (beside the group's) stay in view. Releases the grid. */
void sheet_grid_finish(struct sheet_grid *grid, uint32_t frozen_columns, const char *about_id);

#endif
