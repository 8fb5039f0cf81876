#include <math.h>
#include <string.h>

#include "report_view.h"
#include "sheet_candidates.h"
#include "sheet_decision.h"
#include "text.h"

/* ---- Candidates against the limits ---- */

/* A number, or the word for what was not measured. */
static void number_or_word(struct sheet_decision *page, uint32_t column, double value,
                           enum cell_style style)
{
    if (isnan(value))
        cell_text(page->sheet, page->row, column,
                  texts_get(page->input->texts, "word.not_measured"), CELL_MUTED_RIGHT);
    else
        cell_number(page->sheet, page->row, column, value, style);
}

static void list_gates(struct sheet_decision *page, const struct summary_texts *gates)
{
    text_buffer_clear(&page->buffer);
    for (size_t i = 0; i < gates->count; i++) {
        if (i > 0)
            text_buffer_puts(&page->buffer, texts_get(page->input->texts, "word.list_separator"));
        text_buffer_puts(&page->buffer, texts_word(page->input->texts, "gate", gates->items[i]));
    }
    if (gates->count > 0 && !page->buffer.failed)
        sheet_decision_text(page, 7, page->buffer.text, CELL_WRAP);
}

/* The name leads to the candidate's row on the sheet that has all of it. */
static void write_label(struct sheet_decision *page, const struct summary_group *group,
                        const struct summary_candidate *candidate)
{
    const struct summary *summary = page->input->summary;
    bool selected = candidate == report_view_selected(group);
    size_t place = 0;
    while (&group->candidates[group->order[place]] != candidate)
        place++;
    const struct cell_target target = {
        .sheet = sheet_table_name(page->input, "sheet.candidates"),
        .row = sheet_candidates_row(summary, (size_t)(group - summary->groups), place)};
    sheet_decision_text(page, 0, candidate->label, selected ? CELL_STRONG : CELL_WRAP);
    /* Not every program breaks the lines of a link. */
    if (target.sheet != NULL && page->lines <= 1)
        cell_link_inside(page->sheet, page->row, 0, candidate->label, &target,
                         selected ? CELL_LINK_STRONG : CELL_LINK_WRAP);
}

/* Names for the numbers of the selected candidate, where there is one answer. */
static void name_selected(struct sheet_decision *page)
{
    static const struct {
        uint32_t column;
        const char *name;
    } names[] = {{0, "selected_strategy"},
                 {2, "selected_peak_memory_mib"},
                 {3, "selected_share_of_memory_limit"},
                 {4, "selected_throughput"},
                 {5, "selected_gain"},
                 {6, "selected_exposed_communication"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0] && page->input->summary->group_count == 1;
         i++)
        cell_name(page->sheet, names[i].name, page->row, names[i].column);
}

static void write_candidate(struct sheet_decision *page, const struct summary_group *group,
                            const struct summary_candidate *candidate)
{
    const struct texts *texts = page->input->texts;
    double limit = page->input->summary->policy.memory_limit_mb;
    const char *verdict = report_view_verdict(group, candidate);
    double largest = report_view_largest_throughput(page->input->summary);
    double gain = report_view_gain(group, candidate);
    write_label(page, group, candidate);
    cell_text(page->sheet, page->row, 1, texts_word(texts, "verdict", verdict),
              report_view_verdict_style(verdict));
    number_or_word(page, 2, candidate->peak_memory_mb, CELL_ONE);
    if (limit > 0 && !isnan(candidate->peak_memory_mb))
        cell_number(page->sheet, page->row, 3, candidate->peak_memory_mb / limit, CELL_PERCENT);
    number_or_word(page, 4, candidate->throughput, report_view_style_for(largest));
    if (!isnan(gain))
        cell_number(page->sheet, page->row, 5, gain, CELL_SIGNED_PERCENT);
    number_or_word(page, 6, candidate->communication_ratio, CELL_PERCENT);
    list_gates(page, &candidate->gate_failures);
    if (candidate == report_view_selected(group))
        name_selected(page);
    sheet_decision_end_row(page);
}

/* The limits stand under the columns that they limit. */
static void write_limits(struct sheet_decision *page)
{
    const struct summary_policy *policy = &page->input->summary->policy;
    const struct texts *texts = page->input->texts;
    const struct {
        uint32_t column;
        double value;
        enum cell_style style;
        const char *name;
    } limits[] = {
        {2, policy->memory_limit_mb, CELL_AT_MOST_ONE, "limit_memory_mib"},
        {4, policy->min_throughput,
         policy->min_throughput >= 100 ? CELL_AT_LEAST_WHOLE : CELL_AT_LEAST_TWO,
         "limit_min_throughput"},
        {6, policy->max_communication_ratio, CELL_AT_MOST_PERCENT, "limit_max_communication"},
    };
    cell_text(page->sheet, page->row, 0, texts_get(texts, "heading.limits"), CELL_LABEL);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        if (isnan(limits[i].value))
            cell_text(page->sheet, page->row, limits[i].column, texts_get(texts, "word.no_limit"),
                      CELL_MUTED_RIGHT);
        else
            cell_number(page->sheet, page->row, limits[i].column, limits[i].value, limits[i].style);
        if (page->input->summary->group_count == 1) /* else the limits stand there once a group */
            cell_name(page->sheet, limits[i].name, page->row, limits[i].column);
    }
    page->row++;
}

