#ifndef RANKLEDGER_SHEET_WHAT_IF_H
#define RANKLEDGER_SHEET_WHAT_IF_H

#include <stdbool.h>
#include <stdint.h>

#include "sheet_candidates.h"
#include "sheet_table.h"
#include "text_buffer.h"
#include "what_if.h"

/* The what-if sheet, from top to bottom: limits to change, what they come to, the candidates. */

/* Columns of the table of candidates; the last ones only help the formulas. */
enum sheet_what_if_column {
    SHEET_WHAT_IF_LABEL,
    SHEET_WHAT_IF_VERDICT,
    SHEET_WHAT_IF_RANK,
    SHEET_WHAT_IF_FAILURES,
    SHEET_WHAT_IF_PEAK,
    SHEET_WHAT_IF_MEMORY,
    SHEET_WHAT_IF_THROUGHPUT,
    SHEET_WHAT_IF_THROUGHPUT_GATE,
    SHEET_WHAT_IF_COMMUNICATION,
    SHEET_WHAT_IF_COMMUNICATION_GATE,
    SHEET_WHAT_IF_GAIN,
    SHEET_WHAT_IF_GROUP, /* its number; all have 1 where there is one group */
    SHEET_WHAT_IF_OTHERS,
    SHEET_WHAT_IF_FAILED,
    SHEET_WHAT_IF_TIMES,
    SHEET_WHAT_IF_ORDER,
    SHEET_WHAT_IF_STRATEGY, /* whether it is the baseline's */
    SHEET_WHAT_IF_BASELINE,
    SHEET_WHAT_IF_UNIT, /* of its throughput: 1 tokens/s, 2 samples/s, 0 none */
    SHEET_WHAT_IF_KIND, /* of its memory */
    SHEET_WHAT_IF_COLUMNS
};

struct sheet_what_if {
    const struct sheet_input *input;
    const struct texts *texts;
    struct sheet *sheet;
    uint32_t row;         /* next free one */
    uint32_t first, last; /* rows of candidates */
    const char *source;   /* name of the sheet of candidates; NULL: the workbook has none */
    struct sheet_candidates_layout layout;
    struct what_if_limits limits;
    struct what_if_row *rows; /* of all groups */
    struct what_if_result *results;
    struct text_buffer formula;
};

/*
 * Puts a formula together in page->formula: {peak} is the cell of a column in `row`, {peak:} the
 * cells of the column, {peak#} the column in the line that the cell at `row`, column
 * SHEET_WHAT_IF_RANK names, {unit!} the number of the minimum's unit, [verdict.pass] the text of
 * that id as a literal. NULL if memory is exhausted.
 */
const char *sheet_what_if_formula(struct sheet_what_if *page, uint32_t row, const char *pattern);

/* The formula of a candidate's rank. */
const char *sheet_what_if_rank(struct sheet_what_if *page, uint32_t row);

/* The table of candidates from page->row on. */
void sheet_what_if_table(struct sheet_what_if *page);

#endif
