#include "report_view.h"
#include "sheet_grid.h"
#include "sheet_table.h"

static void write_gate(struct sheet_grid *grid, const struct summary_group *group,
                       const struct summary_candidate *candidate, const struct summary_gate *gate)
{
    if (!cell_is_writable(grid->sheet))
        return;
    enum cell_style style = report_view_gate_style(gate);
    sheet_grid_group(grid, group);
    sheet_grid_label(grid, candidate);
    sheet_grid_word(grid, "gate", gate->name);
    sheet_grid_text(grid, texts_word(cell_texts(grid->sheet), "verdict", gate->verdict),
                    gate->failed ? CELL_FAIL : report_view_verdict_style(gate->verdict));
    sheet_grid_number(grid, gate->value, style);
    sheet_grid_number(grid, gate->limit, style);
    sheet_grid_number(grid, gate->margin, style);
    sheet_grid_number(grid, gate->margin_percent / 100, CELL_SIGNED_PERCENT);
    sheet_grid_word(grid, "unit", gate->unit);
    sheet_grid_text(grid, report_view_detail(cell_texts(grid->sheet), gate), CELL_TEXT);
    sheet_grid_end_row(grid);
}

static void write_candidate(struct sheet_grid *grid, const struct summary_group *group,
                            const struct summary_candidate *candidate)
{
    for (size_t i = 0; i < candidate->gate_count; i++)
        write_gate(grid, group, candidate, &candidate->gates[i]);
}

void sheet_gates_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading headings[] = {
        {"column.strategy", false},      {"column.gate", false}, {"column.verdict", false},
        {"column.value", true},          {"column.limit", true}, {"column.margin", true},
        {"column.margin_percent", true}, {"column.unit", false}, {"column.detail", false}};
    struct sheet_grid grid = {.sheet = sheet,
                              .input = input,
                              .table = "GatesTable",
                              .grouped = input->summary->group_count > 1};
    sheet_grid_headings(&grid, headings, sizeof headings / sizeof headings[0]);
    sheet_grid_end_row(&grid);
    sheet_grid_candidates(&grid, input->summary, write_candidate);
    sheet_grid_finish(&grid, 1, "about.gates");
}
