#ifndef RANKLEDGER_SHEET_TABLE_H
#define RANKLEDGER_SHEET_TABLE_H

#include <stddef.h>

#include "cell.h"
#include "summary.h"
#include "texts.h"
#include "workbook.h"

/* A chart that the workbook shows. */
struct sheet_picture {
    size_t group;
    struct cell_picture picture;
};

struct sheet_input {
    const struct summary *summary;
    const struct texts *texts;
    const struct sheet_picture *pictures;
    size_t picture_count;
};

/* A sheet. To add one: a file sheet_<name>.c, a row in sheet_table.c, its name in the languages. */
struct sheet_row {
    const char *title_id; /* text id of the sheet's name */
    void (*write)(const struct sheet_input *input, struct sheet *sheet);
};

/* All sheets, in the workbook's order. */
const struct sheet_row *sheet_table(size_t *count);

void sheet_decision_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_candidates_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_gates_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_ledger_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_memory_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_communication_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_checkpoints_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_failures_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_sources_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_invalid_sources_write(const struct sheet_input *input, struct sheet *sheet);

#endif
