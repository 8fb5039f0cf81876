#include <math.h>

#include "sheet_grid.h"
#include "sheet_table.h"

/* The raw sample: the time of every measured step of every rank. */

bool sheet_steps_has_content(const struct sheet_input *input)
{
    for (size_t i = 0; i < input->summary->group_count; i++)
        for (size_t k = 0; k < input->summary->groups[i].candidate_count; k++) {
            const struct summary_samples *times =
                &input->summary->groups[i].candidates[k].step_times;
            for (size_t rank = 0; rank < times->rank_count; rank++)
                if (times->ranks[rank].count > 0)
                    return true;
        }
    return false;
}

/* The round that a step is of, from 1; NAN where rounds are not told. */
static double round_of(const struct summary_numbers *rounds, size_t step)
{
    double before = 0;
    for (size_t i = 0; i < rounds->count; i++) {
        before += rounds->items[i];
        if ((double)step < before)
            return (double)i + 1;
    }
    return (double)NAN;
}

static void write_candidate(struct sheet_grid *grid, const struct summary_group *group,
                            const struct summary_candidate *candidate)
{
    const struct summary_samples *times = &candidate->step_times;
    for (size_t rank = 0; rank < times->rank_count; rank++)
        for (size_t step = 0; step < times->ranks[rank].count; step++) {
            if (sheet_grid_cuts(grid, times->ranks[rank].count - step))
                break;
            sheet_grid_group(grid, group);
            sheet_grid_text(grid, candidate->label, CELL_TEXT);
            sheet_grid_number(grid, (double)rank, CELL_WHOLE);
            sheet_grid_number(grid, (double)step + 1, CELL_WHOLE);
            sheet_grid_number(grid, round_of(&candidate->round_steps, step), CELL_WHOLE);
            sheet_grid_number(grid, times->ranks[rank].items[step], CELL_TWO);
            sheet_grid_end_row(grid);
        }
}

void sheet_steps_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading headings[] = {{"column.strategy", false},
                                                         {"column.sample_rank", true},
                                                         {"column.sample_step", true},
                                                         {"column.sample_round", true},
                                                         {"column.sample_time", true}};
    struct sheet_grid grid = {.sheet = sheet,
                              .table = "StepsTable",
                              .max_rows = SHEET_GRID_MOST_SAMPLES,
                              .grouped = input->summary->group_count > 1};
    sheet_grid_headings(&grid, headings, sizeof headings / sizeof headings[0]);
    sheet_grid_end_row(&grid);
    sheet_grid_candidates(&grid, input->summary, write_candidate);
    sheet_grid_finish(&grid, 1, "about.steps");
}
