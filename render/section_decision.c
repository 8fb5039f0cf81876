#include <math.h>
#include <string.h>

#include "report_view.h"
#include "section_parts.h"
#include "section_text.h"
#include "section_view.h"

/* The first page holds so many lines of each kind; the rest is said elsewhere and counted here. */
#define DECISION_DOUBTS 3

/* ---- Gates ---- */

static void write_gate(const struct section *section, const struct summary_gate *gate)
{
    const char *detail = report_view_detail(section->texts, gate);
    const char *margin = section_view_margin(section, gate);
    section_cell(section, section_word(section, "gate", gate->name));
    manuscript_cell(section->out, section_verdict_tone(gate->verdict),
                    section_word(section, "verdict", gate->verdict));
    if (isnan(gate->value))
        section_cell(section, "");
    else
        section_cell(section, section_quantity(section, gate->value, gate->unit));
    if (isnan(gate->limit))
        section_cell(section, "");
    else
        section_cell(section, section_quantity(section, gate->limit, gate->unit));
    section_cell(section, margin[0] != '\0' && detail[0] == '\0' ? margin : detail);
}

static void write_gates(const struct section *section)
{
    const struct summary_candidate *candidate = section_view_subject(section->group);
    const struct manuscript_column columns[] = {
        {.heading = section_get(section, "column.gate")},
        {.heading = section_get(section, "column.verdict")},
        {.heading = section_get(section, "column.measured"), .number = true},
        {.heading = section_get(section, "column.limit"), .number = true},
        {.heading = section_get(section, "column.margin")}};
    section_heading(section, "gates",
                    section_fill1(section, "heading.gates_of", "candidate", candidate->label));
    manuscript_table(section->out, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < candidate->gate_count; i++)
        write_gate(section, &candidate->gates[i]);
}

/* ---- How sure ---- */

static bool is_doubt(const struct summary_message *note)
{
    return section_view_is(note, "tie.") || section_view_is(note, "note.step_variation") ||
           section_view_is(note, "note.injected");
}

static void write_doubts(const struct section *section)
{
    const struct summary_decision *decision = &section->group->decision;
    size_t count = 0;
    for (size_t i = 0; i < decision->note_count; i++) {
        if (!is_doubt(&decision->notes[i]))
            continue;
        if (count == 0)
            section_heading(section, "certainty", section_get(section, "heading.certainty"));
        if (count++ < DECISION_DOUBTS)
            manuscript_item(section->out, MANUSCRIPT_PLAIN,
                            section_message(section, &decision->notes[i]));
    }
    if (count > DECISION_DOUBTS) {
        const struct sentence_value value = {.name = "count",
                                             .number = (double)(count - DECISION_DOUBTS)};
        manuscript_item(section->out, MANUSCRIPT_QUIET,
                        section_fill(section, "certainty.more", &value, 1));
    }
}

/* ---- The whole ---- */

void section_decision_write(const struct section *section)
{
    section_title(section, "section.decision", true);
    section_verdict_write(section);
    if (section->group != NULL && section->group->candidate_count > 0) {
        write_gates(section);
        write_doubts(section);
    }
    section_outlook_below(section);
    if (section->level == 1)
        section_view_sources(section);
}
