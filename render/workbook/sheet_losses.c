#include <math.h>

#include "sheet_grid.h"
#include "sheet_table.h"

/* Loss and gradient norm of every optimizer step. */

static size_t steps_of(const struct summary_candidate *candidate)
{
    return candidate->losses.count > candidate->grad_norms.count ? candidate->losses.count
                                                                 : candidate->grad_norms.count;
}

bool sheet_losses_has_content(const struct sheet_input *input)
{
    for (size_t i = 0; i < input->summary->group_count; i++)
        for (size_t k = 0; k < input->summary->groups[i].candidate_count; k++)
            if (steps_of(&input->summary->groups[i].candidates[k]) > 0)
                return true;
    return false;
}

/* A value that is there and not finite is said; one that is not there is an empty cell. */
static void write_value(struct sheet_grid *grid, const struct summary_numbers *values, size_t step)
{
    if (step < values->count && isnan(values->items[step]))
        sheet_grid_text(grid, texts_get(cell_texts(grid->sheet), "word.not_finite"),
                        CELL_MUTED_RIGHT);
    else
        sheet_grid_number(grid, step < values->count ? values->items[step] : (double)NAN,
                          CELL_FOUR);
}

static void write_candidate(struct sheet_grid *grid, const struct summary_group *group,
                            const struct summary_candidate *candidate)
{
    size_t steps = steps_of(candidate);
    for (size_t step = 0; step < steps && cell_is_writable(grid->sheet); step++) {
        if (sheet_grid_cuts(grid, steps - step))
            break;
        const char *warmup = isnan(candidate->warmup)           ? NULL
                             : (double)step < candidate->warmup ? "word.yes"
                                                                : "word.no";
        sheet_grid_group(grid, group);
        sheet_grid_text(grid, candidate->label, CELL_TEXT);
        sheet_grid_number(grid, (double)step, CELL_WHOLE);
        sheet_grid_text(grid, warmup != NULL ? texts_get(cell_texts(grid->sheet), warmup) : NULL,
                        CELL_TEXT);
        write_value(grid, &candidate->losses, step);
        write_value(grid, &candidate->grad_norms, step);
        sheet_grid_end_row(grid);
    }
}

void sheet_losses_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading headings[] = {{"column.strategy", false},
                                                         {"column.optimizer_step", true},
                                                         {"column.warmup", false},
                                                         {"column.loss", true},
                                                         {"column.grad_norm", true}};
    struct sheet_grid grid = {.sheet = sheet,
                              .table = "LossesTable",
                              .max_rows = SHEET_GRID_MOST_SAMPLES,
                              .grouped = input->summary->group_count > 1};
    sheet_grid_headings(&grid, headings, sizeof headings / sizeof headings[0]);
    sheet_grid_end_row(&grid);
    sheet_grid_candidates(&grid, input->summary, write_candidate);
    sheet_grid_finish(&grid, 1, "about.losses");
}
