#include "markdown.h"

#include <math.h>
#include <string.h>

#include "chart_table.h"
#include "report_view.h"
#include "text.h"

/* Rows that a pull request has room for. */
#define MAX_CANDIDATES 40
#define MAX_GATES 20
#define MAX_LEFT_OUT 10
#define MAX_NOTES 10

struct markdown {
    struct text_buffer *out;
    const struct report_input *input;
    const struct texts *texts;
    const char *mark; /* of headings: deeper inside a group */
};

void markdown_escape(struct text_buffer *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '@') /* a mention survives a backslash */
            text_buffer_puts(out, "`@`");
        else if (strchr("\\`*_{}[]<>#|~!&$", *c) != NULL || (*c == ':' && c[1] == '/'))
            text_buffer_printf(out, "\\%c", *c);
        else if (*c == '.' && c - text >= 3 && strncmp(c - 3, "www", 3) == 0)
            text_buffer_puts(out, "\\.");
        else
            text_buffer_append(out, c, 1);
    }
}

/* The longest run of backticks. */
static size_t longest_fence(const char *text)
{
    size_t longest = 0;
    for (const char *c = text; *c != '\0';) {
        size_t run = strspn(c, "`");
        longest = run > longest ? run : longest;
        c += run > 0 ? run : 1;
    }
    return longest;
}

void markdown_code(struct text_buffer *out, const char *text)
{
    size_t fence = longest_fence(text) + 1;
    bool pad = text[0] == '`' || text[0] == '\0' || text[strlen(text) - 1] == '`';
    text_buffer_fill(out, '`', fence);
    if (pad)
        text_buffer_puts(out, " ");
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '|') /* a table splits at it even here */
            text_buffer_puts(out, "\\|");
        else
            text_buffer_append(out, c, 1);
    }
    if (pad)
        text_buffer_puts(out, " ");
    text_buffer_fill(out, '`', fence);
}

static const char *get(const struct markdown *page, const char *id)
{
    return texts_get(page->texts, id);
}

/* What `append` writes into a buffer, escaped. */
static void flush(const struct markdown *page, struct text_buffer *text)
{
    page->out->failed |= text->failed;
    if (!text->failed && text->length > 0)
        markdown_escape(page->out, text->text);
    text_buffer_clear(text);
}

static void heading(const struct markdown *page, const char *id)
{
    text_buffer_printf(page->out, "\n%s %s\n\n", page->mark, get(page, id));
}

static void number_cell(const struct markdown *page, double value, const char *unit)
{
    struct text_buffer text = {0};
    text_buffer_puts(page->out, " ");
    if (isnan(value))
        text_buffer_printf(page->out, "*%s*", get(page, "word.not_measured"));
    else
        report_view_number(&text, page->texts, value, unit);
    flush(page, &text);
    text_buffer_puts(page->out, " |");
    text_buffer_fini(&text);
}

static void gate_list(const struct markdown *page, const struct summary_texts *gates)
{
    for (size_t i = 0; i < gates->count; i++) {
        text_buffer_puts(page->out, i > 0 ? get(page, "word.list_separator") : "");
        markdown_escape(page->out, texts_word(page->texts, "gate", gates->items[i]));
    }
}

/* ---- Parts ---- */

static void write_candidate(const struct markdown *page, const struct summary_group *group,
                            const struct summary_candidate *candidate)
{
    double gain = report_view_gain(group, candidate);
    bool selected = candidate == report_view_selected(group);
    text_buffer_puts(page->out, selected ? "| **" : "| ");
    markdown_code(page->out, candidate->label);
    text_buffer_printf(page->out, "%s | %s |", selected ? "**" : "",
                       texts_word(page->texts, "verdict", report_view_verdict(group, candidate)));
    number_cell(page, candidate->peak_memory_mb, "MiB");
    number_cell(page, candidate->throughput, candidate->throughput_unit);
    if (isnan(gain))
        text_buffer_puts(page->out, " |");
    else
        text_buffer_printf(page->out, " %+.1f %% |", 100 * gain);
    number_cell(page, candidate->communication_ratio, "ratio");
    text_buffer_puts(page->out, " ");
    gate_list(page, &candidate->gate_failures);
    text_buffer_puts(page->out, " |\n");
}

