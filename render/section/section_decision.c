#include <math.h>
#include <string.h>

#include "report_view.h"
#include "section_parts.h"
#include "section_text.h"
#include "section_view.h"

/* The first page has room for so many doubts; the others stand in the section on noise. */
#define DECISION_DOUBTS 3

/* ---- Gates ---- */

static bool is_gate(const struct summary_gate *gate, const char *name)
{
    return strcmp(gate->name, name) == 0;
}

/* A value as its gate means it: correctness is judged in parts of its tolerance. */
static const char *gate_value(const struct section *section, const struct summary_gate *gate)
{
    if (isnan(gate->value))
        return "";
    if (!is_gate(gate, "correctness"))
        return section_quantity_beside(section, gate->value, gate->limit, gate->unit);
    return section_fill1(section, "gates.of_tolerance", "value",
                         section_view_small_percent(section, gate->value));
}

static const char *gate_limit(const struct section *section, const struct summary_gate *gate)
{
    if (isnan(gate->limit))
        return "";
    return is_gate(gate, "correctness")
               ? section_get(section, "gates.tolerance")
               : section_quantity_beside(section, gate->limit, gate->value, gate->unit);
}

static void write_gate(const struct section *section, const struct summary_gate *gate)
{
    const char *detail = report_view_detail(section->texts, gate);
    const char *margin = is_gate(gate, "correctness") ? "" : section_view_margin(section, gate);
    section_cell(section, section_word(section, "gate", gate->name));
    manuscript_cell(section->out, section_verdict_tone(gate->verdict),
                    section_word(section, "verdict", gate->verdict));
    section_cell(section, gate_value(section, gate));
    section_cell(section, gate_limit(section, gate));
    section_cell(section, detail[0] == '\0' ? margin : detail);
}

static bool is_applied(const struct summary_gate *gate)
{
    return gate->verdict == NULL || strcmp(gate->verdict, "not_applied") != 0;
}

/* The gates that no limit was set for, in one line. */
static void write_unapplied(const struct section *section,
                            const struct summary_candidate *candidate)
{
    struct text_buffer names = {0};
    for (size_t i = 0; i < candidate->gate_count; i++) {
        if (is_applied(&candidate->gates[i]))
            continue;
        section_list(section, &names, section_word(section, "gate", candidate->gates[i].name));
    }
    const char *gates = section_take(section, &names);
    if (gates[0] != '\0')
        manuscript_paragraph(section->out, MANUSCRIPT_QUIET,
                             section_fill1(section, "gates.not_applied", "gates", gates));
}

static void write_table(const struct section *section, const struct summary_candidate *candidate)
{
    const struct manuscript_column columns[] = {
        {.heading = section_get(section, "column.gate")},
        {.heading = section_get(section, "column.verdict")},
        {.heading = section_get(section, "column.measured"), .number = true},
        {.heading = section_get(section, "column.limit"), .number = true},
        {.heading = section_get(section, "column.margin")}};
    manuscript_table(section->out, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < candidate->gate_count; i++)
        if (is_applied(&candidate->gates[i]))
            write_gate(section, &candidate->gates[i]);
}

static void write_gates(const struct section *section)
{
    const struct summary_candidate *candidate = section_view_subject(section->group);
    size_t applied = 0;
    for (size_t i = 0; i < candidate->gate_count; i++)
        applied += is_applied(&candidate->gates[i]);
    section_heading(section, "gates",
                    section_fill1(section, "heading.gates_of", "candidate", candidate->label));
    if (applied > 0)
        write_table(section, candidate);
    else
        manuscript_paragraph(section->out, MANUSCRIPT_QUIET, section_get(section, "gates.none"));
    write_unapplied(section, candidate);
}

/* ---- How sure ---- */

/* What the interval of the subject rests on, or why there is none. */
static const char *say_interval(const struct section *section,
                                const struct summary_candidate *candidate)
{
    bool known = !isnan(candidate->throughput_lower) && candidate->interval_unit != NULL;
    const struct sentence_value values[] = {
        {.name = "candidate", .text = candidate->label},
        {.name = "lower", .number = candidate->throughput_lower},
        {.name = "upper", .number = candidate->throughput_upper},
        {.name = "unit", .text = section_word(section, "unit", report_view_unit_of(candidate))},
        {.name = "samples", .number = candidate->interval_samples}};
    if (isnan(candidate->throughput))
        return section_fill(section, "certainty.no_throughput", values, 1);
    if (!known)
        return section_fill(section, "certainty.no_interval", values, 1);
    return section_fill(section,
                        strcmp(candidate->interval_unit, "round") == 0 ? "certainty.rounds"
                                                                       : "certainty.within_run",
                        values, 5);
}