static void write_candidates(struct sheet_decision *page, const struct summary_group *group)
{
    bool tokens = report_view_group_tokens(group);
    const struct texts *texts = page->input->texts;
    struct text_buffer gain = {0};
    report_view_gain_heading(&gain, texts, group);
    const char *headings[] = {
        texts_get(texts, "column.strategy"),
        texts_get(texts, "column.verdict"),
        texts_get(texts, "column.peak_memory"),
        texts_get(texts, "column.of_limit"),
        texts_get(texts, tokens ? "column.throughput_tokens" : "column.throughput_samples"),
        gain.failed ? NULL : gain.text,
        texts_get(texts, "column.communication_ratio"),
        texts_get(texts, "column.gate_failures")};
    sheet_decision_heading(page, "heading.closest");
    sheet_decision_headings(page, headings, sizeof headings / sizeof headings[0], 0x7C);
    cell_check_buffer(page->sheet, &gain);
    text_buffer_fini(&gain);
    size_t shown =
        group->candidate_count < SHEET_DECISION_ROWS ? group->candidate_count : SHEET_DECISION_ROWS;
    for (size_t i = 0; i < shown; i++)
        write_candidate(page, group, &group->candidates[group->order[i]]);
    write_limits(page);
    if (shown < group->candidate_count)
        sheet_decision_more(page, group->candidate_count - shown, "sheet.candidates");
}

/* ---- Gates that failed or passed with little room ---- */

static bool is_worth_showing(const struct summary_gate *gate)
{
    return gate->failed || strcmp(gate->verdict, "tight") == 0;
}

static void write_gate(struct sheet_decision *page, const struct summary_candidate *candidate,
                       const struct summary_gate *gate)
{
    const struct texts *texts = page->input->texts;
    enum cell_style style = report_view_gate_style(gate);
    text_buffer_clear(&page->buffer);
    text_buffer_printf(&page->buffer, "%s%s%s", candidate->label, texts_get(texts, "word.colon"),
                       texts_word(texts, "gate", gate->name));
    if (!page->buffer.failed)
        sheet_decision_text(page, 0, page->buffer.text, CELL_WRAP);
    cell_text(page->sheet, page->row, 1, texts_word(texts, "verdict", gate->verdict),
              gate->failed ? CELL_FAIL : report_view_verdict_style(gate->verdict));
    cell_number(page->sheet, page->row, 2, gate->value, style);
    cell_number(page->sheet, page->row, 3, gate->limit, style);
    cell_number(page->sheet, page->row, 4, gate->margin, style);
    cell_number(page->sheet, page->row, 5, gate->margin_percent / 100, CELL_SIGNED_PERCENT);
    cell_text(page->sheet, page->row, 6, texts_word(texts, "unit", gate->unit), CELL_TEXT);
    sheet_decision_text(page, 7, report_view_detail(texts, gate), CELL_WRAP);
    sheet_decision_end_row(page);
}

static void write_gates(struct sheet_decision *page, const struct summary_group *group)
{
    static const char *const ids[] = {"column.gate",  "column.verdict", "column.value",
                                      "column.limit", "column.margin",  "column.margin_percent",
                                      "column.unit",  "column.detail"};
    size_t shown = 0;
    size_t left = 0;
    for (size_t i = 0; i < group->candidate_count; i++) {
        const struct summary_candidate *candidate = &group->candidates[group->order[i]];
        for (size_t k = 0; k < candidate->gate_count; k++) {
            if (!is_worth_showing(&candidate->gates[k]))
                continue;
            if (shown == 0) {
                sheet_decision_heading(page, "heading.failed_gates");
                sheet_decision_headings_of(page, ids, sizeof ids / sizeof ids[0], 0x3C);
            }
            if (shown++ < SHEET_DECISION_ROWS)
                write_gate(page, candidate, &candidate->gates[k]);
            else
                left++;
        }
    }
    if (left > 0)
        sheet_decision_more(page, left, "sheet.gates");
}

void sheet_decision_group(struct sheet_decision *page, const struct summary_group *group)
{
    if (group->candidate_count == 0)
        return;
    write_candidates(page, group);
    write_gates(page, group);
    for (size_t i = 0; i < group->warning_count; i++) {
        text_buffer_clear(&page->buffer);
        texts_message(&page->buffer, page->input->texts, &group->warnings[i]);
        if (!page->buffer.failed && page->buffer.length > 0)
            sheet_decision_line(page, page->buffer.text, CELL_MUTED);
    }
}
