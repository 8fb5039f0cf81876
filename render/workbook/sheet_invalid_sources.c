#include "sheet_grid.h"
#include "sheet_table.h"

static void write_finding(struct sheet_grid *grid, const struct summary_rejected *rejected,
                          const struct summary_finding *finding)
{
    sheet_grid_text(grid, rejected->path, CELL_TEXT);
    if (finding != NULL) {
        sheet_grid_number(grid, finding->line, CELL_WHOLE);
        sheet_grid_number(grid, finding->column, CELL_WHOLE);
        sheet_grid_text(grid, finding->pointer, CELL_TEXT);
        sheet_grid_word(grid, "severity", finding->severity);
        sheet_grid_text(grid, finding->rule, CELL_TEXT);
        sheet_grid_text(grid, finding->message, CELL_TEXT);
    } else {
        grid->column += 6;
    }
    sheet_grid_text(grid, rejected->sha256, CELL_CODE);
    sheet_grid_end_row(grid);
}

void sheet_invalid_sources_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading headings[] = {
        {"column.path", false},    {"column.line", true},      {"column.column", true},
        {"column.pointer", false}, {"column.severity", false}, {"column.rule", false},
        {"column.message", false}, {"column.sha256", false}};
    struct sheet_grid grid = {.sheet = sheet, .table = "InvalidSourcesTable"};
    sheet_grid_headings(&grid, headings, sizeof headings / sizeof headings[0]);
    sheet_grid_end_row(&grid);
    for (size_t i = 0; i < input->summary->rejected_count; i++) {
        const struct summary_rejected *rejected = &input->summary->rejected[i];
        for (size_t k = 0; k < rejected->finding_count; k++)
            write_finding(&grid, rejected, &rejected->findings[k]);
        if (rejected->finding_count == 0)
            write_finding(&grid, rejected, NULL);
    }
    sheet_grid_finish(&grid, 1, "about.invalid_sources");
}
