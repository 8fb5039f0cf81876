#include <math.h>
#include <string.h>

#include "changes.h"
#include "report_view.h"
#include "sheet_changes.h"

static const struct summary_gate *find(const struct changes_candidate *candidate, const char *name)
{
    for (size_t i = 0; candidate != NULL && i < candidate->gate_count; i++)
        if (strcmp(candidate->gates[i].name, name) == 0)
            return &candidate->gates[i];
    return NULL;
}

static void write_verdict(struct sheet_grid *grid, const struct summary_gate *gate)
{
    const char *verdict = gate != NULL ? gate->verdict : NULL;
    sheet_grid_text(grid, texts_word(cell_texts(grid->sheet), "verdict", verdict),
                    gate != NULL && gate->failed ? CELL_FAIL : report_view_verdict_style(verdict));
}

static void write_gate(struct sheet_grid *grid, const struct changes_strategy *strategy,
                       const char *name)
{
    const struct summary_gate *base = find(strategy->base, name);
    const struct summary_gate *now = find(strategy->now, name);
    const struct summary_gate *shown = now != NULL ? now : base;
    enum cell_style style = report_view_gate_style(shown);
    double none = (double)NAN;
    sheet_grid_text(grid, strategy->label, CELL_TEXT);
    sheet_grid_word(grid, "gate", name);
    write_verdict(grid, base);
    write_verdict(grid, now);
    sheet_grid_number(grid, base != NULL ? base->value : none, style);
    sheet_grid_number(grid, now != NULL ? now->value : none, style);
    sheet_grid_number(grid, base != NULL ? base->limit : none, style);
    sheet_grid_number(grid, now != NULL ? now->limit : none, style);
    sheet_grid_number(grid, base != NULL ? base->margin : none, style);
    sheet_grid_number(grid, now != NULL ? now->margin : none, style);
    sheet_grid_word(grid, "unit", shown->unit);
    sheet_grid_end_row(grid);
}

/* Those of NEW, then what BASE alone has. */
static void write_strategy(struct sheet_grid *grid, const struct changes_group *group,
                           const struct changes_strategy *strategy)
{
    const struct changes_candidate *const sides[] = {strategy->now, strategy->base};
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; sides[s] != NULL && i < sides[s]->gate_count; i++) {
            const char *name = sides[s]->gates[i].name;
            if (!cell_is_writable(grid->sheet) || (s == 1 && find(strategy->now, name) != NULL))
                continue;
            if (grid->grouped)
                sheet_grid_text(grid, group->label, CELL_TEXT);
            write_gate(grid, strategy, name);
        }
}

void sheet_changes_gates_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading headings[] = {
        {"column.strategy", false},    {"column.gate", false},      {"column.verdict_base", false},
        {"column.verdict_new", false}, {"column.value_base", true}, {"column.value_new", true},
        {"column.limit_base", true},   {"column.limit_new", true},  {"column.margin_base", true},
        {"column.margin_new", true},   {"column.unit", false}};
    const struct changes *changes = input->summary->changes;
    struct sheet_grid grid = {
        .sheet = sheet, .table = "GatesComparedTable", .grouped = changes->group_count > 1};
    sheet_grid_headings(&grid, headings, sizeof headings / sizeof headings[0]);
    sheet_grid_end_row(&grid);
    for (size_t i = 0; i < changes->group_count; i++)
        for (size_t k = 0; k < changes->groups[i].strategy_count; k++)
            write_strategy(&grid, &changes->groups[i], &changes->groups[i].strategies[k]);
    sheet_grid_finish(&grid, 2, "about.gates_compared");
}
