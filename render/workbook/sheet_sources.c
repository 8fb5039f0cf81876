#include <math.h>
#include <stdlib.h>

#include "sheet_candidates.h"
#include "sheet_grid.h"
#include "sheet_table.h"

static const char *group_label(const struct summary *summary, double group)
{
    if (!(group >= 0 && group < (double)summary->group_count))
        return NULL;
    return summary->groups[(size_t)group].label;
}

/* The row of each source's candidate on the sheet of candidates; 0: it is none's. */
static void find_candidates(const struct summary *summary, uint32_t *rows)
{
    for (size_t i = 0; i < summary->group_count; i++)
        for (size_t k = 0; k < summary->groups[i].candidate_count; k++) {
            const struct summary_group *group = &summary->groups[i];
            const struct summary_candidate *candidate = &group->candidates[group->order[k]];
            for (size_t s = 0; s < candidate->source_count; s++)
                if (candidate->sources[s] < summary->source_count)
                    rows[candidate->sources[s]] = sheet_candidates_row(summary, i, k);
        }
}

static void write_strategy(struct sheet_grid *grid, const struct sheet_input *input,
                           const struct summary_source *source, uint32_t row)
{
    const struct cell_target target = {
        .sheet = row > 0 ? sheet_table_name(input, "sheet.candidates") : NULL, .row = row};
    sheet_grid_link(grid, source->strategy, &target, CELL_LINK_WRAP);
}

void sheet_sources_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading headings[] = {
        {"column.path", false},           {"column.strategy", false}, {"column.group", false},
        {"column.evidence_level", false}, {"column.failure", false},  {"column.decision", false},
        {"column.warnings", false},       {"column.sha256", false}};
    struct sheet_grid grid = {.sheet = sheet, .table = "SourcesTable"};
    sheet_grid_headings(&grid, headings, sizeof headings / sizeof headings[0]);
    sheet_grid_end_row(&grid);
    uint32_t *rows = calloc(input->summary->source_count + 1, sizeof *rows);
    if (rows == NULL)
        grid.buffer.failed = true; /* told when the grid ends */
    else
        find_candidates(input->summary, rows);
    for (size_t i = 0; i < input->summary->source_count && rows != NULL; i++) {
        const struct summary_source *source = &input->summary->sources[i];
        sheet_grid_text(&grid, source->path, CELL_TEXT);
        write_strategy(&grid, input, source, rows[i]);
        sheet_grid_text(&grid, group_label(input->summary, source->group), CELL_TEXT);
        sheet_grid_word(&grid, "level", source->evidence_level);
        sheet_grid_text(&grid, source->failure, CELL_TEXT);
        sheet_grid_text(&grid, source->decision, CELL_TEXT);
        sheet_grid_list(&grid, NULL, source->warnings.items, source->warnings.count);
        sheet_grid_text(&grid, source->sha256, CELL_CODE);
        sheet_grid_end_row(&grid);
    }
    free(rows);
    sheet_grid_finish(&grid, 1, "about.sources");
}
