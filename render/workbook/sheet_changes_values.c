#include <math.h>
#include <string.h>

#include "changes_view.h"
#include "report_view.h"
#include "sheet_changes.h"

/* ---- Values ---- */

static enum cell_style judgement_style(const struct changes_value *value)
{
    if (value->beyond)
        return CELL_FAIL;
    if (strcmp(value->verdict, "worse") == 0 || strcmp(value->verdict, "no_longer_measured") == 0)
        return CELL_TIGHT;
    return strcmp(value->verdict, "better") == 0 ? CELL_PASS : CELL_NEUTRAL;
}

static void write_value(struct sheet_grid *grid, const struct changes_value *value)
{
    const struct texts *texts = cell_texts(grid->sheet);
    const struct changes_view_quantity *quantity = changes_view_quantity(value->name);
    enum cell_style style =
        report_view_unit_style(value->unit, isnan(value->now) ? value->base : value->now);
    bool ratio = value->unit != NULL && strcmp(value->unit, "ratio") == 0;
    sheet_grid_text(grid, quantity != NULL ? texts_get(texts, quantity->title_id) : value->name,
                    CELL_TEXT);
    sheet_grid_word(grid, "kind", value->kind);
    sheet_grid_word(grid, "unit", value->unit);
    sheet_grid_number(grid, value->base, style);
    sheet_grid_number(grid, value->now, style);
    sheet_grid_number(grid, value->change, ratio ? CELL_SIGNED_PERCENT : style);
    sheet_grid_number(grid, value->relative, CELL_SIGNED_PERCENT);
    sheet_grid_number(grid, value->lower, CELL_FOUR);
    sheet_grid_number(grid, value->upper, CELL_FOUR);
    sheet_grid_word(grid, "interval", value->interval_unit);
    text_buffer_clear(&grid->buffer);
    text_buffer_puts(&grid->buffer, changes_view_verdict(texts, value));
    if (value->unlike != NULL)
        text_buffer_printf(&grid->buffer, "%s%s", texts_get(texts, "word.colon"),
                           texts_word(texts, "unlike", value->unlike));
    sheet_grid_text(grid, grid->buffer.text, judgement_style(value));
    sheet_changes_flag(grid, value->beyond, CELL_FAIL);
    sheet_grid_end_row(grid);
}

static void begin_row(struct sheet_grid *grid, const struct changes_group *group,
                      const struct changes_strategy *strategy)
{
    if (grid->grouped)
        sheet_grid_text(grid, group->label, CELL_TEXT);
    sheet_grid_text(grid, strategy->label, CELL_TEXT);
}

static void write_group_values(struct sheet_grid *grid, const struct changes_group *group)
{
    for (size_t i = 0; i < group->strategy_count; i++) {
        const struct changes_strategy *strategy = &group->strategies[i];
        for (size_t k = 0; k < strategy->value_count && cell_is_writable(grid->sheet); k++) {
            if (strcmp(strategy->values[k].verdict, "not_measured") == 0)
                continue; /* on neither side */
            begin_row(grid, group, strategy);
            write_value(grid, &strategy->values[k]);
        }
    }
}

void sheet_changes_values_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading headings[] = {
        {"column.strategy", false},      {"column.quantity", false},
        {"column.memory_kind", false},   {"column.unit", false},
        {"column.base", true},           {"column.new", true},
        {"column.change_amount", true},  {"column.change_relative", true},
        {"column.change_lower", true},   {"column.change_upper", true},
        {"column.interval_unit", false}, {"column.judgement", false},
        {"column.beyond", false}};
    const struct changes *changes = input->summary->changes;
    struct sheet_grid grid = {
        .sheet = sheet, .table = "ValuesTable", .grouped = changes->group_count > 1};
    sheet_grid_headings(&grid, headings, sizeof headings / sizeof headings[0]);
    sheet_grid_end_row(&grid);
    for (size_t i = 0; i < changes->group_count; i++)
        write_group_values(&grid, &changes->groups[i]);
    sheet_grid_finish(&grid, 2, "about.values");
}

/* ---- How each stands ---- */

static void write_standing(struct sheet_grid *grid, const struct changes_choice *choice,
                           const struct changes_candidate *candidate)
{
    text_buffer_clear(&grid->buffer);
    changes_view_standing(&grid->buffer, cell_texts(grid->sheet), choice, candidate);
    sheet_grid_text(grid, grid->buffer.text,
                    candidate == NULL     ? CELL_NEUTRAL
                    : candidate->eligible ? CELL_PASS
                                          : CELL_FAIL);
}

static void write_side(struct sheet_grid *grid, const struct changes_candidate *candidate)
{
    sheet_grid_word(grid, "level", candidate != NULL ? candidate->evidence_level : NULL);
    sheet_grid_number(grid, candidate != NULL ? candidate->repeats : (double)NAN, CELL_WHOLE);
    sheet_grid_number(grid, candidate != NULL ? candidate->samples : (double)NAN, CELL_WHOLE);
}

static void write_strategy(struct sheet_grid *grid, const struct changes_group *group,
                           const struct changes_strategy *strategy)
{
    const struct changes_losses *losses = &strategy->losses;
    begin_row(grid, group, strategy);
    write_standing(grid, &group->base, strategy->base);
    write_standing(grid, &group->now, strategy->now);
    write_side(grid, strategy->base);
    write_side(grid, strategy->now);
    sheet_grid_number(grid, losses->told ? losses->compared : (double)NAN, CELL_WHOLE);
    sheet_grid_number(grid, losses->told ? losses->first_difference : (double)NAN, CELL_WHOLE);
    sheet_grid_number(grid, losses->told ? losses->largest_difference : (double)NAN, CELL_PERCENT);
    sheet_grid_number(grid, losses->told ? losses->largest_at : (double)NAN, CELL_WHOLE);
    sheet_grid_number(grid, losses->told ? losses->broken_at : (double)NAN, CELL_WHOLE);
    sheet_grid_end_row(grid);
}

void sheet_changes_standing_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading headings[] = {
        {"column.strategy", false},         {"column.in_base", false},
        {"column.in_new", false},           {"column.level_base", false},
        {"column.repeats_base", true},      {"column.samples_base", true},
        {"column.level_new", false},        {"column.repeats_new", true},
        {"column.samples_new", true},       {"column.losses_compared", true},
        {"column.losses_first", true},      {"column.losses_largest", true},
        {"column.losses_largest_at", true}, {"column.losses_broken", true}};
    const struct changes *changes = input->summary->changes;
    struct sheet_grid grid = {
        .sheet = sheet, .table = "StandingTable", .grouped = changes->group_count > 1};
    sheet_grid_headings(&grid, headings, sizeof headings / sizeof headings[0]);
    sheet_grid_end_row(&grid);
    for (size_t i = 0; i < changes->group_count; i++)
        for (size_t k = 0; k < changes->groups[i].strategy_count && cell_is_writable(sheet); k++)
            write_strategy(&grid, &changes->groups[i], &changes->groups[i].strategies[k]);
    sheet_grid_finish(&grid, 1, "about.standing");
}
