#include <math.h>
#include <string.h>

#include "chart.h"
#include "report_view.h"
#include "section_changes_parts.h"
#include "section_text.h"

/* Of one kind and group; the workbook has all. */
#define FINDINGS_MOST 60

struct section section_changes_group(const struct section *section, size_t index)
{
    struct section below = *section;
    const struct changes *changes = section->summary->changes;
    below.group = &section->summary->groups[index];
    below.group_index = index;
    if (changes->group_count < 2)
        return below;
    section_heading(section, manuscript_format(section->out, "group-%zu", index + 1),
                    changes->groups[index].label);
    below.anchor = manuscript_format(section->out, "%s-group-%zu", section->anchor, index + 1);
    below.level = section->level + 1;
    return below;
}

void section_changes_rest(const struct section *section)
{
    const struct changes *changes = section->summary->changes;
    const struct {
        const char *id;
        size_t count;
    } rows[] = {{"changes.more_groups", changes->more_changed},
                {"changes.same_groups", changes->more_unchanged}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].count > 0)
            manuscript_paragraph(section->out, MANUSCRIPT_QUIET,
                                 section_fill_count(section, rows[i].id, (double)rows[i].count));
}

const char *section_changes_answer(const struct section *section,
                                   const struct changes_choice *choice)
{
    struct text_buffer answer = {0};
    report_view_answer(&answer, section->texts, choice->decision, choice->strategy);
    return section_take(section, &answer);
}

/* ---- The whole ---- */

static void write_verdict(const struct section *section)
{
    static const enum manuscript_tone tones[] = {[CHANGES_VIEW_BEYOND] = MANUSCRIPT_BAD,
                                                 [CHANGES_VIEW_WORSE] = MANUSCRIPT_WARNING,
                                                 [CHANGES_VIEW_BETTER] = MANUSCRIPT_GOOD,
                                                 [CHANGES_VIEW_UNCHANGED] = MANUSCRIPT_GOOD};
    const struct changes *changes = section->summary->changes;
    bool nothing = changes_view_compared(changes) == 0;
    manuscript_verdict(section->out,
                       nothing ? MANUSCRIPT_WARNING : tones[changes_view_whole(changes)],
                       section_get(section, changes_view_headline(changes)),
                       section_message(section, &changes->verdict));
}

static void write_figures(const struct section *section)
{
    const struct changes *changes = section->summary->changes;
    const struct manuscript_figure figures[] = {
        {.label = section_get(section, "figure.regressions"),
         .value = section_count(section, changes->regressions),
         .detail = isnan(changes->max_regression)
                       ? section_get(section, "figure.no_maximum")
                       : section_fill_count(section, "figure.beyond", changes->beyond),
         .tone = changes->beyond > 0        ? MANUSCRIPT_BAD
                 : changes->regressions > 0 ? MANUSCRIPT_WARNING
                                            : MANUSCRIPT_PLAIN},
        {.label = section_get(section, "figure.improvements"),
         .value = section_count(section, changes->improvements),
         .tone = changes->improvements > 0 ? MANUSCRIPT_GOOD : MANUSCRIPT_PLAIN},
        {.label = section_get(section, "figure.compared"),
         .value = section_count(section, (double)changes_view_compared(changes)),
         .detail = section_fill_count(section, "figure.groups", (double)changes->group_count)}};
    manuscript_figures(section->out, figures, sizeof figures / sizeof figures[0]);
}

static void write_side(const struct section *section, const char *id,
                       const struct changes_side *side)
{
    const struct sentence_value values[] = {
        {.name = "path", .text = side->path},
        {.name = "kind", .text = section_word(section, "side", side->kind)},
        {.name = "sources", .number = side->sources}};
    manuscript_item(section->out, MANUSCRIPT_PLAIN, section_fill(section, id, values, 3));
}

/* ---- Findings ---- */

static bool is_of(const struct changes_finding *finding, const char *tendency)
{
    return strcmp(finding->tendency, tendency) == 0;
}

static void write_findings(const struct section *section, const struct changes_findings *findings,
                           const char *tendency, const char *heading_id)
{
    size_t count = 0;
    for (int beyond = 1; beyond >= 0; beyond--)
        for (size_t i = 0; i < findings->count; i++) {
            const struct changes_finding *finding = &findings->items[i];
            if (!is_of(finding, tendency) || finding->beyond != (beyond == 1))
                continue;
            if (count == 0)
                section_heading(section, tendency, section_get(section, heading_id));
            enum manuscript_tone tone = is_of(finding, "improvement")  ? MANUSCRIPT_GOOD
                                        : finding->beyond              ? MANUSCRIPT_BAD
                                        : is_of(finding, "regression") ? MANUSCRIPT_WARNING
                                                                       : MANUSCRIPT_PLAIN;
            if (count++ < FINDINGS_MOST)
                manuscript_item(section->out, tone, section_message(section, &finding->message));
        }
    if (count > FINDINGS_MOST)
        section_more(section, count - FINDINGS_MOST);
}

