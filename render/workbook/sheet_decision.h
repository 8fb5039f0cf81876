#ifndef RANKLEDGER_SHEET_DECISION_H
#define RANKLEDGER_SHEET_DECISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sheet_table.h"
#include "text_buffer.h"

/* The decision sheet is written from top to bottom over eight columns. */
#define SHEET_DECISION_LAST 7u
/* Rows of a list that the sheet shows; the other sheets have all. */
#define SHEET_DECISION_ROWS 40u

struct sheet_decision {
    const struct sheet_input *input;
    struct sheet *sheet;
    uint32_t row;   /* next free one */
    unsigned lines; /* of the row's longest text so far */
    bool second_fact;
    struct text_buffer buffer;
};

/* A heading with an empty row above it. */
void sheet_decision_heading(struct sheet_decision *page, const char *id);
/* The headings of a small table: texts, and a bit for each column whose cells are numbers. */
void sheet_decision_headings(struct sheet_decision *page, const char *const *headings, size_t count,
                             unsigned numbers);
/* The same with text ids. */
void sheet_decision_headings_of(struct sheet_decision *page, const char *const *ids, size_t count,
                                unsigned numbers);
/* As cell_text in the current row, which grows with the text. */
void sheet_decision_text(struct sheet_decision *page, uint32_t column, const char *text,
                         enum cell_style style);
/* Ends the row. */
void sheet_decision_end_row(struct sheet_decision *page);
/* One text over all columns. */
void sheet_decision_line(struct sheet_decision *page, const char *text, enum cell_style style);
/* A remark that so many of a list are not shown here. */
void sheet_decision_more(struct sheet_decision *page, size_t count, const char *sheet_id);

/* Candidates against the limits, failed gates, actions, sensitivity and notes of a group. */
void sheet_decision_group(struct sheet_decision *page, const struct summary_group *group);
/* Actions, sensitivity and notes of a decision. */
void sheet_decision_outlook(struct sheet_decision *page, const struct summary_decision *decision);

#endif
