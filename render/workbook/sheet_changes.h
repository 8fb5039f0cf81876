#ifndef RANKLEDGER_SHEET_CHANGES_H
#define RANKLEDGER_SHEET_CHANGES_H

#include "sheet_grid.h"
#include "sheet_table.h"

/* The sheets of a report of a comparison. */

/* sheet_changes.c: the answer, what was held against what and how, and the charts. */
void sheet_changes_write(const struct sheet_input *input, struct sheet *sheet);
/* sheet_changes_findings.c: what changed, one sentence a row. */
void sheet_changes_findings_write(const struct sheet_input *input, struct sheet *sheet);
/* sheet_changes_values.c: every value on both sides. */
void sheet_changes_values_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_changes_standing_write(const struct sheet_input *input, struct sheet *sheet);
/* sheet_changes_gates.c */
void sheet_changes_gates_write(const struct sheet_input *input, struct sheet *sheet);
/* sheet_changes_groups.c: decisions; groups of one side alone; sources left out. */
void sheet_changes_groups_write(const struct sheet_input *input, struct sheet *sheet);
void sheet_changes_unmatched_write(const struct sheet_input *input, struct sheet *sheet);
bool sheet_changes_unmatched_has_content(const struct sheet_input *input);
void sheet_changes_policies_write(const struct sheet_input *input, struct sheet *sheet);
bool sheet_changes_policies_has_content(const struct sheet_input *input);
void sheet_changes_left_out_write(const struct sheet_input *input, struct sheet *sheet);
bool sheet_changes_left_out_has_content(const struct sheet_input *input);

/* "yes" or "no". */
void sheet_changes_flag(struct sheet_grid *grid, bool flag, enum cell_style yes);

#endif
