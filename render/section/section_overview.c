#include <math.h>

#include "report_view.h"
#include "section_parts.h"
#include "section_text.h"
#include "section_view.h"

static void write_group(const struct section *section, size_t index)
{
    const struct summary_group *group = &section->summary->groups[index];
    const struct summary_candidate *candidate = section_view_subject(group);
    struct text_buffer answer = {0};
    report_view_answer(&answer, section->texts, group->decision.decision,
                       group->decision.label != NULL ? group->decision.label
                                                     : group->decision.strategy);
    section_cell(section, group->label);
    manuscript_cell(section->out, section_answer_tone(group->decision.decision),
                    section_take(section, &answer));
    section_cell(section, section_count(section, (double)group->candidate_count));
    section_cell_number(section, candidate != NULL ? candidate->peak_memory_mb : (double)NAN,
                        "MiB");
    section_cell(section,
                 section_quantity(section, candidate != NULL ? candidate->throughput : (double)NAN,
                                  candidate != NULL ? report_view_unit_of(candidate) : NULL));
    section_cell_number(section, candidate != NULL ? candidate->communication_ratio : (double)NAN,
                        "ratio");
    section_cell(section, section_word(section, "level", group->evidence_level));
}

static void write_groups(const struct section *section)
{
    const struct manuscript_column columns[] = {
        {.heading = section_get(section, "column.group")},
        {.heading = section_get(section, "column.verdict")},
        {.heading = section_get(section, "column.candidates"), .number = true},
        {.heading = section_get(section, "column.peak_memory"), .number = true},
        {.heading = section_get(section, "column.throughput"), .number = true},
        {.heading = section_get(section, "column.communication_ratio"), .number = true},
        {.heading = section_get(section, "column.evidence_level")}};
    manuscript_table(section->out, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < section->summary->group_count; i++)
        write_group(section, i);
}

void section_overview_brief(const struct section *section)
{
    section_verdict_write(section);
    write_groups(section);
}

void section_overview_write(const struct section *section)
{
    section_title(section, "section.overview", true);
    section_verdict_below(section);
    manuscript_paragraph(section->out, MANUSCRIPT_PLAIN, section_get(section, "overview.what"));
    write_groups(section);
    section_outlook_below(section);
    section_view_sources(section);
}