/* The eligible candidate that ranks right behind the first, or NULL. */
static const struct summary_candidate *runner_up(const struct summary_group *group)
{
    for (size_t i = 0; i < group->candidate_count; i++)
        if (group->candidates[group->order[i]].eligible &&
            &group->candidates[group->order[i]] != report_view_selected(group))
            return &group->candidates[group->order[i]];
    return NULL;
}

/* Whether the next in rank is told apart from the selected one. The intervals of the ratio are
 * against the fastest: they say it where the selected one is that, which its own of 1 to 1 tells.
 */
static const char *say_runner_up(const struct section *section)
{
    const struct summary_candidate *selected = report_view_selected(section->group);
    const struct summary_candidate *next = runner_up(section->group);
    if (selected == NULL || selected->ratio_lower != 1 || selected->ratio_upper != 1 ||
        next == NULL || isnan(next->ratio_lower) || isnan(next->ratio_upper))
        return "";
    bool apart = next->ratio_lower > 1 || next->ratio_upper < 1;
    const struct sentence_value values[] = {
        {.name = "candidate", .text = selected->label},
        {.name = "other", .text = next->label},
        {.name = "lower", .text = section_number_beside(section, next->ratio_lower, 1, "ratio")},
        {.name = "upper", .text = section_number_beside(section, next->ratio_upper, 1, "ratio")}};
    return section_fill(section, apart ? "certainty.apart" : "certainty.not_apart", values, 4);
}

static void item(const struct section *section, const char *text)
{
    if (text[0] != '\0')
        manuscript_item(section->out, MANUSCRIPT_PLAIN, text);
}

/* Whether a message is about a candidate, by one of its values. */
static bool is_about(const struct summary_message *note, const struct summary_candidate *candidate)
{
    for (size_t i = 0; i < note->value_count; i++)
        if (note->values[i].text != NULL && strcmp(note->values[i].text, candidate->label) == 0)
            return true;
    return false;
}

static void write_certainty(const struct section *section)
{
    const struct summary_decision *decision = &section->group->decision;
    const struct summary_candidate *subject = section_view_subject(section->group);
    section_heading(section, "certainty", section_get(section, "heading.certainty"));
    item(section, say_interval(section, subject));
    item(section, say_runner_up(section));
    size_t shown = 0;
    size_t others = 0;
    for (size_t i = 0; i < decision->note_count; i++) {
        if (!section_noise_is_doubt(&decision->notes[i]))
            continue;
        if (is_about(&decision->notes[i], subject) && shown++ < DECISION_DOUBTS)
            item(section, section_message(section, &decision->notes[i]));
        else
            others++;
    }
    if (others > 0)
        manuscript_item(section->out, MANUSCRIPT_QUIET,
                        section_fill_count(section, "certainty.more", (double)others));
}

/* ---- The whole ---- */

/* What was run on what: "gpt2_124m, 4 ranks, global batch 128; NVIDIA A10G". In a report of several
 * groups the heading above says it. */
static void write_subject_of_all(const struct section *section)
{
    const struct summary_group *group = section->group;
    if (group == NULL || section->level > 1)
        return;
    const char *label = group->label != NULL ? group->label : "";
    const char *text = section_append(section, label, group->device != NULL ? group->device : "");
    if (text[0] != '\0')
        manuscript_paragraph(section->out, MANUSCRIPT_QUIET, text);
}

void section_decision_write(const struct section *section)
{
    section_title(section, "section.decision", true);
    write_subject_of_all(section);
    section_verdict_below(section);
    if (section->group != NULL && section->group->candidate_count > 0) {
        write_gates(section);
        write_certainty(section);
    }
    section_outlook_below(section);
    if (section->group == NULL)
        section_view_left_out(section);
    if (section->level == 1)
        section_view_sources(section);
}
