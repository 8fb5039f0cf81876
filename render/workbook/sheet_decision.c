#include "sheet_decision.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report_view.h"
#include "text.h"

void sheet_decision_line(struct sheet_decision *page, const char *text, enum cell_style style)
{
    cell_text_across(page->sheet, page->row++, 0, SHEET_DECISION_LAST, text, style);
}

void sheet_decision_heading(struct sheet_decision *page, const char *id)
{
    page->row++;
    sheet_decision_line(page, texts_get(page->input->texts, id), CELL_HEADING);
}

/* Of a column, in characters. */
static double width_of(size_t column)
{
    static const double widths[SHEET_DECISION_LAST + 1] = {34, 16, 15, 15, 16, 17, 17, 40};
    return widths[column];
}

void sheet_decision_text(struct sheet_decision *page, uint32_t column, const char *text,
                         enum cell_style style)
{
    unsigned lines = text != NULL ? cell_lines(text, width_of(column) - 1) : 1;
    page->lines = lines > page->lines ? lines : page->lines;
    cell_text(page->sheet, page->row, column, text, style);
}

void sheet_decision_end_row(struct sheet_decision *page)
{
    if (page->lines > 1)
        cell_row_lines(page->sheet, page->row, page->lines);
    page->lines = 1;
    page->row++;
}

void sheet_decision_headings(struct sheet_decision *page, const char *const *headings, size_t count,
                             unsigned numbers)
{
    for (size_t i = 0; i < count; i++)
        sheet_decision_text(page, (uint32_t)i, headings[i] != NULL ? headings[i] : "",
                            (numbers >> i & 1) != 0 ? CELL_HEADER_RIGHT : CELL_HEADER);
    sheet_decision_end_row(page);
}

void sheet_decision_headings_of(struct sheet_decision *page, const char *const *ids, size_t count,
                                unsigned numbers)
{
    const char *headings[SHEET_DECISION_LAST + 1] = {NULL};
    for (size_t i = 0; i < count; i++)
        headings[i] = ids[i] != NULL ? texts_get(page->input->texts, ids[i]) : NULL;
    sheet_decision_headings(page, headings, count, numbers);
}

void sheet_decision_more(struct sheet_decision *page, size_t count, const char *sheet_id)
{
    text_buffer_clear(&page->buffer);
    report_view_more(&page->buffer, page->input->texts, count, sheet_id);
    if (!page->buffer.failed)
        sheet_decision_line(page, page->buffer.text, CELL_MUTED);
}

static void write_title(struct sheet_decision *page, const struct summary_decision *decision)
{
    enum cell_style style = strcmp(decision->decision, "accept") == 0 ? CELL_TITLE_ACCEPT
                            : strcmp(decision->decision, "tune") == 0 ? CELL_TITLE_TUNE
                                                                      : CELL_TITLE_REJECT;
    text_buffer_clear(&page->buffer);
    report_view_title(&page->buffer, page->input->texts, decision);
    if (!page->buffer.failed)
        sheet_decision_line(page, page->buffer.text, style);
    text_buffer_clear(&page->buffer);
    texts_message(&page->buffer, page->input->texts, &decision->reason);
    if (!page->buffer.failed && page->buffer.length > 0)
        sheet_decision_line(page, page->buffer.text, CELL_REASON);
}

/* Facts stand two in a row: label and value at the left, label and value at the right. */
static void fact_text(struct sheet_decision *page, const char *id, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    uint32_t first = page->second_fact ? 4 : 0;
    cell_text(page->sheet, page->row, first, texts_get(page->input->texts, id), CELL_LABEL);
    cell_text_across(page->sheet, page->row, first + 1, first + 3, text, CELL_WRAP);
    page->row += page->second_fact ? 1 : 0;
    page->second_fact = !page->second_fact;
}

static void fact_number(struct sheet_decision *page, const char *id, double value)
{
    char number[64];
    if (!isnan(value))
        fact_text(page, id, text_number(number, sizeof number, value, 15));
}

