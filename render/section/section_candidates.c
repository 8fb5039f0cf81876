#include <math.h>
#include <string.h>

#include "report_view.h"
#include "section_parts.h"
#include "section_text.h"
#include "section_view.h"

/* ---- The table ---- */

/* "out of memory, backward, step 7", or the kind that is known of it. */
static const char *failure_of(const struct section *section,
                              const struct summary_candidate *candidate)
{
    const struct summary_failure *failure = &candidate->failure;
    const char *parts[3];
    size_t count = 0;
    if (failure->kind != NULL)
        parts[count++] = section_word(section, "failure", failure->kind);
    if (failure->phase != NULL)
        parts[count++] = section_word(section, "phase", failure->phase);
    if (!isnan(failure->step)) {
        const struct sentence_value value = {.name = "step", .number = failure->step};
        parts[count++] = section_fill(section, "candidates.step", &value, 1);
    }
    return count > 0 ? section_join(section, parts, count)
                     : section_get(section, "candidates.see_below");
}

/* "memory: 138 MiB over (0.9 %)" of each failed gate; of a passed one only that it is tight. */
static const char *gates_of(const struct section *section,
                            const struct summary_candidate *candidate)
{
    const char *text = "";
    for (size_t i = 0; i < candidate->gate_count; i++) {
        const struct summary_gate *gate = &candidate->gates[i];
        bool tight = gate->verdict != NULL && strcmp(gate->verdict, "tight") == 0;
        if (!gate->failed && !tight)
            continue;
        const char *detail = report_view_detail(section->texts, gate);
        const char *why = detail[0] != '\0' || strcmp(gate->name, "correctness") == 0
                              ? detail
                              : section_view_margin(section, gate);
        const char *name = section_word(section, "gate", gate->name);
        text = section_append(section, text,
                              why[0] == '\0'
                                  ? name
                                  : manuscript_format(section->out, "%s%s%s", name,
                                                      section_get(section, "word.colon"), why));
    }
    return text;
}

static const char *why_of(const struct section *section, const struct summary_candidate *candidate)
{
    if (candidate->failure.reason != NULL && !candidate->eligible)
        return failure_of(section, candidate);
    return gates_of(section, candidate);
}

/* With its unit where it is not the column's: unlike units are not converted. */
static void write_throughput(const struct section *section,
                             const struct summary_candidate *candidate)
{
    const char *unit = report_view_unit_of(candidate);
    if (report_view_is_tokens(unit) == report_view_group_tokens(section->group) ||
        isnan(candidate->throughput))
        section_cell_beside(section, candidate->throughput, section->summary->policy.min_throughput,
                            unit);
    else
        section_cell(section,
                     section_quantity_beside(section, candidate->throughput,
                                             section->summary->policy.min_throughput, unit));
}

static void write_candidate(const struct section *section,
                            const struct summary_candidate *candidate)
{
    const char *verdict = report_view_verdict(section->group, candidate);
    double limit = section->summary->policy.memory_limit_mb;
    double gain = report_view_gain(section->group, candidate);
    bool selected = candidate == report_view_selected(section->group);
    manuscript_cell(section->out, selected ? MANUSCRIPT_STRONG : MANUSCRIPT_PLAIN,
                    candidate->label);
    manuscript_cell(section->out, section_verdict_tone(verdict),
                    section_word(section, "verdict", verdict));
    section_cell_beside(section, candidate->peak_memory_mb, limit, "MiB");
    if (!isnan(limit))
        section_cell(section, limit > 0 && !isnan(candidate->peak_memory_mb)
                                  ? section_number_beside(
                                        section, candidate->peak_memory_mb / limit, 1, "ratio")
                                  : "");
    write_throughput(section, candidate);
    if (report_view_baseline(section->group) != NULL)
        section_cell(section, isnan(gain) ? "" : section_view_signed_percent(section, gain));
    section_cell_beside(section, candidate->communication_ratio,
                        section->summary->policy.max_communication_ratio, "ratio");
    section_cell(section, why_of(section, candidate));
}

