#include <math.h>

#include "sheet_grid.h"
#include "sheet_table.h"

static const char *group_label(const struct summary *summary, double group)
{
    if (!(group >= 0 && group < (double)summary->group_count))
        return NULL;
    return summary->groups[(size_t)group].label;
}

void sheet_sources_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading headings[] = {
        {"column.path", false},           {"column.strategy", false}, {"column.group", false},
        {"column.evidence_level", false}, {"column.failure", false},  {"column.decision", false},
        {"column.warnings", false},       {"column.sha256", false}};
    struct sheet_grid grid = {.sheet = sheet};
    sheet_grid_headings(&grid, headings, sizeof headings / sizeof headings[0]);
    sheet_grid_end_row(&grid);
    for (size_t i = 0; i < input->summary->source_count; i++) {
        const struct summary_source *source = &input->summary->sources[i];
        sheet_grid_text(&grid, source->path, CELL_TEXT);
        sheet_grid_text(&grid, source->strategy, CELL_TEXT);
        sheet_grid_text(&grid, group_label(input->summary, source->group), CELL_TEXT);
        sheet_grid_word(&grid, "level", source->evidence_level);
        sheet_grid_text(&grid, source->failure, CELL_TEXT);
        sheet_grid_text(&grid, source->decision, CELL_TEXT);
        sheet_grid_list(&grid, NULL, source->warnings.items, source->warnings.count);
        sheet_grid_text(&grid, source->sha256, CELL_CODE);
        sheet_grid_end_row(&grid);
    }
    sheet_grid_finish(&grid, 1, "about.sources");
}
