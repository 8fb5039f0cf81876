#include <math.h>
#include <string.h>

#include "section_changes_parts.h"
#include "section_text.h"

/* ---- Values ---- */

static bool is_told(const struct changes_value *value)
{
    return strcmp(value->verdict, "not_measured") != 0;
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
    manuscript_table(section->out, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < group->strategy_count; i++) {
        const struct changes_strategy *strategy = &group->strategies[i];
        const char *label = strategy->label;
        for (size_t k = 0; k < strategy->value_count; k++) {
            if (!is_told(&strategy->values[k]))
                continue;
            write_value(section, label, &strategy->values[k]);
            label = ""; /* said once */
        }
    }
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
    section_heading(section, "standing", section_get(section, "heading.standing"));
    manuscript_table(section->out, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < group->strategy_count; i++) {
        const struct changes_strategy *strategy = &group->strategies[i];
        const char *base = standing_of(section, &group->base, strategy->base);
        const char *now = standing_of(section, &group->now, strategy->now);
        section_cell(section, strategy->label);
        section_cell(section, base);
        manuscript_cell(section->out, strcmp(base, now) == 0 ? MANUSCRIPT_PLAIN : MANUSCRIPT_STRONG,
                        now);
        section_cell(section,
                     strategy->base != NULL ? section_count(section, strategy->base->samples) : "");
        section_cell(section,
                     strategy->now != NULL ? section_count(section, strategy->now->samples) : "");
    }
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
    size_t count = 0;
    for (size_t i = 0; i < group->strategy_count; i++) {
        const struct changes_strategy *strategy = &group->strategies[i];
        if (!strategy->losses.told || !(strategy->losses.compared > 0))
            continue;
        if (count++ == 0) {
            section_heading(section, "losses", section_get(section, "heading.losses"));
            manuscript_table(section->out, columns, sizeof columns / sizeof columns[0]);
        }
        section_cell(section, strategy->label);
        section_cell(section, section_count(section, strategy->losses.compared));
        manuscript_cell(section->out,
                        isnan(strategy->losses.broken_at) ? MANUSCRIPT_PLAIN : MANUSCRIPT_WARNING,
                        losses_of(section, &strategy->losses));
    }
}

void section_changes_values_write(const struct section *section)
{
    const struct changes *changes = section->summary->changes;
    const struct section_changes_groups groups = section_changes_groups(changes);
    if (groups.count == 0)
        return;
    section_title(section, "section.changes_values", true);
    for (size_t i = 0; i < groups.count; i++) {
        const struct changes_group *group = &changes->groups[groups.indices[i]];
        const struct section below = section_changes_group(section, groups.indices[i]);
        write_values(&below, group);
        write_standings(&below, group);
        write_losses(&below, group);
    }
    section_changes_rest(section, &groups);
}