/* What was measured, and on what. */
static void write_evidence(struct sheet_decision *page)
{
    const struct summary *summary = page->input->summary;
    const struct texts *texts = page->input->texts;
    sheet_decision_heading(page, "heading.evidence");
    if (summary->group_count == 1) {
        const struct summary_group *group = &summary->groups[0];
        fact_text(page, "field.model", group->model);
        fact_number(page, "field.parameters", group->parameters);
        fact_text(page, "field.dtype", group->dtype);
        fact_number(page, "field.world_size", group->world_size);
        fact_number(page, "field.global_batch", group->global_batch);
        fact_number(page, "field.seq_len", group->seq_len);
        fact_text(page, "field.device", group->device);
    }
    fact_text(page, "field.evidence_level",
              texts_word(texts, "level", summary->weakest_source_level));
    fact_text(page, "field.rule", texts_word(texts, "rule", summary->decision.rule));
    fact_number(page, "field.sources", (double)summary->source_count);
    fact_number(page, "field.rejected", (double)summary->rejected_count);
    text_buffer_clear(&page->buffer);
    text_buffer_printf(&page->buffer, "rankledger %s",
                       summary->program_version != NULL ? summary->program_version : "");
    if (!page->buffer.failed)
        fact_text(page, "field.version", page->buffer.text);
    page->row += page->second_fact ? 1 : 0;
}

static void write_left_out(struct sheet_decision *page)
{
    const struct summary *summary = page->input->summary;
    if (summary->rejected_count == 0)
        return;
    sheet_decision_heading(page, "heading.left_out");
    size_t shown = summary->rejected_count < SHEET_DECISION_ROWS ? summary->rejected_count
                                                                 : SHEET_DECISION_ROWS;
    for (size_t i = 0; i < shown; i++) {
        text_buffer_clear(&page->buffer);
        report_view_left_out(&page->buffer, page->input->texts, &summary->rejected[i]);
        if (!page->buffer.failed)
            sheet_decision_line(page, page->buffer.text, CELL_WRAP);
    }
    if (shown < summary->rejected_count)
        sheet_decision_more(page, summary->rejected_count - shown, "sheet.invalid_sources");
}

static void write_groups(struct sheet_decision *page)
{
    const struct summary *summary = page->input->summary;
    for (size_t i = 0; i < summary->group_count; i++) {
        const struct summary_group *group = &summary->groups[i];
        page->row++;
        sheet_decision_line(page, group->label, CELL_HEADING);
        write_title(page, &group->decision);
        sheet_decision_group(page, group);
        sheet_decision_outlook(page, &group->decision);
    }
}

/* Where the other sheets are, as many in a row as there are columns. */
static void write_contents(struct sheet_decision *page)
{
    const struct sheet_input *input = page->input;
    uint32_t column = 0;
    if (input->sheet_count < 2)
        return;
    sheet_decision_heading(page, "heading.contents");
    for (size_t i = 0; i < input->sheet_count; i++) {
        const char *name = texts_get(input->texts, input->sheets[i]->title_id);
        const struct cell_target target = {.sheet = name};
        if (input->sheets[i]->write == sheet_decision_write)
            continue;
        cell_link_inside(page->sheet, page->row, column++, name, &target, CELL_LINK);
        if (column <= SHEET_DECISION_LAST)
            continue;
        column = 0;
        page->row++;
    }
    page->row += column > 0 ? 1 : 0;
}

/* Names by which other workbooks and formulas find the answer. */
static void name_answer(struct sheet_decision *page)
{
    cell_name(page->sheet, "decision", 0, 0);
    cell_name(page->sheet, "decision_reason", 1, 0);
}

void sheet_decision_write(const struct sheet_input *input, struct sheet *sheet)
{
    struct sheet_decision page = {.input = input, .sheet = sheet};
    for (uint32_t i = 0; i <= SHEET_DECISION_LAST; i++)
        cell_column_width(sheet, i, width_of(i));
    write_title(&page, &input->summary->decision);
    name_answer(&page);
    write_contents(&page);
    if (input->summary->group_count == 1)
        sheet_decision_group(&page, &input->summary->groups[0]);
    sheet_decision_outlook(&page, &input->summary->decision);
    if (input->summary->group_count > 1)
        write_groups(&page);
    write_left_out(&page);
    write_evidence(&page);
    cell_freeze(sheet, 1, 0);
    cell_print_setup(sheet, -1, 0);
    cell_check_buffer(sheet, &page.buffer);
    text_buffer_fini(&page.buffer);
}
