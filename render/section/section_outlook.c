#include <math.h>

#include "report_view.h"
#include "section_parts.h"
#include "section_text.h"
#include "section_view.h"

/* A page has room for so many; the summary has the rest. */
#define OUTLOOK_ACTIONS 3

/* ---- What would change the answer ---- */

/* "below 15,258.8: accept zero2". */
static void cell_change(const struct section *section, const struct summary_sensitivity *item,
                        const char *direction)
{
    const struct summary_change *change = report_view_find_change(item, direction);
    if (change == NULL) {
        manuscript_cell(section->out, MANUSCRIPT_QUIET, section_get(section, "sensitivity.never"));
        return;
    }
    struct text_buffer text = {0};
    report_view_change(&text, section->texts, item, change);
    text_buffer_puts(&text, section_get(section, "word.colon"));
    report_view_change_answer(&text, section->texts, change);
    section_cell(section, section_take(section, &text));
}

static void write_limit(const struct section *section, const struct summary_sensitivity *item)
{
    section_cell(section, section_word(section, "limit", item->limit));
    if (isnan(item->current))
        manuscript_cell(section->out, MANUSCRIPT_QUIET, section_get(section, "word.no_limit"));
    else
        section_cell(section, section_quantity(section, item->current, item->unit));
    cell_change(section, item, "down");
    cell_change(section, item, "up");
}

static void write_unmoved(const struct section *section, const struct summary_decision *decision)
{
    struct text_buffer names = {0};
    for (size_t i = 0; i < decision->sensitivity_count; i++) {
        if (decision->sensitivity[i].change_count > 0)
            continue;
        section_list(section, &names,
                     section_word(section, "limit", decision->sensitivity[i].limit));
    }
    const char *limits = section_take(section, &names);
    if (limits[0] != '\0')
        manuscript_paragraph(section->out, MANUSCRIPT_QUIET,
                             section_fill1(section, "sensitivity.others", "limits", limits));
}

static void write_sensitivity(const struct section *section,
                              const struct summary_decision *decision)
{
    const struct manuscript_column columns[] = {
        {.heading = section_get(section, "sensitivity.limit")},
        {.heading = section_get(section, "sensitivity.current"), .number = true},
        {.heading = section_get(section, "sensitivity.lower")},
        {.heading = section_get(section, "sensitivity.raise")}};
    if (decision->sensitivity_count == 0)
        return;
    section_heading(section, "sensitivity", section_get(section, "heading.sensitivity"));
    bool headed = false;
    for (size_t i = 0; i < decision->sensitivity_count; i++) {
        if (decision->sensitivity[i].change_count == 0)
            continue;
        if (!headed)
            manuscript_table(section->out, columns, sizeof columns / sizeof columns[0]);
        headed = true;
        write_limit(section, &decision->sensitivity[i]);
    }
    write_unmoved(section, decision);
}

/* ---- Next actions ---- */

static void write_action(const struct section *section, const struct summary_action *action)
{
    struct text_buffer text = {0};
    report_view_action(&text, section->texts, action);
    const char *what = section_take(section, &text);
    const char *status = report_view_action_status(section->texts, action);
    const struct sentence_value values[] = {{.name = "action", .text = what},
                                            {.name = "status", .text = status}};
    manuscript_item(section->out, MANUSCRIPT_PLAIN,
                    status[0] == '\0' ? what : section_fill(section, "outlook.action", values, 2));
    if (action->command != NULL)
        manuscript_command(section->out, action->command);
}

static void write_actions(const struct section *section, const struct summary_decision *decision)
{
    bool accepted = section_answer_tone(decision->decision) == MANUSCRIPT_GOOD;
    section_heading(section, "actions", section_get(section, "heading.next_actions"));
    for (size_t i = 0; i < decision->action_count && i < OUTLOOK_ACTIONS; i++)
        write_action(section, &decision->actions[i]);
    if (decision->action_count > OUTLOOK_ACTIONS)
        manuscript_item(section->out, MANUSCRIPT_QUIET,
                        section_fill_count(section, "outlook.more_actions",
                                           (double)(decision->action_count - OUTLOOK_ACTIONS)));
    for (size_t i = 0; i < decision->note_count; i++) /* how far predictions can be relied on */
        if (section_view_is(&decision->notes[i], "note.predicted_"))
            manuscript_paragraph(section->out, MANUSCRIPT_QUIET,
                                 section_message(section, &decision->notes[i]));
    if (decision->action_count == 0)
        manuscript_paragraph(
            section->out, MANUSCRIPT_PLAIN,
            section_get(section, accepted ? "outlook.nothing_to_do" : "outlook.no_actions"));
}

void section_outlook_below(const struct section *section)
{
    const struct summary_decision *decision =
        section->group != NULL ? &section->group->decision : &section->summary->decision;
    write_sensitivity(section, decision);
    write_actions(section, decision);
}

void section_outlook_write(const struct section *section)
{
    struct section above = *section;
    above.level--;
    section_outlook_below(&above);
}