static void write_limits(const struct markdown *page)
{
    const struct summary_policy *policy = &page->input->summary->policy;
    const struct {
        double value;
        const char *unit, *sign;
    } limits[] = {{policy->memory_limit_mb, "MiB", "≤"},
                  {policy->min_throughput, NULL, "≥"},
                  {policy->max_communication_ratio, "ratio", "≤"}};
    text_buffer_printf(page->out, "| *%s* | |", get(page, "heading.limits"));
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct text_buffer text = {0};
        if (i == 2)
            text_buffer_puts(page->out, " |");
        if (isnan(limits[i].value)) {
            text_buffer_printf(page->out, " *%s* |", get(page, "word.no_limit"));
        } else {
            report_view_number(&text, page->texts, limits[i].value, limits[i].unit);
            text_buffer_printf(page->out, " *%s %s* |", limits[i].sign,
                               text.failed ? "" : text.text);
        }
        page->out->failed |= text.failed;
        text_buffer_fini(&text);
    }
    text_buffer_puts(page->out, " |\n");
}

static void write_table(const struct markdown *page, const struct summary_group *group)
{
    if (group->candidate_count == 0)
        return;
    bool tokens = true;
    for (size_t i = 0; i < group->candidate_count; i++)
        if (group->candidates[i].throughput_unit != NULL)
            tokens = report_view_is_tokens(group->candidates[i].throughput_unit);
    struct text_buffer gain = {0};
    report_view_gain_heading(&gain, page->texts, group);
    text_buffer_printf(
        page->out, "\n| %s | %s | %s | %s | ", get(page, "column.strategy"),
        get(page, "column.verdict"), get(page, "column.peak_memory"),
        get(page, tokens ? "column.throughput_tokens" : "column.throughput_samples"));
    flush(page, &gain); /* it names the baseline, which may be any text */
    text_buffer_fini(&gain);
    text_buffer_printf(page->out, " | %s | %s |\n", get(page, "column.communication_ratio"),
                       get(page, "column.gate_failures"));
    text_buffer_puts(page->out, "|---|---|--:|--:|--:|--:|---|\n");
    for (size_t i = 0; i < group->candidate_count && i < MAX_CANDIDATES; i++)
        write_candidate(page, group, &group->candidates[group->order[i]]);
    write_limits(page);
}

static void write_gate(const struct markdown *page, const struct summary_candidate *candidate,
                       const struct summary_gate *gate)
{
    struct text_buffer text = {0};
    text_buffer_puts(page->out, "- ");
    markdown_code(page->out, candidate->label);
    text_buffer_puts(page->out, get(page, "word.colon"));
    markdown_escape(page->out, texts_word(page->texts, "gate", gate->name));
    text_buffer_printf(page->out, "%s%s", get(page, "word.list_separator"),
                       texts_word(page->texts, "verdict", gate->verdict));
    const char *detail = report_view_detail(page->texts, gate);
    if (detail[0] != '\0')
        text_buffer_puts(&text, detail);
    else if (!isnan(gate->margin))
        report_view_margin(&text, page->texts, gate);
    if (text.length > 0)
        text_buffer_puts(page->out, get(page, "word.colon"));
    flush(page, &text);
    text_buffer_puts(page->out, "\n");
    text_buffer_fini(&text);
}

static void write_gates(const struct markdown *page, const struct summary_group *group)
{
    size_t shown = 0;
    for (size_t i = 0; i < group->candidate_count; i++) {
        const struct summary_candidate *candidate = &group->candidates[group->order[i]];
        for (size_t k = 0; k < candidate->gate_count; k++) {
            const struct summary_gate *gate = &candidate->gates[k];
            if (!gate->failed && strcmp(gate->verdict, "tight") != 0)
                continue;
            if (shown == 0)
                heading(page, "heading.failed_gates");
            if (shown++ < MAX_GATES)
                write_gate(page, candidate, gate);
        }
    }
    if (shown > MAX_GATES)
        report_view_more(page->out, page->texts, shown - MAX_GATES, "sheet.gates");
}

static void write_actions(const struct markdown *page, const struct summary_decision *decision)
{
    if (decision->action_count == 0)
        return;
    heading(page, "heading.next_actions");
    for (size_t i = 0; i < decision->action_count; i++) {
        const struct summary_action *action = &decision->actions[i];
        struct text_buffer text = {0};
        text_buffer_printf(page->out, "%zu. ", i + 1);
        report_view_action(&text, page->texts, action);
        flush(page, &text);
        const char *status = report_view_action_status(page->texts, action);
        if (status[0] != '\0') {
            text_buffer_puts(&text, " (");
            text_buffer_puts(&text, status);
            text_buffer_puts(&text, ")");
            flush(page, &text);
        }
        text_buffer_puts(page->out, "\n");
        if (action->command != NULL) {
            text_buffer_puts(page->out, "   ");
            markdown_code(page->out, action->command);
            text_buffer_puts(page->out, "\n");
        }
        text_buffer_fini(&text);
    }
}

