#ifndef RANKLEDGER_SHEET_GRID_H
#define RANKLEDGER_SHEET_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cell.h"
#include "sheet_table.h"
#include "text_buffer.h"

/*
 * A sheet that is one table of the spreadsheet's own: headings in the first row (frozen, repeated
 * on paper, with a filter and a note on what the column means), then the rows, then a remark.
 * Columns become as wide as their content, up to a limit from which on texts wrap. Rows beyond the
 * last one that the sheet takes are counted and the cut is said.
 */
struct sheet_grid_column {
    double content; /* widest cell so far, in characters */
    double heading;
    bool number;
};

/* Columns with bars behind their numbers. */
enum sheet_grid_bar { SHEET_GRID_MEMORY, SHEET_GRID_TOKENS, SHEET_GRID_SAMPLES, SHEET_GRID_BARS };

struct sheet_grid_bars {
    uint32_t column;
    double largest;
    struct cell_span *spans; /* of the rows whose runs did not fail */
    size_t span_count, span_capacity;
};

/* Beyond so many rows of samples the workbook would take longer to open than the rows are worth;
 * the evidence has all. */
#define SHEET_GRID_MOST_SAMPLES 50000u

struct sheet_grid {
    struct sheet *sheet;
    const char *table; /* its name: English letters alone, no other sheet's */
    bool grouped;      /* the first column is the comparability group: there are several */
    uint32_t max_rows; /* that it takes; 0: as many as a sheet does */
    struct sheet_grid_column columns[CELL_MAX_COLUMNS];
    uint32_t column_count;
    uint32_t column; /* of the next cell */
    uint32_t row;    /* of the next cell; 0 is the headings' */
    unsigned row_lines;
    double cut_rows;
    const struct sheet_input *input;           /* for links; NULL: the sheet has none */
    uint32_t candidate_row;                    /* of the candidate at hand on its own sheet */
    const struct summary_candidate *candidate; /* that the sheet has linked last */
    struct sheet_grid_bars bars[SHEET_GRID_BARS];
    struct text_buffer headings; /* each with its NUL */
    struct text_buffer buffer;   /* for texts put together */
};

/* A heading: a text id "column.name" (what it means is "meaning.name"), and whether numbers stand
 * below it. */
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
/* A number with a bar behind it, unless `failed`: what a run that failed had reached is no length
 * to compare. */
void sheet_grid_bar(struct sheet_grid *grid, enum sheet_grid_bar bar, double value, bool failed,
                    enum cell_style style);
/* A text that leads to a place in another sheet; a text alone if `sheet` is NULL. */
void sheet_grid_link(struct sheet_grid *grid, const char *text, const struct cell_target *target,
                     enum cell_style style);
/* Texts separated by commas; each a word of `group` unless that is NULL. */
void sheet_grid_list(struct sheet_grid *grid, const char *group, const char *const *items,
                     size_t count);
void sheet_grid_messages(struct sheet_grid *grid, const struct summary_message *messages,
                         size_t count);
void sheet_grid_end_row(struct sheet_grid *grid);
/* Whether the table is full: then it only counts the `rows` left, which need no writing. */
bool sheet_grid_cuts(struct sheet_grid *grid, size_t rows);
/* The name of a candidate; in its first row it leads to the sheet of candidates. Under
 * sheet_grid_candidates alone. */
void sheet_grid_label(struct sheet_grid *grid, const struct summary_candidate *candidate);
/* Calls `write` for every candidate of every group, a group's best first. */
void sheet_grid_candidates(struct sheet_grid *grid, const struct summary *summary,
                           void (*write)(struct sheet_grid *grid, const struct summary_group *group,
                                         const struct summary_candidate *candidate));

/* Widths, table, frozen headings, print set-up and the remark `about_id` below the table. The
 * first `frozen_columns` columns (beside the group's) stay in view. Releases the grid. */
void sheet_grid_finish(struct sheet_grid *grid, uint32_t frozen_columns, const char *about_id);

#endif
