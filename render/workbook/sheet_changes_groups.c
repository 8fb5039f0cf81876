#include "changes_view.h"
#include "report_view.h"
#include "sheet_changes.h"

/* ---- Decisions ---- */

static void write_answer(struct sheet_grid *grid, const struct changes_choice *choice)
{
    text_buffer_clear(&grid->buffer);
    report_view_answer(&grid->buffer, cell_texts(grid->sheet), choice->decision, choice->strategy);
    sheet_grid_text(grid, grid->buffer.text, CELL_TEXT);
}

static void write_group(struct sheet_grid *grid, const struct changes_group *group)
{
    sheet_grid_text(grid, group->label, CELL_TEXT);
    sheet_grid_number(grid, (double)group->strategy_count, CELL_WHOLE);
    write_answer(grid, &group->base);
    write_answer(grid, &group->now);
    sheet_grid_word(grid, "rule", group->base.rule);
    sheet_grid_word(grid, "rule", group->now.rule);
    sheet_grid_word(grid, "level", group->base.evidence_level);
    sheet_grid_word(grid, "level", group->now.evidence_level);
    sheet_grid_end_row(grid);
}

void sheet_changes_groups_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading headings[] = {
        {"column.group", false},         {"column.candidates", true},
        {"column.decision_base", false}, {"column.decision_new", false},
        {"column.rule_base", false},     {"column.rule_new", false},
        {"column.level_base", false},    {"column.level_new", false}};
    const struct changes *changes = input->summary->changes;
    struct sheet_grid grid = {.sheet = sheet, .table = "DecisionsTable"};
    sheet_grid_headings(&grid, headings, sizeof headings / sizeof headings[0]);
    sheet_grid_end_row(&grid);
    for (size_t i = 0; i < changes->group_count && cell_is_writable(sheet); i++)
        write_group(&grid, &changes->groups[i]);
    sheet_grid_finish(&grid, 1, "about.decisions");
}

/* ---- Groups of one side alone ---- */

static void write_unmatched(struct sheet_grid *grid, const char *side,
                            const struct changes_unmatched *groups, size_t count)
{
    for (size_t i = 0; i < count && cell_is_writable(grid->sheet); i++) {
        sheet_grid_text(grid, side, CELL_TEXT);
        sheet_grid_text(grid, groups[i].label, CELL_TEXT);
        sheet_grid_text(grid, groups[i].differs_in, CELL_TEXT);
        sheet_grid_end_row(grid);
    }
}

bool sheet_changes_unmatched_has_content(const struct sheet_input *input)
{
    const struct changes *changes = input->summary->changes;
    return changes != NULL && changes->missing_count + changes->added_count > 0;
}

void sheet_changes_unmatched_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading headings[] = {
        {"column.side", false}, {"column.group", false}, {"column.differs_in", false}};
    const struct changes *changes = input->summary->changes;
    struct sheet_grid grid = {.sheet = sheet, .table = "UnmatchedTable"};
    sheet_grid_headings(&grid, headings, sizeof headings / sizeof headings[0]);
    sheet_grid_end_row(&grid);
    write_unmatched(&grid, "BASE", changes->missing, changes->missing_count);
    write_unmatched(&grid, "NEW", changes->added, changes->added_count);
    sheet_grid_finish(&grid, 0, "about.unmatched");
}

/* ---- Policies ---- */

bool sheet_changes_policies_has_content(const struct sheet_input *input)
{
    return input->summary->changes != NULL && input->summary->changes->policy_count > 0;
}

void sheet_changes_policies_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading headings[] = {{"column.policy_field", false},
                                                         {"column.policy_base", false},
                                                         {"column.policy_new", false}};
    const struct changes *changes = input->summary->changes;
    struct sheet_grid grid = {.sheet = sheet, .table = "PoliciesTable"};
    sheet_grid_headings(&grid, headings, sizeof headings / sizeof headings[0]);
    sheet_grid_end_row(&grid);
    for (size_t i = 0; i < changes->policy_count && cell_is_writable(sheet); i++) {
        sheet_grid_text(&grid, changes->policy[i].field, CELL_CODE);
        sheet_grid_text(&grid, changes->policy[i].base, CELL_CODE);
        sheet_grid_text(&grid, changes->policy[i].now, CELL_CODE);
        sheet_grid_end_row(&grid);
    }
    sheet_grid_finish(&grid, 1, "about.policies");
}

/* ---- Sources that were left out ---- */

static void write_rejected(struct sheet_grid *grid, const char *name,
                           const struct changes_side *side)
{
    for (size_t i = 0; i < side->rejected_count && cell_is_writable(grid->sheet); i++) {
        sheet_grid_text(grid, name, CELL_TEXT);
        sheet_grid_text(grid, side->rejected[i].path, CELL_CODE);
        sheet_grid_text(grid, side->rejected[i].error, CELL_TEXT);
        sheet_grid_end_row(grid);
    }
}

bool sheet_changes_left_out_has_content(const struct sheet_input *input)
{
    const struct changes *changes = input->summary->changes;
    return changes != NULL && changes->base.rejected_count + changes->now.rejected_count > 0;
}

void sheet_changes_left_out_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading headings[] = {
        {"column.side", false}, {"column.path", false}, {"column.message", false}};
    const struct changes *changes = input->summary->changes;
    struct sheet_grid grid = {.sheet = sheet, .table = "LeftOutTable"};
    sheet_grid_headings(&grid, headings, sizeof headings / sizeof headings[0]);
    sheet_grid_end_row(&grid);
    write_rejected(&grid, "BASE", &changes->base);
    write_rejected(&grid, "NEW", &changes->now);
    sheet_grid_finish(&grid, 0, "about.left_out");
}
