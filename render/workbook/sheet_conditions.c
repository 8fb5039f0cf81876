#include <math.h>
#include <string.h>

#include "sheet_grid.h"
#include "sheet_table.h"
#include "text.h"

/* What was run, on what and with what, field by field. */

static bool has_any(const struct summary_group *group)
{
    return group->workload.count + group->hardware.count + group->conditions.count > 0;
}

bool sheet_conditions_has_content(const struct sheet_input *input)
{
    for (size_t i = 0; i < input->summary->group_count; i++)
        if (has_any(&input->summary->groups[i]))
            return true;
    return false;
}

/* A number with its thousands apart, an answer in words, any other text as it is. */
static void write_setting(struct sheet_grid *grid, const struct summary_condition *item)
{
    const struct texts *texts = cell_texts(grid->sheet);
    char number[64];
    const char *text = item->text;
    if (text == NULL) {
        sheet_grid_text(grid, texts_get(texts, "word.not_known"), CELL_MUTED);
        return;
    }
    if (!isnan(item->number))
        text = text_number(number, sizeof number, item->number, 15);
    else if (strcmp(text, "true") == 0)
        text = texts_get(texts, "word.yes");
    else if (strcmp(text, "false") == 0)
        text = texts_get(texts, "word.no");
    sheet_grid_text(grid, text, CELL_TEXT);
}

static void write_conditions(struct sheet_grid *grid, const struct summary_group *group,
                             const char *area, const struct summary_conditions *conditions)
{
    const struct texts *texts = cell_texts(grid->sheet);
    for (size_t i = 0; i < conditions->count && texts != NULL; i++) {
        const struct summary_condition *item = &conditions->items[i];
        sheet_grid_group(grid, group);
        sheet_grid_word(grid, "area", area);
        sheet_grid_word(grid, "field", item->name);
        write_setting(grid, item);
        sheet_grid_text(grid, texts_get(texts, item->differs ? "word.yes" : "word.no"),
                        item->differs ? CELL_TIGHT : CELL_TEXT);
        sheet_grid_end_row(grid);
    }
}

void sheet_conditions_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading headings[] = {{"column.area", false},
                                                         {"column.condition", false},
                                                         {"column.condition_value", false},
                                                         {"column.differs", false}};
    struct sheet_grid grid = {
        .sheet = sheet, .table = "ConditionsTable", .grouped = input->summary->group_count > 1};
    sheet_grid_headings(&grid, headings, sizeof headings / sizeof headings[0]);
    sheet_grid_end_row(&grid);
    for (size_t i = 0; i < input->summary->group_count; i++) {
        const struct summary_group *group = &input->summary->groups[i];
        write_conditions(&grid, group, "workload", &group->workload);
        write_conditions(&grid, group, "hardware", &group->hardware);
        write_conditions(&grid, group, "software", &group->conditions);
    }
    sheet_grid_finish(&grid, 2, "about.conditions");
}
