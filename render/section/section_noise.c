#include <math.h>
#include <string.h>

#include "report_view.h"
#include "section_parts.h"
#include "section_text.h"
#include "section_view.h"

/* ---- Repeats, samples and how much they vary ---- */

double section_noise_steps(const struct summary_candidate *candidate)
{
    if (candidate->interval_samples > 0)
        return candidate->interval_samples;
    return candidate->step_times.rank_count > 0 ? (double)candidate->step_times.ranks[0].count
                                                : (double)NAN;
}

static const char *interval_of(const struct section *section,
                               const struct summary_candidate *candidate)
{
    if (isnan(candidate->step_time_lower_ms) || isnan(candidate->step_time_upper_ms))
        return NULL;
    const struct sentence_value values[] = {
        {.name = "lower", .number = candidate->step_time_lower_ms},
        {.name = "upper", .number = candidate->step_time_upper_ms}};
    return section_fill(section, "noise.interval", values, 2);
}

static void cell_or_absent(const struct section *section, const char *text)
{
    if (text != NULL)
        section_cell(section, text);
    else
        manuscript_cell(section->out, MANUSCRIPT_QUIET, section_get(section, "word.not_measured"));
}

static bool has_skew(const struct summary_group *group)
{
    for (size_t i = 0; i < group->candidate_count; i++)
        if (!isnan(group->candidates[i].skew_ratio))
            return true;
    return false;
}

static void write_candidate(const struct section *section,
                            const struct summary_candidate *candidate)
{
    double steps = section_noise_steps(candidate);
    section_cell(section, candidate->label);
    section_cell(section, section_count(section, (double)candidate->repeats));
    cell_or_absent(section, isnan(steps) ? NULL : section_count(section, steps));
    cell_or_absent(section,
                   isnan(candidate->warmup) ? NULL : section_count(section, candidate->warmup));
    section_cell_number(section, candidate->step_time_ms, "ms");
    cell_or_absent(section, interval_of(section, candidate));
    cell_or_absent(section, candidate->interval_unit != NULL
                                ? section_word(section, "interval", candidate->interval_unit)
                                : NULL);
    section_cell_number(section, candidate->step_time_variation, "ratio");
    if (has_skew(section->group))
        section_cell_number(section, candidate->skew_ratio, "ratio");
}

static void write_table(const struct section *section)
{
    const struct manuscript_column columns[] = {
        {.heading = section_get(section, "column.strategy")},
        {.heading = section_get(section, "column.repeats"), .number = true},
        {.heading = section_get(section, "column.steps"), .number = true},
        {.heading = section_get(section, "column.warmup"), .number = true},
        {.heading = section_get(section, "column.step_time_median"), .number = true},
        {.heading = section_get(section, "column.interval"), .number = true},
        {.heading = section_get(section, "column.interval_unit")},
        {.heading = section_get(section, "column.step_time_variation"), .number = true},
        {.heading = section_get(section, "column.skew_ratio"), .number = true}};
    manuscript_table(section->out, columns,
                     sizeof columns / sizeof columns[0] - !has_skew(section->group));
    for (size_t i = 0; i < section->group->candidate_count; i++)
        write_candidate(section, &section->group->candidates[section->group->order[i]]);
}

bool section_noise_is_doubt(const struct summary_message *note)
{
    return section_view_is(note, "tie.") || section_view_is(note, "note.step_variation") ||
           section_view_is(note, "note.injected") || section_view_is(note, "note.slowest_rank");
}

/* Whether any interval rests on the steps of one run. */
static bool has_within_run(const struct summary_group *group)
{
    for (size_t i = 0; i < group->candidate_count; i++)
        if (group->candidates[i].interval_unit != NULL &&
            strcmp(group->candidates[i].interval_unit, "within_run") == 0)
            return true;
    return false;
}

/* The candidates' own notes: repeats that were pooled, fields that were read under another name. */
static void write_own_notes(const struct section *section)
{
    for (size_t i = 0; i < section->group->candidate_count; i++) {
        const struct summary_candidate *candidate =
            &section->group->candidates[section->group->order[i]];
        for (size_t k = 0; k < candidate->note_count; k++)
            manuscript_item(section->out, MANUSCRIPT_PLAIN,
                            manuscript_format(section->out, "%s%s%s", candidate->label,
                                              section_get(section, "word.colon"),
                                              section_message(section, &candidate->notes[k])));
    }
}

void section_noise_below(const struct section *section)
{
    const struct summary_decision *decision = &section->group->decision;
    section_heading(section, "noise", section_get(section, "heading.noise"));
    write_table(section);
    manuscript_paragraph(section->out, MANUSCRIPT_QUIET, section_get(section, "noise.what"));
    if (has_within_run(section->group))
        manuscript_paragraph(section->out, MANUSCRIPT_QUIET,
                             section_get(section, "noise.within_run"));
    for (size_t i = 0; i < decision->note_count; i++)
        if (section_noise_is_doubt(&decision->notes[i]))
            manuscript_item(section->out, MANUSCRIPT_PLAIN,
                            section_message(section, &decision->notes[i]));
    write_own_notes(section);
}
