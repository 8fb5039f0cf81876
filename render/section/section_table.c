#include "section_table.h"

#include <string.h>

#include "section_changes_parts.h"
#include "section_parts.h"
#include "section_text.h"

enum row_index {
    ROW_DECISION,
    ROW_VERDICT,
    ROW_CANDIDATES,
    ROW_OUTLOOK,
    ROW_CHARTS,
    ROW_METHOD,
    ROW_MEASURED,
    ROW_CHECKS,
    ROW_SOURCES,
    ROW_FILES,
    ROW_CHANGES,
    ROW_CHANGES_VALUES,
    ROW_CHANGES_JUDGED
};

static const struct section_row rows[] = {
    [ROW_DECISION] = {"decision", true, section_decision_write, section_overview_write},
    [ROW_VERDICT] = {"verdict", true, section_verdict_write, section_overview_brief},
    [ROW_CANDIDATES] = {"candidates", true, section_candidates_write, NULL},
    [ROW_OUTLOOK] = {"outlook", true, section_outlook_write, section_outlook_write},
    [ROW_CHARTS] = {"charts", true, section_charts_write, NULL},
    [ROW_METHOD] = {"method", true, section_method_write, NULL},
    [ROW_MEASURED] = {"measured", true, section_measured_write, NULL},
    [ROW_CHECKS] = {"checks", true, section_checks_write, NULL},
    [ROW_SOURCES] = {"sources", false, section_sources_write, NULL},
    [ROW_FILES] = {"files", false, section_files_write, NULL},
    [ROW_CHANGES] = {"changes", false, section_changes_write, NULL},
    [ROW_CHANGES_VALUES] = {"changes_values", false, section_changes_values_write, NULL},
    [ROW_CHANGES_JUDGED] = {"changes_judged", false, section_changes_judged_write, NULL},
};

const struct section_row *section_table(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

const struct section_row *section_find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

/* ---- A whole manuscript ---- */

struct build {
    const struct section_input *input;
    const struct section_row *const *rows;
    size_t count;
    struct manuscript *out;
};

/* A section of the whole report. */
static struct section whole(const struct build *build, const char *anchor)
{
    const struct summary *summary = build->input->summary;
    return (struct section){.input = build->input,
                            .summary = summary,
                            .group = summary->group_count == 1 ? &summary->groups[0] : NULL,
                            .texts = build->input->texts,
                            .out = build->out,
                            .anchor = anchor,
                            .level = 1};
}

static void write_part(const struct build *build, size_t index)
{
    const struct summary_group *group = &build->input->summary->groups[index];
    const char *anchor = manuscript_format(build->out, "group-%zu", index + 1);
    manuscript_section(build->out, 1, anchor, group->label != NULL ? group->label : "", true);
    for (size_t i = 0; i < build->count; i++) {
        const struct section_row *row = build->rows[i];
        if (!row->of_group)
            continue;
        struct section section =
            whole(build, manuscript_format(build->out, "group-%zu-%s", index + 1, row->name));
        section.group = group;
        section.group_index = index;
        section.level = 2;
        row->write(&section);
    }
}

static void write_parts(const struct build *build)
{
    for (size_t i = 0; i < build->count; i++) {
        const struct section_row *row = build->rows[i];
        if (row->overview == NULL)
            continue;
        const struct section section = whole(build, row->name);
        row->overview(&section);
    }
    for (size_t i = 0; i < build->input->summary->group_count; i++)
        write_part(build, i);
}

/* A comparison has sections of its own, and they have nothing to say of a summary. */
static bool suits(const struct section_row *row, const struct summary *summary)
{
    bool of_changes = row >= &rows[ROW_CHANGES] && row <= &rows[ROW_CHANGES_JUDGED];
    return of_changes == (summary->changes != NULL);
}

/* The sections of a kind, for a template that names none of it. */
static struct build default_build(const struct build *build)
{
    static const struct section_row *const of_summary[] = {
        &rows[ROW_DECISION], &rows[ROW_CANDIDATES], &rows[ROW_CHARTS],
        &rows[ROW_METHOD],   &rows[ROW_CHECKS],     &rows[ROW_SOURCES]};
    static const struct section_row *const of_changes[] = {
        &rows[ROW_CHANGES], &rows[ROW_CHANGES_VALUES], &rows[ROW_CHANGES_JUDGED]};
    struct build complete = *build;
    for (size_t i = 0; i < build->count; i++)
        if (suits(build->rows[i], build->input->summary))
            return complete;
    bool changes = build->input->summary->changes != NULL;
    complete.rows = changes ? of_changes : of_summary;
    complete.count = changes ? sizeof of_changes / sizeof of_changes[0]
                             : sizeof of_summary / sizeof of_summary[0];
    return complete;
}

enum status section_build(const struct section_input *input,
                          const struct section_row *const *wanted, size_t count,
                          struct manuscript *out, struct diag *diag)
{
    const struct build given = {input, wanted, count, out};
    const struct build build = default_build(&given);
    bool parts = input->summary->group_count > 1;
    bool parts_done = false;
    for (size_t i = 0; i < build.count; i++) {
        const struct section_row *row = build.rows[i];
        if (!suits(row, input->summary) || (row->of_group && parts && parts_done))
            continue;
        const struct section section = whole(&build, row->name);
        if (!row->of_group || !parts)
            row->write(&section);
        else
            write_parts(&build);
        parts_done |= row->of_group;
    }
    return manuscript_check(out, diag);
}
