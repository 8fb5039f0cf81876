#include <math.h>
#include <string.h>

#include "section_changes_parts.h"
#include "section_text.h"

/* Of more strategies than these the rows that tell no change are counted alone, and of more rows
 * the rest; the workbook has all. */
#define MANY_STRATEGIES 40
#define ROWS_MOST 400

struct rows { /* of one table */
    bool changed_only;
    size_t written, left_out;
};

static struct rows rows_of(const struct changes_group *group)
{
    return (struct rows){.changed_only = group->strategy_count > MANY_STRATEGIES};
}

/* Whether a row has a place; counts it either way. */
static bool take_row(struct rows *rows, bool changed)
{
    bool taken = (changed || !rows->changed_only) && rows->written < ROWS_MOST;
    *(taken ? &rows->written : &rows->left_out) += 1;
    return taken;
}

static void write_left_out(const struct section *section, const struct rows *rows)
{
    if (rows->left_out > 0)
        manuscript_paragraph(
            section->out, MANUSCRIPT_QUIET,
            section_fill_count(section, "changes.more_rows", (double)rows->left_out));
}

/* ---- Values ---- */

static bool is_told(const struct changes_value *value)
{
    return strcmp(value->verdict, "not_measured") != 0;
}

static bool is_changed(const struct changes_value *value)
{
    static const char *const words[] = {"better", "worse", "no_longer_measured"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(value->verdict, words[i]) == 0)
            return true;
    return value->beyond;
}

static enum manuscript_tone tone_of(const struct changes_value *value)
{
    if (value->beyond)
        return MANUSCRIPT_BAD;
    if (strcmp(value->verdict, "worse") == 0 || strcmp(value->verdict, "no_longer_measured") == 0)
        return MANUSCRIPT_WARNING;
    return strcmp(value->verdict, "better") == 0 ? MANUSCRIPT_GOOD : MANUSCRIPT_PLAIN;
}

/* "Peak memory (reserved, MiB)". */
static const char *name_of(const struct section *section, const struct changes_value *value)
{
    const struct changes_view_quantity *quantity = changes_view_quantity(value->name);
    const char *name = quantity != NULL ? section_get(section, quantity->title_id) : value->name;
    const char *unit = value->unit != NULL && strcmp(value->unit, "ratio") != 0
                           ? section_word(section, "unit", value->unit)
                           : "";
    const char *kind = value->kind != NULL ? section_word(section, "kind", value->kind) : "";
    const char *parts[2];
    size_t count = 0;
    if (kind[0] != '\0')
        parts[count++] = kind;
    if (unit[0] != '\0')
        parts[count++] = unit;
    if (count == 0)
        return name;
    const struct sentence_value values[] = {
        {.name = "name", .text = name},
        {.name = "detail", .text = section_join(section, parts, count)}};
    return section_fill(section, "changes.quantity", values, 2);
}

static const char *bounds_of(const struct section *section, const struct changes_value *value)
{
    struct text_buffer bounds = {0};
    changes_view_bounds(&bounds, section->texts, value);
    if (bounds.length > 0 && value->interval_unit != NULL) {
        const char *drawn =
            strcmp(value->interval_unit, "round") == 0 ? "change.by_rounds" : "change.within_run";
        text_buffer_puts(&bounds, section_get(section, drawn));
    }
    return section_take(section, &bounds);
}

static void write_value(const struct section *section, const char *label,
                        const struct changes_value *value)
{
    struct text_buffer change = {0};
    enum manuscript_tone tone = tone_of(value);
    section_cell(section, label);
    section_cell(section, name_of(section, value));
    section_cell_number(section, value->base, value->unit);
    section_cell_number(section, value->now, value->unit);
    changes_view_change(&change, section->texts, value);
    manuscript_cell(section->out, tone, section_take(section, &change));
    section_cell(section, bounds_of(section, value));
    manuscript_cell(section->out, tone, changes_view_verdict(section->texts, value));
}

static void write_values(const struct section *section, const struct changes_group *group)
{
    const struct manuscript_column columns[] = {
        {.heading = section_get(section, "column.strategy")},
        {.heading = section_get(section, "column.quantity")},
        {.heading = section_get(section, "column.base"), .number = true},
        {.heading = section_get(section, "column.new"), .number = true},
        {.heading = section_get(section, "column.change"), .number = true},
        {.heading = section_get(section, "column.change_interval")},
        {.heading = section_get(section, "column.judgement")}};
    struct rows rows = rows_of(group);
    manuscript_table(section->out, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < group->strategy_count; i++) {
        const struct changes_strategy *strategy = &group->strategies[i];
        const char *label = strategy->label;
        for (size_t k = 0; k < strategy->value_count; k++) {
            if (!is_told(&strategy->values[k]) ||
                !take_row(&rows, is_changed(&strategy->values[k])))
                continue;
            write_value(section, label, &strategy->values[k]);
            label = ""; /* said once */
        }
    }
    write_left_out(section, &rows);
}

