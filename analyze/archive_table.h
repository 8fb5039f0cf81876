#ifndef RANKLEDGER_ARCHIVE_TABLE_H
#define RANKLEDGER_ARCHIVE_TABLE_H

#include "archive_index.h"

/*
 * The columns of the index as a table, from left to right: of the CSV file and of the sheet. To add
 * one: a member of struct archive_index_row, a row of archive_table.c, a line in
 * templates/README.md.
 */
enum archive_table_kind {
    ARCHIVE_TABLE_TEXT,
    ARCHIVE_TABLE_WORD,    /* one of the program's own words */
    ARCHIVE_TABLE_LINK,    /* the summary's file name */
    ARCHIVE_TABLE_VERDICT, /* accept, tune, reject */
    ARCHIVE_TABLE_WHOLE,   /* numbers: a count */
    ARCHIVE_TABLE_ONE,     /* shown with one decimal */
    ARCHIVE_TABLE_TWO,
    ARCHIVE_TABLE_SHARE,   /* a fraction, shown as percentage */
    ARCHIVE_TABLE_CHANGE,  /* a fraction, shown as percentage with its sign */
    ARCHIVE_TABLE_PERCENT, /* a number of percent */
    ARCHIVE_TABLE_KEY      /* a number as comparability text */
};

struct archive_table_column {
    const char *name;    /* in the CSV file */
    const char *heading; /* in the sheet */
    enum archive_table_kind kind;
    size_t offset; /* in struct archive_index_row: a double, or a text */
};

const struct archive_table_column *archive_table(size_t *count);

/* True for the kinds whose values are numbers. */
bool archive_table_is_number(enum archive_table_kind kind);

/* A value: the text (NULL: absent) of kinds that are texts, else the number (NAN). */
const char *archive_table_text(const struct archive_table_column *column,
                               const struct archive_index_row *row);
double archive_table_number(const struct archive_table_column *column,
                            const struct archive_index_row *row);

#endif
