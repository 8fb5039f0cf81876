#ifndef RANKLEDGER_SHEET_CANDIDATES_COLUMNS_H
#define RANKLEDGER_SHEET_CANDIDATES_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "cell.h"
#include "summary.h"

/* The columns of the sheet of candidates, from left to right. */

enum sheet_candidates_kind {
    COLUMN_NUMBER, /* a number of the candidate, at `offset` */
    COLUMN_WORD,   /* a text of the candidate, at `offset`, as a word of the group `words` */
    COLUMN_GROUP_NUMBER,
    COLUMN_LABEL,
    COLUMN_VERDICT,
    COLUMN_GATES,
    COLUMN_PEAK,
    COLUMN_OF_LIMIT,
    COLUMN_TOKENS,
    COLUMN_SAMPLES,
    COLUMN_BOUND,    /* a number at `offset`, shown as the throughput is */
    COLUMN_INTERVAL, /* the steps of an interval, where there is one */
    COLUMN_GAIN,
    COLUMN_FRONT,
    COLUMN_REPEATS,
    COLUMN_FAILURE,
    COLUMN_SOURCE,
    COLUMN_NOTES,
    COLUMN_BASELINE,
    COLUMN_FAILED,
    COLUMN_TIMES,
    COLUMN_OTHERS,
    COLUMN_ORDER
};

struct sheet_candidates_column {
    enum sheet_candidates_kind kind;
    const char *id;
    size_t offset;
    enum cell_style style;
    const char *words;
    bool optional; /* left out where no candidate has a value */
};

/* The columns that the sheet of a summary has; `columns` has room for SHEET_CANDIDATES_COLUMNS. The
 * group's label, where there are several groups, comes before them. */
#define SHEET_CANDIDATES_COLUMNS 48
size_t sheet_candidates_columns(const struct summary *summary,
                                const struct sheet_candidates_column **columns);

/* The number or text at the offset of a column. */
double sheet_candidates_number(const struct summary_candidate *candidate,
                               const struct sheet_candidates_column *column);
const char *sheet_candidates_text(const struct summary_candidate *candidate,
                                  const struct sheet_candidates_column *column);

#endif
