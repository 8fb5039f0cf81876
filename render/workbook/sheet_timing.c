#include <math.h>

#include "sheet_grid.h"
#include "sheet_table.h"

/* Where the time of a step goes. */

bool sheet_timing_has_content(const struct sheet_input *input)
{
    for (size_t i = 0; i < input->summary->group_count; i++)
        for (size_t k = 0; k < input->summary->groups[i].candidate_count; k++)
            if (input->summary->groups[i].candidates[k].timing.available)
                return true;
    return false;
}

static void write_candidate(struct sheet_grid *grid, const struct summary_group *group,
                            const struct summary_candidate *candidate)
{
    const struct summary_timing *timing = &candidate->timing;
    const double parts[] = {timing->step_ms,      timing->forward_ms, timing->backward_ms,
                            timing->optimizer_ms, timing->exposed_ms, timing->other_ms,
                            timing->in_flight_ms};
    sheet_grid_group(grid, group);
    sheet_grid_label(grid, candidate);
    sheet_grid_number(grid, timing->rank, CELL_WHOLE);
    sheet_grid_number(grid, timing->steps, CELL_WHOLE);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        sheet_grid_number(grid, parts[i], CELL_TWO);
    for (size_t i = 1; i + 1 < sizeof parts / sizeof parts[0]; i++)
        sheet_grid_number(grid, timing->step_ms > 0 ? parts[i] / timing->step_ms : (double)NAN,
                          CELL_PERCENT);
    sheet_grid_end_row(grid);
}

void sheet_timing_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading headings[] = {
        {"column.strategy", false},       {"column.slowest_rank", true},
        {"column.steps", true},           {"column.mean_step", true},
        {"column.forward", true},         {"column.backward", true},
        {"column.optimizer", true},       {"column.exposed_step", true},
        {"column.other_time", true},      {"column.in_flight_step", true},
        {"column.forward_share", true},   {"column.backward_share", true},
        {"column.optimizer_share", true}, {"column.exposed_share", true},
        {"column.other_share", true}};
    struct sheet_grid grid = {.sheet = sheet,
                              .input = input,
                              .table = "TimingTable",
                              .grouped = input->summary->group_count > 1};
    sheet_grid_headings(&grid, headings, sizeof headings / sizeof headings[0]);
    sheet_grid_end_row(&grid);
    sheet_grid_candidates(&grid, input->summary, write_candidate);
    sheet_grid_finish(&grid, 1, "about.timing");
}
