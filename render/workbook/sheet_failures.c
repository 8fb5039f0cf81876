#include "sheet_grid.h"
#include "sheet_table.h"

/* The runs that failed: what, where and when. */

static void write_failure(struct sheet_grid *grid, const struct summary_group *group,
                          const struct summary_candidate *candidate)
{
    const struct summary_failure *failure = &candidate->failure;
    if (failure->reason == NULL)
        return;
    sheet_grid_group(grid, group);
    sheet_grid_label(grid, candidate);
    sheet_grid_word(grid, "failure", failure->kind);
    sheet_grid_word(grid, "phase", failure->phase);
    sheet_grid_number(grid, failure->rank, CELL_WHOLE);
    sheet_grid_number(grid, failure->step, CELL_WHOLE);
    sheet_grid_text(grid, failure->reason, CELL_TEXT);
    sheet_grid_end_row(grid);
}

void sheet_failures_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading headings[] = {
        {"column.strategy", false},      {"column.failure_kind", false},
        {"column.failure_phase", false}, {"column.failure_rank", true},
        {"column.failure_step", true},   {"column.failure", false}};
    struct sheet_grid grid = {.sheet = sheet,
                              .input = input,
                              .table = "FailuresTable",
                              .grouped = input->summary->group_count > 1};
    sheet_grid_headings(&grid, headings, sizeof headings / sizeof headings[0]);
    sheet_grid_end_row(&grid);
    sheet_grid_candidates(&grid, input->summary, write_failure);
    sheet_grid_finish(&grid, 1, "about.failures");
}
