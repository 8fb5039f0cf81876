#include <math.h>

#include "section_parts.h"
#include "section_text.h"
#include "section_view.h"

static bool has_failure(const struct summary *summary)
{
    for (size_t i = 0; i < summary->source_count; i++)
        if (summary->sources[i].failure != NULL)
            return true;
    return false;
}

/* A column for failures where there is one. */
static void write_read(const struct section *section)
{
    const struct summary *summary = section->summary;
    struct manuscript_column columns[5] = {
        {.heading = section_get(section, "column.path"), .code = true},
        {.heading = section_get(section, "column.strategy")},
        {.heading = section_get(section, "column.evidence_level")}};
    size_t count = 3;
    bool failures = has_failure(summary);
    if (failures)
        columns[count++].heading = section_get(section, "column.failure");
    columns[count++] =
        (struct manuscript_column){.heading = section_get(section, "column.sha256"), .code = true};
    manuscript_table(section->out, columns, count);
    for (size_t i = 0; i < summary->source_count; i++) {
        const struct summary_source *source = &summary->sources[i];
        section_cell(section, source->path);
        section_cell(section, source->strategy);
        section_cell(section, section_word(section, "level", source->evidence_level));
        if (failures)
            manuscript_cell(section->out,
                            source->failure != NULL ? MANUSCRIPT_BAD : MANUSCRIPT_PLAIN,
                            source->failure);
        section_cell(section, source->sha256);
    }
}

/* A file of which nothing is known but that it was left out still has its row. */
static void write_findings(const struct section *section, const struct summary_rejected *rejected)
{
    if (rejected->finding_count == 0) {
        section_cell(section, rejected->path);
        for (size_t i = 0; i < 3; i++)
            section_cell(section, "");
    }
    for (size_t i = 0; i < rejected->finding_count; i++) {
        const struct summary_finding *finding = &rejected->findings[i];
        section_cell(section, i == 0 ? rejected->path : "");
        section_cell(section,
                     isnan(finding->line)
                         ? ""
                         : manuscript_format(section->out, "%.0f:%.0f", finding->line,
                                             isnan(finding->column) ? 1 : finding->column));
        section_cell(section, finding->pointer);
        section_cell(section, finding->message);
    }
}

static void write_rejected(const struct section *section)
{
    const struct summary *summary = section->summary;
    const struct manuscript_column columns[] = {
        {.heading = section_get(section, "column.path"), .code = true},
        {.heading = section_get(section, "column.line"), .number = true},
        {.heading = section_get(section, "column.pointer"), .code = true},
        {.heading = section_get(section, "column.message")}};
    if (summary->rejected_count == 0)
        return;
    section_heading(section, "rejected", section_get(section, "heading.left_out"));
    manuscript_table(section->out, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < summary->rejected_count; i++)
        write_findings(section, &summary->rejected[i]);
}

/* Fields that other producers name or measure otherwise, and what they were read as. */
static void write_normalised(const struct section *section)
{
    const struct summary *summary = section->summary;
    const struct manuscript_column columns[] = {
        {.heading = section_get(section, "column.strategy")},
        {.heading = section_get(section, "column.read_as")},
        {.heading = section_get(section, "column.value"), .number = true},
        {.heading = section_get(section, "column.field"), .code = true}};
    bool headed = false;
    for (size_t i = 0; i < summary->group_count; i++)
        for (size_t k = 0; k < summary->groups[i].candidate_count; k++) {
            const struct summary_candidate *candidate = &summary->groups[i].candidates[k];
            for (size_t n = 0; n < candidate->normalised_count; n++) {
                const struct summary_normalised *field = &candidate->normalised[n];
                if (!headed) {
                    section_heading(section, "normalised",
                                    section_get(section, "heading.normalised"));
                    manuscript_table(section->out, columns, sizeof columns / sizeof columns[0]);
                }
                headed = true;
                section_cell(section, candidate->label);
                section_cell(section, section_word(section, "metric", field->metric));
                section_cell(section, section_quantity(section, field->value, field->unit));
                section_cell(section, field->from);
            }
        }
}

void section_sources_write(const struct section *section)
{
    section_title(section, "section.sources", true);
    section_view_sources(section);
    if (section->summary->source_count > 0)
        write_read(section);
    write_rejected(section);
    write_normalised(section);
}