static void write_messages(const struct markdown *page, const char *heading_id,
                           const struct summary_message *messages, size_t count)
{
    if (count == 0)
        return;
    heading(page, heading_id);
    for (size_t i = 0; i < count && i < MAX_NOTES; i++) {
        struct text_buffer text = {0};
        texts_message(&text, page->texts, &messages[i]);
        text_buffer_puts(page->out, "- ");
        flush(page, &text);
        text_buffer_puts(page->out, "\n");
        text_buffer_fini(&text);
    }
    if (count > MAX_NOTES) {
        text_buffer_puts(page->out, "- ");
        report_view_more(page->out, page->texts, count - MAX_NOTES, "sheet.decision");
        text_buffer_puts(page->out, "\n");
    }
}

static void write_left_out(const struct markdown *page)
{
    const struct summary *summary = page->input->summary;
    if (summary->rejected_count == 0)
        return;
    heading(page, "heading.left_out");
    for (size_t i = 0; i < summary->rejected_count && i < MAX_LEFT_OUT; i++) {
        struct text_buffer text = {0};
        report_view_left_out(&text, page->texts, &summary->rejected[i]);
        text_buffer_puts(page->out, "- ");
        flush(page, &text);
        text_buffer_puts(page->out, "\n");
        text_buffer_fini(&text);
    }
    if (summary->rejected_count > MAX_LEFT_OUT)
        report_view_more(page->out, page->texts, summary->rejected_count - MAX_LEFT_OUT,
                         "sheet.invalid_sources");
}

static void write_charts(const struct markdown *page)
{
    const struct report_input *input = page->input;
    size_t count;
    const struct chart_row *charts = chart_table(&count);
    const char *suffix = (input->formats & REPORT_PNG)   ? "png"
                         : (input->formats & REPORT_SVG) ? "svg"
                                                         : NULL;
    if (suffix == NULL || input->summary->group_count == 0)
        return;
    heading(page, "heading.charts");
    for (size_t group = 0; group < input->summary->group_count; group++)
        for (size_t i = 0; i < count; i++) {
            text_buffer_printf(page->out, "![%s](", get(page, charts[i].title_id));
            report_chart_name(page->out, input->summary, charts[i].name, group, suffix);
            text_buffer_puts(page->out, ")\n");
        }
}

static void write_decision(const struct markdown *page, const struct summary_decision *decision,
                           const char *mark)
{
    struct text_buffer text = {0};
    text_buffer_puts(page->out, mark);
    report_view_title(&text, page->texts, decision);
    flush(page, &text);
    text_buffer_puts(page->out, "\n\n");
    texts_message(&text, page->texts, &decision->reason);
    flush(page, &text);
    text_buffer_puts(page->out, "\n");
    text_buffer_fini(&text);
}

static void write_groups(const struct markdown *page)
{
    const struct summary *summary = page->input->summary;
    struct markdown inner = *page;
    inner.mark = summary->group_count > 1 ? "####" : page->mark;
    for (size_t i = 0; i < summary->group_count; i++) {
        const struct summary_group *group = &summary->groups[i];
        if (summary->group_count > 1) {
            text_buffer_puts(page->out, "\n### ");
            markdown_escape(page->out, group->label);
            text_buffer_puts(page->out, "\n\n");
            write_decision(page, &group->decision, "");
        }
        write_table(page, group);
        write_gates(&inner, group);
        if (summary->group_count > 1)
            write_actions(&inner, &group->decision);
    }
}

void markdown_write(struct text_buffer *out, const struct report_input *input)
{
    const struct markdown page = {out, input, input->texts, "###"};
    const struct summary *summary = input->summary;
    write_decision(&page, &summary->decision, "## ");
    write_groups(&page);
    write_actions(&page, &summary->decision);
    write_messages(&page, "heading.notes", summary->decision.notes, summary->decision.note_count);
    write_left_out(&page);
    write_charts(&page);
}