static void write_table(const struct section *section)
{
    const struct summary_group *group = section->group;
    struct manuscript_column columns[MANUSCRIPT_COLUMNS_MOST];
    size_t count = 0;
    columns[count++] =
        (struct manuscript_column){.heading = section_get(section, "column.strategy")};
    columns[count++] =
        (struct manuscript_column){.heading = section_get(section, "column.verdict")};
    const char *numbers[5] = {section_get(section, "column.peak_memory")};
    size_t number_count = 1;
    if (!isnan(section->summary->policy.memory_limit_mb))
        numbers[number_count++] = section_get(section, "column.of_limit");
    numbers[number_count++] =
        section_get(section, report_view_group_tokens(group) ? "column.throughput_tokens"
                                                             : "column.throughput_samples");
    if (report_view_baseline(group) != NULL) {
        struct text_buffer gain = {0};
        report_view_gain_heading(&gain, section->texts, group);
        numbers[number_count++] = section_take(section, &gain);
    }
    numbers[number_count++] = section_get(section, "column.communication_ratio");
    for (size_t i = 0; i < number_count; i++)
        columns[count++] = (struct manuscript_column){.heading = numbers[i], .number = true};
    columns[count++] = (struct manuscript_column){.heading = section_get(section, "column.why")};
    manuscript_table(section->out, columns, count);
    for (size_t i = 0; i < group->candidate_count; i++)
        write_candidate(section, &group->candidates[group->order[i]]);
}

/* ---- What is to be said below it ---- */

/* The measured value that is nearest to a limit and not it, NAN: none. */
static double nearest(const struct summary_group *group, const char *gate_name)
{
    double found = (double)NAN;
    double least = (double)INFINITY;
    for (size_t i = 0; i < group->candidate_count; i++) {
        const struct summary_gate *gate = report_view_gate(&group->candidates[i], gate_name);
        double apart = gate != NULL ? fabs(gate->value - gate->limit) : (double)NAN;
        if (!(apart > 0 && apart < least))
            continue;
        least = apart;
        found = gate->value;
    }
    return found;
}

static void write_limits(const struct section *section)
{
    const struct summary_policy *policy = &section->summary->policy;
    const struct {
        double value;
        const char *id, *unit, *gate;
    } limits[] = {
        {policy->memory_limit_mb, "candidates.memory_limit", "MiB", "memory"},
        {policy->min_throughput, "candidates.minimum", policy->throughput_unit, "throughput"},
        {policy->max_communication_ratio, "candidates.communication_limit", "ratio",
         "communication"}};
    const char *parts[3];
    size_t count = 0;
    for (size_t i = 0; i < 3; i++)
        if (!isnan(limits[i].value))
            parts[count++] = section_fill1(
                section, limits[i].id, "limit",
                section_quantity_beside(section, limits[i].value,
                                        nearest(section->group, limits[i].gate), limits[i].unit));
    manuscript_paragraph(section->out, MANUSCRIPT_QUIET,
                         count == 0 ? section_get(section, "candidates.no_limits")
                                    : section_fill1(section, "candidates.limits", "limits",
                                                    section_join(section, parts, count)));
}

static void write_failures(const struct section *section)
{
    const struct summary_group *group = section->group;
    bool headed = false;
    for (size_t i = 0; i < group->candidate_count; i++) {
        const struct summary_candidate *candidate = &group->candidates[group->order[i]];
        if (candidate->failure.reason == NULL)
            continue;
        if (!headed)
            section_heading(section, "failures", section_get(section, "heading.failures"));
        headed = true;
        const struct sentence_value values[] = {
            {.name = "candidate", .text = candidate->label},
            {.name = "where", .text = failure_of(section, candidate)},
            {.name = "reason", .text = candidate->failure.reason}};
        bool known = candidate->failure.kind != NULL || candidate->failure.phase != NULL ||
                     !isnan(candidate->failure.step);
        manuscript_item(section->out, MANUSCRIPT_BAD,
                        section_fill(section,
                                     known ? "candidates.failed_where" : "candidates.failed",
                                     values, 3));
    }
}

/* What a reader would ask on seeing the table. */
static void write_questions(const struct section *section)
{
    const struct summary_decision *decision = &section->group->decision;
    bool headed = false;
    for (size_t i = 0; i < decision->note_count; i++) {
        const struct summary_message *note = &decision->notes[i];
        if (!section_view_is(note, "note.inversion") && !section_view_is(note, "note.fullest_rank"))
            continue;
        if (!headed)
            section_heading(section, "questions", section_get(section, "heading.notes"));
        headed = true;
        manuscript_item(section->out, MANUSCRIPT_PLAIN, section_message(section, note));
    }
}

void section_candidates_write(const struct section *section)
{
    if (section->group == NULL || section->group->candidate_count == 0)
        return;
    section_title(section, "section.candidates", true);
    write_table(section);
    write_limits(section);
    const char *front = section_view_front(section);
    if (front[0] != '\0')
        manuscript_paragraph(section->out, MANUSCRIPT_PLAIN, front);
    write_failures(section);
    write_questions(section);
}