/* ---- How each stands ---- */

static const char *standing_of(const struct section *section, const struct changes_choice *choice,
                               const struct changes_candidate *candidate)
{
    struct text_buffer standing = {0};
    changes_view_standing(&standing, section->texts, choice, candidate);
    return section_take(section, &standing);
}

static void write_standings(const struct section *section, const struct changes_group *group)
{
    const struct manuscript_column columns[] = {
        {.heading = section_get(section, "column.strategy")},
        {.heading = section_get(section, "column.in_base")},
        {.heading = section_get(section, "column.in_new")},
        {.heading = section_get(section, "column.samples_base"), .number = true},
        {.heading = section_get(section, "column.samples_new"), .number = true}};
    struct rows rows = rows_of(group);
    section_heading(section, "standing", section_get(section, "heading.standing"));
    manuscript_table(section->out, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < group->strategy_count; i++) {
        const struct changes_strategy *strategy = &group->strategies[i];
        const char *base = standing_of(section, &group->base, strategy->base);
        const char *now = standing_of(section, &group->now, strategy->now);
        if (!take_row(&rows, strcmp(base, now) != 0))
            continue;
        section_cell(section, strategy->label);
        section_cell(section, base);
        manuscript_cell(section->out, strcmp(base, now) == 0 ? MANUSCRIPT_PLAIN : MANUSCRIPT_STRONG,
                        now);
        section_cell(section,
                     strategy->base != NULL ? section_count(section, strategy->base->samples) : "");
        section_cell(section,
                     strategy->now != NULL ? section_count(section, strategy->now->samples) : "");
    }
    write_left_out(section, &rows);
}

/* ---- Losses ---- */

static const char *losses_of(const struct section *section, const struct changes_losses *losses)
{
    if (!isnan(losses->broken_at)) {
        const struct sentence_value step = {.name = "step", .number = losses->broken_at};
        return section_fill(section, "losses.broken", &step, 1);
    }
    if (isnan(losses->first_difference))
        return section_get(section, "losses.same");
    const struct sentence_value values[] = {
        {.name = "step", .number = losses->first_difference},
        {.name = "difference", .number = losses->largest_difference},
        {.name = "at", .number = losses->largest_at}};
    return section_fill(section, "losses.differ", values, 3);
}

static void write_losses(const struct section *section, const struct changes_group *group)
{
    const struct manuscript_column columns[] = {
        {.heading = section_get(section, "column.strategy")},
        {.heading = section_get(section, "column.losses_compared"), .number = true},
        {.heading = section_get(section, "column.losses")}};
    struct rows rows = rows_of(group);
    for (size_t i = 0; i < group->strategy_count; i++) {
        const struct changes_strategy *strategy = &group->strategies[i];
        if (!strategy->losses.told || !(strategy->losses.compared > 0) ||
            !take_row(&rows, !isnan(strategy->losses.first_difference)))
            continue;
        if (rows.written == 1) {
            section_heading(section, "losses", section_get(section, "heading.losses"));
            manuscript_table(section->out, columns, sizeof columns / sizeof columns[0]);
        }
        section_cell(section, strategy->label);
        section_cell(section, section_count(section, strategy->losses.compared));
        manuscript_cell(section->out,
                        isnan(strategy->losses.broken_at) ? MANUSCRIPT_PLAIN : MANUSCRIPT_WARNING,
                        losses_of(section, &strategy->losses));
    }
    if (rows.written > 0)
        write_left_out(section, &rows);
}

void section_changes_values_write(const struct section *section)
{
    const struct changes *changes = section->summary->changes;
    if (changes->shown_count == 0)
        return;
    section_title(section, "section.changes_values", true);
    for (size_t i = 0; i < changes->shown_count; i++) {
        const struct changes_group *group = &changes->groups[changes->shown[i]];
        const struct section below = section_changes_group(section, changes->shown[i]);
        write_values(&below, group);
        write_standings(&below, group);
        write_losses(&below, group);
    }
    section_changes_rest(section);
}