static void write_changes(const struct section *section, const struct changes_findings *findings)
{
    write_findings(section, findings, "regression", "heading.regressions");
    write_findings(section, findings, "improvement", "heading.improvements");
}

/* ---- Groups ---- */

struct extreme { /* of one quantity in a group */
    const struct changes_strategy *strategy;
    const struct changes_value *value;
};

/* The smallest and the largest change; false if there is none. */
static bool find_extremes(const struct changes_group *group, const char *name,
                          struct extreme *smallest, struct extreme *largest)
{
    *smallest = *largest = (struct extreme){NULL, NULL};
    for (size_t i = 0; i < group->strategy_count; i++) {
        const struct changes_value *value = changes_find(&group->strategies[i], name);
        double percent = value != NULL ? changes_view_percent(value) : (double)NAN;
        const struct extreme here = {&group->strategies[i], value};
        if (isnan(percent))
            continue;
        if (smallest->value == NULL || percent < changes_view_percent(smallest->value))
            *smallest = here;
        if (largest->value == NULL || percent > changes_view_percent(largest->value))
            *largest = here;
    }
    return smallest->value != NULL &&
           changes_view_percent(largest->value) - changes_view_percent(smallest->value) != 0;
}

static const char *change_of(const struct section *section, const struct changes_value *value)
{
    struct text_buffer change = {0};
    changes_view_change(&change, section->texts, value);
    return section_take(section, &change);
}

/* What the chart shows, in a sentence a quantity. */
static void write_ranges(const struct section *section, const struct changes_group *group)
{
    size_t count;
    const struct changes_view_quantity *quantities = changes_view_quantities(&count);
    for (size_t i = 0; i < count; i++) {
        struct extreme smallest;
        struct extreme largest;
        if (!find_extremes(group, quantities[i].name, &smallest, &largest))
            continue;
        const struct sentence_value values[] = {
            {.name = "quantity", .text = section_get(section, quantities[i].title_id)},
            {.name = "smallest", .text = change_of(section, smallest.value)},
            {.name = "first", .text = smallest.strategy->label},
            {.name = "largest", .text = change_of(section, largest.value)},
            {.name = "last", .text = largest.strategy->label}};
        manuscript_item(section->out, MANUSCRIPT_PLAIN,
                        section_fill(section, "changes.range", values, 5));
    }
}

static void write_chart(const struct section *section)
{
    for (size_t i = 0; i < section->input->chart_count; i++) {
        const struct chart_row *chart = section->input->charts[i];
        const struct chart_input shown = {.summary = section->summary,
                                          .group = section->group_index,
                                          .texts = section->texts,
                                          .theme = section->input->theme};
        if (!chart_has_content(chart, &shown)) /* of a comparison the chart of changes alone has */
            continue;
        const char *title = section_get(section, chart->title_id);
        section_heading(section, chart->name, title);
        manuscript_chart(section->out, chart, section->group_index, title);
        write_ranges(section, &section->summary->changes->groups[section->group_index]);
    }
}

static void write_group(const struct section *section, size_t index)
{
    const struct changes_group *group = &section->summary->changes->groups[index];
    const struct section below = section_changes_group(section, index);
    const struct sentence_value values[] = {
        {.name = "now", .text = section_changes_answer(section, &group->now)},
        {.name = "base", .text = section_changes_answer(section, &group->base)}};
    bool same = strcmp(values[0].text, values[1].text) == 0;
    manuscript_paragraph(
        section->out, same ? MANUSCRIPT_PLAIN : MANUSCRIPT_STRONG,
        section_fill(section, same ? "changes.same_answer" : "changes.answer", values, 2));
    manuscript_paragraph(section->out, MANUSCRIPT_QUIET,
                         section_message(section, &group->now.reason));
    write_changes(&below, &group->findings);
    write_findings(&below, &group->findings, "note", "heading.changes_notes");
    write_chart(&below);
}

void section_changes_write(const struct section *section)
{
    const struct changes *changes = section->summary->changes;
    section_title(section, "section.changes", true);
    write_verdict(section);
    write_figures(section);
    write_side(section, "changes.base", &changes->base);
    write_side(section, "changes.new", &changes->now);
    write_changes(section, &changes->findings);
    for (size_t i = 0; i < changes->shown_count; i++)
        write_group(section, changes->shown[i]);
    section_changes_rest(section);
    write_findings(section, &changes->findings, "note", "heading.changes_remarks");
}
