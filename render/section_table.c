#include "section_table.h"

#include <string.h>

#include "section_parts.h"
#include "section_text.h"

static const struct section_row rows[] = {
    {"decision", "section.decision", true, section_decision_write, section_overview_write},
    {"verdict", NULL, true, section_verdict_write, section_overview_brief},
    {"outlook", NULL, true, section_outlook_write, NULL},
    {"candidates", "section.candidates", true, section_candidates_write, NULL},
    {"charts", "section.charts", true, section_charts_write, NULL},
    {"method", "section.method", true, section_method_write, NULL},
    {"measured", "section.measured", true, section_measured_write, NULL},
    {"checks", "section.checks", true, section_checks_write, NULL},
    {"sources", "section.sources", false, section_sources_write, NULL},
    {"files", NULL, false, section_files_write, NULL},
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
    const char *const *names;
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
        const struct section_row *row = section_find(build->names[i]);
        if (row == NULL || !row->of_group)
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
        const struct section_row *row = section_find(build->names[i]);
        if (row == NULL || row->overview == NULL)
            continue;
        const struct section section = whole(build, row->name);
        row->overview(&section);
    }
    for (size_t i = 0; i < build->input->summary->group_count; i++)
        write_part(build, i);
}

enum status section_build(const struct section_input *input, const char *const *names, size_t count,
                          struct manuscript *out, struct diag *diag)
{
    const struct build build = {input, names, count, out};
    bool parts = input->summary->group_count > 1;
    bool parts_done = false;
    for (size_t i = 0; i < count; i++) {
        const struct section_row *row = section_find(names[i]);
        if (row == NULL || (row->of_group && parts && parts_done))
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
