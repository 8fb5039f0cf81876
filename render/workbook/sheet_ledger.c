#include <math.h>

#include "report_view.h"
#include "sheet_grid.h"
#include "sheet_table.h"

static void write_headings(struct sheet_grid *grid, const struct report_view_names *temporary)
{
    static const struct sheet_grid_heading first[] = {{"column.strategy", false},
                                                      {"column.parameters", true},
                                                      {"column.gradients", true},
                                                      {"column.optimizer_state", true},
                                                      {"column.resident", true},
                                                      {"column.parameters_divisor", true},
                                                      {"column.gradients_divisor", true},
                                                      {"column.optimizer_divisor", true},
                                                      {"column.persistent_parameters", true},
                                                      {"column.padding", true}};
    static const struct sheet_grid_heading last[] = {
        {"column.peak_memory", true},       {"column.residual", true},
        {"column.predicted_peak", true},    {"column.ledger_source", false},
        {"column.temporary_source", false}, {"column.missing", false}};
    const struct texts *texts = cell_texts(grid->sheet);
    if (texts == NULL)
        return;
    sheet_grid_headings(grid, first, sizeof first / sizeof first[0]);
    for (size_t i = 0; i < temporary->count; i++)
        sheet_grid_heading_of(grid, "column.temporary", "category",
                              texts_word(texts, "category", temporary->items[i]));
    if (temporary->more)
        sheet_grid_heading_of(grid, "column.temporary", "category",
                              texts_get(texts, "category.more"));
    sheet_grid_headings(grid, last, sizeof last / sizeof last[0]);
}

static void write_ledger(struct sheet_grid *grid, const struct summary_group *group,
                         const struct summary_candidate *candidate,
                         const struct report_view_names *temporary)
{
    const struct summary_ledger *ledger = &candidate->ledger;
    const double amounts[] = {ledger->parameters_mb, ledger->gradients_mb,
                              ledger->optimizer_state_mb, ledger->resident_mb};
    const double divisors[] = {ledger->parameters_divisor, ledger->gradients_divisor,
                               ledger->optimizer_divisor};
    sheet_grid_group(grid, group);
    sheet_grid_text(grid, candidate->label, CELL_TEXT);
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++)
        sheet_grid_number(grid, ledger->available ? amounts[i] : (double)NAN, CELL_ONE);
    for (size_t i = 0; i < sizeof divisors / sizeof divisors[0]; i++)
        sheet_grid_number(grid, divisors[i], CELL_WHOLE);
    sheet_grid_number(grid, ledger->persistent_parameters_mb, CELL_ONE);
    sheet_grid_number(grid, ledger->padding_mb, CELL_ONE);
    for (size_t i = 0; i < temporary->count; i++)
        sheet_grid_number(
            grid, report_view_amount(&ledger->temporary, temporary, temporary->items[i]), CELL_ONE);
    if (temporary->more)
        sheet_grid_number(grid, report_view_amount(&ledger->temporary, temporary, NULL), CELL_ONE);
    sheet_grid_number(grid, candidate->peak_memory_mb, CELL_ONE);
    sheet_grid_number(grid, ledger->residual_mb, CELL_ONE);
    sheet_grid_number(grid, ledger->predicted_peak_mb, CELL_ONE);
    sheet_grid_word(grid, "ledger_source", ledger->source);
    sheet_grid_word(grid, "temporary_source", ledger->temporary_source);
    const struct summary_texts *missing =
        ledger->available ? &ledger->temporary_missing : &ledger->missing;
    sheet_grid_list(grid, NULL, missing->items, missing->count);
    sheet_grid_end_row(grid);
}

static struct report_view_names collect_names(const struct summary *summary)
{
    struct report_view_names names = {0};
    for (size_t i = 0; i < summary->group_count; i++)
        for (size_t k = 0; k < summary->groups[i].candidate_count; k++) {
            const struct summary_amounts *temporary =
                &summary->groups[i].candidates[k].ledger.temporary;
            for (size_t t = 0; t < temporary->count; t++)
                report_view_add_name(&names, temporary->items[t].name);
        }
    return names;
}

void sheet_ledger_write(const struct sheet_input *input, struct sheet *sheet)
{
    struct sheet_grid grid = {
        .sheet = sheet, .table = "LedgerTable", .grouped = input->summary->group_count > 1};
    struct report_view_names temporary = collect_names(input->summary);
    write_headings(&grid, &temporary);
    sheet_grid_end_row(&grid);
    for (size_t i = 0; i < input->summary->group_count; i++) {
        const struct summary_group *group = &input->summary->groups[i];
        for (size_t k = 0; k < group->candidate_count; k++)
            write_ledger(&grid, group, &group->candidates[group->order[k]], &temporary);
    }
    sheet_grid_finish(&grid, 1, "about.ledger");
}
