#include <math.h>

#include "report_view.h"
#include "section_parts.h"
#include "section_text.h"
#include "section_view.h"

/* ---- What is to be said of a candidate beside its numbers ---- */

/* "fails memory, throughput", or how its run failed. */
static const char *verdict_detail(const struct section *section,
                                  const struct summary_candidate *candidate)
{
    if (candidate->failure.reason != NULL)
        return candidate->failure.reason;
    if (candidate->gate_failures.count == 0)
        return "";
    struct text_buffer names = {0};
    for (size_t i = 0; i < candidate->gate_failures.count; i++) {
        text_buffer_puts(&names, i > 0 ? section_get(section, "word.list_separator") : "");
        text_buffer_puts(&names, section_word(section, "gate", candidate->gate_failures.items[i]));
    }
    return section_fill1(section, "candidates.fails", "gates", section_take(section, &names));
}

static void write_candidate(const struct section *section,
                            const struct summary_candidate *candidate)
{
    const char *verdict = report_view_verdict(section->group, candidate);
    double limit = section->summary->policy.memory_limit_mb;
    double gain = report_view_gain(section->group, candidate);
    manuscript_cell(section->out,
                    candidate == report_view_selected(section->group) ? MANUSCRIPT_STRONG
                                                                      : MANUSCRIPT_PLAIN,
                    candidate->label);
    manuscript_cell(section->out, section_verdict_tone(verdict),
                    section_word(section, "verdict", verdict));
    section_cell_number(section, candidate->peak_memory_mb, "MiB");
    if (limit > 0 && !isnan(candidate->peak_memory_mb))
        section_cell_number(section, candidate->peak_memory_mb / limit, "ratio");
    else
        section_cell(section, "");
    section_cell_number(section, candidate->throughput, report_view_unit_of(candidate));
    section_cell(section, isnan(gain) ? "" : section_view_signed_percent(section, gain));
    section_cell_number(section, candidate->communication_ratio, "ratio");
    section_cell(section, verdict_detail(section, candidate));
}

static void write_table(const struct section *section)
{
    const struct summary_group *group = section->group;
    struct text_buffer gain = {0};
    report_view_gain_heading(&gain, section->texts, group);
    const struct manuscript_column columns[] = {
        {.heading = section_get(section, "column.strategy")},
        {.heading = section_get(section, "column.verdict")},
        {.heading = section_get(section, "column.peak_memory"), .number = true},
        {.heading = section_get(section, "column.of_limit"), .number = true},
        {.heading =
             section_get(section, report_view_group_tokens(group) ? "column.throughput_tokens"
                                                                  : "column.throughput_samples"),
         .number = true},
        {.heading = section_take(section, &gain), .number = true},
        {.heading = section_get(section, "column.communication_ratio"), .number = true},
        {.heading = section_get(section, "column.why")}};
    manuscript_table(section->out, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < group->candidate_count; i++)
        write_candidate(section, &group->candidates[group->order[i]]);
}

void section_candidates_write(const struct section *section)
{
    if (section->group == NULL || section->group->candidate_count == 0)
        return;
    section_title(section, "section.candidates", true);
    write_table(section);
}
