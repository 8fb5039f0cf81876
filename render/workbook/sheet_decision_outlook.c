#include <math.h>

#include "report_view.h"
#include "sheet_decision.h"
#include "text.h"

/* ---- Next actions ---- */

static void write_action(struct sheet_decision *page, const struct summary_action *action)
{
    const struct texts *texts = page->input->texts;
    struct sheet *sheet = page->sheet;
    text_buffer_clear(&page->buffer);
    report_view_action(&page->buffer, texts, action);
    cell_text(sheet, page->row, 0, texts_word(texts, "gate", action->gate), CELL_TEXT);
    if (!page->buffer.failed)
        cell_text_across(sheet, page->row, 1, 5, page->buffer.text, CELL_WRAP);
    if (isnan(action->predicted_peak_mb))
        cell_text(sheet, page->row, 6, texts_get(texts, "word.not_known"), CELL_MUTED_RIGHT);
    else
        cell_number(sheet, page->row, 6, action->predicted_peak_mb, CELL_ONE);
    cell_text(sheet, page->row, 7, report_view_action_status(texts, action), CELL_TEXT);
    page->row++;
    if (action->command != NULL) {
        cell_text(sheet, page->row, 0, texts_get(texts, "action.command"), CELL_LABEL);
        cell_text_across(sheet, page->row, 1, SHEET_DECISION_LAST, action->command, CELL_CODE);
        page->row++;
    }
}

static void write_actions(struct sheet_decision *page, const struct summary_decision *decision)
{
    static const char *const ids[] = {
        "action.gate", "action.what",           NULL,           NULL, NULL,
        NULL,          "action.predicted_peak", "action.status"};
    if (decision->action_count == 0)
        return;
    sheet_decision_heading(page, "heading.next_actions");
    sheet_decision_headings_of(page, ids, sizeof ids / sizeof ids[0], 0x40);
    for (size_t i = 0; i < decision->action_count; i++)
        write_action(page, &decision->actions[i]);
}

/* ---- Sensitivity ---- */

static void write_change(struct sheet_decision *page, const struct summary_sensitivity *item,
                         const char *direction, uint32_t column)
{
    const struct texts *texts = page->input->texts;
    const struct summary_change *change = report_view_find_change(item, direction);
    if (change == NULL) {
        sheet_decision_text(page, column, texts_get(texts, "sensitivity.never"), CELL_MUTED);
        return;
    }
    text_buffer_clear(&page->buffer);
    report_view_change(&page->buffer, texts, item, change);
    if (!page->buffer.failed)
        sheet_decision_text(page, column, page->buffer.text, CELL_WRAP);
    text_buffer_clear(&page->buffer);
    report_view_change_answer(&page->buffer, texts, change);
    if (!page->buffer.failed)
        sheet_decision_text(page, column + 1, page->buffer.text, CELL_WRAP);
}

static void write_limit(struct sheet_decision *page, const struct summary_sensitivity *item)
{
    const struct texts *texts = page->input->texts;
    sheet_decision_text(page, 0, texts_word(texts, "limit", item->limit), CELL_WRAP);
    if (isnan(item->current))
        cell_text(page->sheet, page->row, 1, texts_get(texts, "word.no_limit"), CELL_MUTED_RIGHT);
    else
        cell_number(page->sheet, page->row, 1, item->current,
                    report_view_unit_style(item->unit, item->current));
    cell_text(page->sheet, page->row, 2, texts_word(texts, "unit", item->unit), CELL_TEXT);
    write_change(page, item, "down", 3);
    write_change(page, item, "up", 5);
    sheet_decision_end_row(page);
}

/* The limits that change nothing, in one line. */
static void write_other_limits(struct sheet_decision *page, const struct summary_decision *decision)
{
    const struct texts *texts = page->input->texts;
    struct text_buffer names = {0};
    for (size_t i = 0; i < decision->sensitivity_count; i++) {
        if (decision->sensitivity[i].change_count > 0)
            continue;
        if (names.length > 0)
            text_buffer_puts(&names, texts_get(texts, "word.list_separator"));
        text_buffer_puts(&names, texts_word(texts, "limit", decision->sensitivity[i].limit));
    }
    if (names.length > 0) {
        const struct sentence_value value = {.name = "limits", .text = names.text};
        text_buffer_clear(&page->buffer);
        texts_fill(&page->buffer, texts, "sensitivity.others", &value, 1);
        if (!page->buffer.failed)
            sheet_decision_line(page, page->buffer.text, CELL_MUTED);
    }
    cell_check_buffer(page->sheet, &names);
    text_buffer_fini(&names);
}

static void write_sensitivity(struct sheet_decision *page, const struct summary_decision *decision)
{
    static const char *const ids[] = {"sensitivity.limit",        "sensitivity.current",
                                      "sensitivity.unit",         "sensitivity.lower",
                                      "sensitivity.lower_answer", "sensitivity.raise",
                                      "sensitivity.raise_answer"};
    if (decision->sensitivity_count == 0)
        return;
    sheet_decision_heading(page, "heading.sensitivity");
    bool headed = false;
    for (size_t i = 0; i < decision->sensitivity_count; i++) {
        if (decision->sensitivity[i].change_count == 0)
            continue;
        if (!headed)
            sheet_decision_headings_of(page, ids, sizeof ids / sizeof ids[0], 0x2);
        headed = true;
        write_limit(page, &decision->sensitivity[i]);
    }
    write_other_limits(page, decision);
}

/* ---- Notes ---- */

static void write_notes(struct sheet_decision *page, const struct summary_decision *decision)
{
    if (decision->note_count == 0)
        return;
    sheet_decision_heading(page, "heading.notes");
    for (size_t i = 0; i < decision->note_count; i++) {
        text_buffer_clear(&page->buffer);
        texts_message(&page->buffer, page->input->texts, &decision->notes[i]);
        if (!page->buffer.failed && page->buffer.length > 0)
            sheet_decision_line(page, page->buffer.text, CELL_WRAP);
    }
}

void sheet_decision_outlook(struct sheet_decision *page, const struct summary_decision *decision)
{
    write_actions(page, decision);
    write_sensitivity(page, decision);
    write_notes(page, decision);
}
