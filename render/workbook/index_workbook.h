#ifndef RANKLEDGER_INDEX_WORKBOOK_H
#define RANKLEDGER_INDEX_WORKBOOK_H

#include <stdint.h>

#include "diag.h"
#include "texts.h"

/*
 * The index of an archive as a workbook: a sheet with one row a group, which sorts and filters, one
 * of totals, one of what was left out. What stands in it is the caller's, who asks for nothing of
 * how a workbook is made; every text is made safe on its way into a cell.
 */
enum index_workbook_kind {
    INDEX_WORKBOOK_TEXT,
    INDEX_WORKBOOK_VERDICT, /* accept, tune, reject */
    INDEX_WORKBOOK_LINK,    /* the name of a file in the workbook's folder */
    INDEX_WORKBOOK_WHOLE,   /* numbers, as shown */
    INDEX_WORKBOOK_ONE,
    INDEX_WORKBOOK_TWO,
    INDEX_WORKBOOK_SHARE,
    INDEX_WORKBOOK_CHANGE
};

struct index_workbook_column {
    const char *heading;
    enum index_workbook_kind kind;
};

/* A cell's value, by the kind of its column: a text (NULL: empty) or a number (NAN: empty). */
struct index_workbook_value {
    const char *text;
    double number;
};

struct index_workbook_total {
    const char *name;
    double number;
};

struct index_workbook_left_out {
    const char *path, *reason;
};

struct index_workbook_input {
    const struct index_workbook_column *columns;
    size_t column_count;
    size_t row_count;
    struct index_workbook_value (*value)(const void *context, size_t row, size_t column);
    const struct index_workbook_total *totals;
    size_t total_count;
    size_t left_out_count;
    struct index_workbook_left_out (*left_out)(const void *context, size_t index);
    const void *context;
    int64_t created; /* seconds since 1970 */
    const struct texts *texts;
};

/* `path` is where the file is written; `scratch` a folder as workbook_create has. */
enum status index_workbook_write(const struct index_workbook_input *input, const char *path,
                                 const char *scratch, struct diag *diag) STATUS_CHECKED;

#endif
