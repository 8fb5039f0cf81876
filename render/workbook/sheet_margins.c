#include <math.h>
#include <string.h>

#include "report_view.h"
#include "sheet_grid.h"
#include "sheet_table.h"

/* How far each limit may move before the answer changes. */

struct margins_row {
    const struct summary_group *group;
    const struct summary_sensitivity *limit;
    const struct summary_change *change; /* NULL: no value changes the answer */
};

bool sheet_margins_has_content(const struct sheet_input *input)
{
    for (size_t i = 0; i < input->summary->group_count; i++)
        if (input->summary->groups[i].decision.sensitivity_count > 0)
            return true;
    return false;
}

static void write_row(struct sheet_grid *grid, const struct margins_row *row)
{
    const struct texts *texts = cell_texts(grid->sheet);
    if (texts == NULL)
        return;
    const struct summary_change *change = row->change;
    const struct summary_sensitivity *limit = row->limit;
    sheet_grid_group(grid, row->group);
    sheet_grid_word(grid, "limit", limit->limit);
    if (isnan(limit->current))
        sheet_grid_text(grid, texts_get(texts, "word.no_limit"), CELL_MUTED_RIGHT);
    else
        sheet_grid_number(grid, limit->current,
                          report_view_unit_style(limit->unit, limit->current));
    sheet_grid_word(grid, "unit", limit->unit);
    if (change == NULL) {
        sheet_grid_text(grid, texts_get(texts, "sensitivity.never"), CELL_MUTED);
        sheet_grid_end_row(grid);
        return;
    }
    sheet_grid_word(grid, "direction", change->direction);
    sheet_grid_number(grid, change->value, report_view_unit_style(limit->unit, change->value));
    sheet_grid_number(grid, change->value - limit->current,
                      report_view_unit_style(limit->unit, change->value));
    text_buffer_clear(&grid->buffer);
    report_view_change(&grid->buffer, texts, limit, change);
    sheet_grid_text(grid, grid->buffer.text, CELL_TEXT);
    sheet_grid_word(grid, "decision", change->decision);
    sheet_grid_text(grid, change->label != NULL ? change->label : change->strategy, CELL_TEXT);
    sheet_grid_end_row(grid);
}

static void write_group(struct sheet_grid *grid, const struct summary_group *group)
{
    const struct summary_decision *decision = &group->decision;
    for (size_t i = 0; i < decision->sensitivity_count && cell_is_writable(grid->sheet); i++) {
        struct margins_row row = {.group = group, .limit = &decision->sensitivity[i]};
        for (size_t k = 0; k < row.limit->change_count; k++) {
            row.change = &row.limit->changes[k];
            write_row(grid, &row);
        }
        if (row.limit->change_count == 0)
            write_row(grid, &row);
    }
}

void sheet_margins_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading headings[] = {
        {"column.moved_limit", false}, {"column.current", true}, {"column.unit", false},
        {"column.direction", false},   {"column.turning", true}, {"column.distance", true},
        {"column.answer_at", false},   {"column.answer", false}, {"column.answer_strategy", false}};
    struct sheet_grid grid = {
        .sheet = sheet, .table = "MarginsTable", .grouped = input->summary->group_count > 1};
    sheet_grid_headings(&grid, headings, sizeof headings / sizeof headings[0]);
    sheet_grid_end_row(&grid);
    for (size_t i = 0; i < input->summary->group_count; i++)
        write_group(&grid, &input->summary->groups[i]);
    sheet_grid_finish(&grid, 1, "about.margins");
}
