#ifndef RANKLEDGER_SHEET_TABLE_H
#define RANKLEDGER_SHEET_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "cell.h"
#include "summary.h"
#include "texts.h"
#include "workbook.h"

/* A chart that the workbook shows; its description is its caption, too. */
struct sheet_picture {
    size_t group;
    struct cell_picture picture;
};

struct sheet_row;

struct sheet_input {
    const struct summary *summary;
    const struct texts *texts;
    const struct sheet_picture *pictures;
    size_t picture_count;
    const struct sheet_row *const *sheets; /* of the workbook, in its order */
    size_t sheet_count;
};

/* A sheet. To add one: a file sheet_<name>.c, a row in sheet_table.c, its name in the languages. */
struct sheet_row {
    const char *title_id; /* text id of the sheet's name */
    void (*write)(const struct sheet_input *input, struct sheet *sheet);
    /* False: the sheet would be empty and is left out. NULL: it always says something. */
    bool (*has_content)(const struct sheet_input *input);
};

/* Adds those of `rows` that have content to the workbook, in their order, and writes them; sheets
 * of `input` are set by this. */
void sheet_table_write(struct workbook *workbook, const struct sheet_input *input,
                       const struct sheet_row *const *rows, size_t count);

/* The name of a sheet ("sheet.gates") if the workbook has it, or NULL. */
const char *sheet_table_name(const struct sheet_input *input, const char *title_id);

/* All sheets, in the workbook's order. */
const struct sheet_row *sheet_table(size_t *count);

void sheet_decision_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_charts_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_candidates_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_what_if_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_margins_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_gates_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_ledger_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_scale_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_memory_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_timing_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_communication_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_steps_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_losses_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_checkpoints_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_conditions_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_failures_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_sources_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_invalid_sources_write(const struct sheet_input *input, struct sheet *sheet);
bool sheet_charts_has_content(const struct sheet_input *input);
bool sheet_margins_has_content(const struct sheet_input *input);
bool sheet_scale_has_content(const struct sheet_input *input);
bool sheet_timing_has_content(const struct sheet_input *input);
bool sheet_steps_has_content(const struct sheet_input *input);
bool sheet_losses_has_content(const struct sheet_input *input);
bool sheet_conditions_has_content(const struct sheet_input *input);

#endif
