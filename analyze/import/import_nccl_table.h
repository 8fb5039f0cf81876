#ifndef RANKLEDGER_IMPORT_NCCL_TABLE_H
#define RANKLEDGER_IMPORT_NCCL_TABLE_H

#include "import_nccl.h"

/*
 * The table in the text of an nccl-tests program: a header whose names say what the columns are,
 * rows of numbers. The columns have changed over the years: size was bytes, #wrong was error and
 * res, redop and root come and go; a report per iteration and a time of day stand beside them.
 */

enum { IMPORT_NCCL_WORDS = 64 };

/* The columns of a table; a number of IMPORT_NCCL_WORDS: there is no such column. */
struct import_nccl_layout {
    size_t base;                         /* names before the first time */
    size_t size, type, redop, root;      /* their numbers */
    size_t group[IMPORT_NCCL_PLACES];    /* where time, algbw, busbw, #wrong begin */
    size_t place_at[IMPORT_NCCL_PLACES]; /* where "time" ends in the header's line */
    double per_ms;                       /* units of time in a millisecond */
    bool out_first;
    bool has_wrong; /* a count; an "error" is what rounding does, and says nothing */
    bool cpu_time;
};

/* A row on its way, in words. */
struct import_nccl_words {
    struct import_span items[IMPORT_NCCL_WORDS];
    size_t count;
    size_t line;
    bool broken; /* something else was printed into it */
};

struct import_nccl_table {
    struct import_nccl_run *run;
    struct import_nccl_layout layout;
    bool seen; /* its header */
    struct import_nccl_words row;
};

/* Without a header the columns are those of today. */
void import_nccl_table_init(struct import_nccl_table *table, struct import_nccl_run *run);

/* Whether the line is a table's header; does not take it. */
bool import_nccl_table_is_header(const struct import_line *line);

/*
 * Takes a line that is a header, stands around one, or is a row or a part of one, into which other
 * lines may have been printed. False: it is something else.
 */
bool import_nccl_table_line(struct import_nccl_table *table, const struct import_line *line);

/* Takes the last row. */
void import_nccl_table_finish(struct import_nccl_table *table);

#endif
