#include "sheet_grid.h"
#include "sheet_table.h"

/* What saving and restoring the training state took. */

static void write_candidate(struct sheet_grid *grid, const struct summary_group *group,
                            const struct summary_candidate *candidate)
{
    static const char *const answers[] = {[SUMMARY_NOT_TOLD] = "word.not_known",
                                          [SUMMARY_NO] = "word.no",
                                          [SUMMARY_YES] = "word.yes"};
    const struct texts *texts = cell_texts(grid->sheet);
    for (size_t i = 0; i < candidate->checkpoint_count && texts != NULL; i++) {
        const struct summary_checkpoint *checkpoint = &candidate->checkpoints[i];
        sheet_grid_group(grid, group);
        sheet_grid_label(grid, candidate);
        sheet_grid_word(grid, "checkpoint", checkpoint->kind);
        sheet_grid_number(grid, checkpoint->files, CELL_WHOLE);
        sheet_grid_number(grid, checkpoint->mb, CELL_ONE);
        sheet_grid_number(grid, checkpoint->save_ms, CELL_TWO);
        sheet_grid_number(grid, checkpoint->restore_ms, CELL_TWO);
        sheet_grid_text(grid, texts_get(texts, answers[checkpoint->restore_verified]), CELL_TEXT);
        sheet_grid_number(grid, candidate->checkpoint_peak_memory_mb, CELL_ONE);
        sheet_grid_end_row(grid);
    }
}

void sheet_checkpoints_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading headings[] = {
        {"column.strategy", false}, {"column.checkpoint_kind", false},
        {"column.files", true},     {"column.size", true},
        {"column.save_time", true}, {"column.restore_time", true},
        {"column.verified", false}, {"column.checkpoint_peak", true}};
    struct sheet_grid grid = {.sheet = sheet,
                              .input = input,
                              .table = "CheckpointsTable",
                              .grouped = input->summary->group_count > 1};
    sheet_grid_headings(&grid, headings, sizeof headings / sizeof headings[0]);
    sheet_grid_end_row(&grid);
    sheet_grid_candidates(&grid, input->summary, write_candidate);
    sheet_grid_finish(&grid, 1, "about.checkpoints");
}
