#include "sheet_what_if.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_view.h"

/* The formulas of ranks take time by the square of the candidates: beyond so many a spreadsheet
 * would stand still after every change. */
#define MAX_CANDIDATES ((size_t)2000)
/* The texts above the table go over so many of its columns. */
#define LAST_COLUMN 10u
#define REMARK_COLUMN 4u
/* Columns of a result. */
enum {
    RESULT_LABEL,
    RESULT_DECISION,
    RESULT_LINE,
    RESULT_PEAK = 4,
    RESULT_OF_LIMIT,
    RESULT_THROUGHPUT,
    RESULT_GAIN,
    RESULT_SUMMARY_LABEL,
    RESULT_SUMMARY_DECISION
};

static void line(struct sheet_what_if *page, const char *text, enum cell_style style)
{
    cell_text_across(page->sheet, page->row++, 0, LAST_COLUMN, text, style);
}

static void line_of(struct sheet_what_if *page, const char *id, enum cell_style style)
{
    line(page, texts_get(page->texts, id), style);
}

/* ---- Limits ---- */

struct limit_row {
    const char *name;     /* of the input cell */
    const char *label_id; /* what it limits */
    const char *remark_id;
    double value;
    const char *unit;
    double largest; /* that a reader may type */
    enum cell_style style;
};

static void write_limit(struct sheet_what_if *page, const struct limit_row *row)
{
    const char *label = texts_get(page->texts, row->label_id);
    const char *remark = texts_get(page->texts, row->remark_id);
    const struct cell_input input = {.smallest = 0,
                                     .largest = row->largest,
                                     .title = label,
                                     .message = texts_get(page->texts, "what_if.input"),
                                     .refusal = texts_get(page->texts, "what_if.refusal")};
    bool percent = row->style == CELL_INPUT_PERCENT;
    cell_text_across(page->sheet, page->row, REMARK_COLUMN, LAST_COLUMN, remark, CELL_MUTED);
    cell_text(page->sheet, page->row, 0, label, CELL_TEXT);
    cell_input(page->sheet, page->row, 1, row->value, &input, row->style);
    cell_name(page->sheet, row->name, page->row, 1);
    cell_text(page->sheet, page->row, 2, row->unit, CELL_TEXT);
    if (isnan(row->value))
        cell_text(page->sheet, page->row, 3, texts_get(page->texts, "word.no_limit"),
                  CELL_MUTED_RIGHT);
    else
        cell_number(page->sheet, page->row, 3, row->value, percent ? CELL_PERCENT : CELL_TWO);
    page->row++;
}

static void write_limits(struct sheet_what_if *page)
{
    const struct what_if_limits *limits = &page->limits;
    const char *share = texts_word(page->texts, "unit", "ratio");
    const struct limit_row rows[] = {
        {"what_if_memory_limit", "limit.memory_limit_mb", "what_if.memory_limit", limits->memory_mb,
         texts_word(page->texts, "unit", "MiB"), 1e15, CELL_INPUT_ONE},
        {"what_if_tight_share", "limit.tight_memory_fraction", "what_if.tight_share",
         limits->tight_fraction, share, 1, CELL_INPUT_PERCENT},
        {"what_if_min_throughput", "limit.min_throughput", "what_if.min_throughput",
         limits->throughput,
         texts_word(page->texts, "unit", limits->tokens ? "tokens/s" : "samples/s"), 1e15,
         CELL_INPUT_TWO},
        {"what_if_max_communication", "limit.max_communication_ratio", "what_if.max_communication",
         limits->communication, share, 1, CELL_INPUT_PERCENT},
        {"what_if_min_gain", "limit.min_gain", "what_if.min_gain", limits->gain, share, 1000,
         CELL_INPUT_PERCENT},
        {"what_if_max_memory_share", "limit.max_memory_fraction", "what_if.max_memory_share",
         limits->memory_fraction, share, 1, CELL_INPUT_PERCENT}};
    static const char *const headings[] = {"sensitivity.limit", "what_if.value", "sensitivity.unit",
                                           "what_if.in_summary", "what_if.effect"};
    for (uint32_t i = 0; i <= LAST_COLUMN; i++)
        cell_text(page->sheet, page->row, i, i < 5 ? texts_get(page->texts, headings[i]) : "",
                  i == 1 || i == 3 ? CELL_HEADER_RIGHT : CELL_HEADER);
    cell_row_lines(page->sheet, page->row++, 2);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        write_limit(page, &rows[i]);
}

/* ---- What they come to ---- */

static const char *decision_text(const struct sheet_what_if *page, enum what_if_decision decision)
{
    static const char *const ids[] = {[WHAT_IF_NONE] = "what_if.none_passes",
                                      [WHAT_IF_ACCEPT] = "decision.accept",
                                      [WHAT_IF_TUNE] = "decision.tune",
                                      [WHAT_IF_REJECT] = "decision.reject",
                                      [WHAT_IF_FIXED] = "what_if.fixed"};
    return texts_get(page->texts, ids[decision]);
}

/* The line of the table that the selected candidate of a group has; 0: none. */
static void write_place(struct sheet_what_if *page, size_t group)
{
    const struct what_if_result *result = &page->results[group];
    struct text_buffer pattern = {0};
    text_buffer_printf(&pattern, "SUMPRODUCT(({group:}=%zu)*({rank:}=1)*(ROW({rank:})-%u))",
                       group + 1, (unsigned)page->first);
    const char *formula =
        pattern.failed ? NULL : sheet_what_if_formula(page, page->row, pattern.text);
    if (formula != NULL)
        cell_formula_number(
            page->sheet, page->row, RESULT_LINE, formula,
            result->selected != NULL ? (double)(result->selected - page->rows) + 1 : 0, CELL_WHOLE);
    cell_check_buffer(page->sheet, &pattern);
    text_buffer_fini(&pattern);
}

static void write_number(struct sheet_what_if *page, uint32_t column, const char *pattern,
                         double value, enum cell_style style)
{
    const char *formula = sheet_what_if_formula(page, page->row, pattern);
    if (formula != NULL)
        cell_formula_number(page->sheet, page->row, column, formula, value, style);
}

static void write_text(struct sheet_what_if *page, uint32_t column, const char *pattern,
                       const char *value, enum cell_style style)
{
    const char *formula = sheet_what_if_formula(page, page->row, pattern);
    if (formula != NULL)
        cell_formula_text(page->sheet, page->row, column, formula, value, style);
}

static void write_selected(struct sheet_what_if *page, const struct what_if_result *result)
{
    const struct what_if_row *row = result->selected;
    const struct summary_candidate *candidate = row != NULL ? row->candidate : NULL;
    double nothing = (double)NAN;
    double peak = candidate != NULL ? candidate->peak_memory_mb : nothing;
    double limit = page->limits.memory_mb;
    write_text(page, RESULT_LABEL, "IF({rank}=0,[word.none],{label#})",
               candidate != NULL ? candidate->label : texts_get(page->texts, "word.none"),
               CELL_STRONG);
    write_number(page, RESULT_PEAK, "IF({rank}=0,\"\",{peak#})", peak, CELL_ONE);
    write_number(page, RESULT_OF_LIMIT,
                 "IF({rank}=0,\"\",IF(AND(ISNUMBER({peak#}),N(what_if_memory_limit)>0),"
                 "{peak#}/what_if_memory_limit,\"\"))",
                 limit > 0 ? peak / limit : nothing, CELL_PERCENT);
    write_number(page, RESULT_THROUGHPUT, "IF({rank}=0,\"\",{throughput#})",
                 candidate != NULL ? candidate->throughput : nothing,
                 report_view_style_for(report_view_largest_throughput(page->input->summary)));
    write_number(page, RESULT_GAIN, "IF({rank}=0,\"\",{gain#})", row != NULL ? row->gain : nothing,
                 CELL_SIGNED_PERCENT);
}

static void write_decision(struct sheet_what_if *page, const struct what_if_result *result)
{
    const char *text = decision_text(page, result->decision);
    if (result->decision == WHAT_IF_FIXED)
        cell_text(page->sheet, page->row, RESULT_DECISION, text, CELL_TEXT);
    else
        write_text(page, RESULT_DECISION,
                   "IF({rank}=0,[what_if.none_passes],IF(IF(AND(N(what_if_memory_limit)>0,"
                   "ISNUMBER(what_if_max_memory_share)),IF(ISNUMBER({peak#}),"
                   "{peak#}/what_if_memory_limit>what_if_max_memory_share,FALSE),FALSE),"
                   "[decision.tune],IF({strategy#}=1,[decision.accept],IF(ISNUMBER({gain#}),"
                   "IF({gain#}>=N(what_if_min_gain),[decision.accept],[decision.reject]),"
                   "[decision.accept]))))",
                   text, CELL_STRONG);
}

static bool agrees(const struct what_if_result *result, const struct summary_group *group)
{
    const struct summary_candidate *selected =
        result->selected != NULL ? result->selected->candidate : NULL;
    return selected == report_view_selected(group);
}

static void write_result(struct sheet_what_if *page, size_t index)
{
    const struct summary_group *group = &page->input->summary->groups[index];
    const struct what_if_result *result = &page->results[index];
    const char *label = group->decision.label;
    if (page->input->summary->group_count > 1)
        line(page, group->label, CELL_MUTED);
    write_place(page, index);
    write_selected(page, result);
    write_decision(page, result);
    cell_text(page->sheet, page->row, RESULT_SUMMARY_LABEL,
              label != NULL ? label : texts_get(page->texts, "word.none"), CELL_WRAP);
    cell_text(page->sheet, page->row, RESULT_SUMMARY_DECISION,
              texts_word(page->texts, "decision", group->decision.decision), CELL_TEXT);
    cell_row_lines(page->sheet, page->row++, cell_lines(label != NULL ? label : "", 15));
    if (result->decision == WHAT_IF_FIXED) {
        const struct sentence_value rule = {
            .name = "rule", .text = texts_word(page->texts, "rule", group->decision.rule)};
        text_buffer_clear(&page->formula);
        texts_fill(&page->formula, page->texts, "what_if.fixed_rule", &rule, 1);
        if (!page->formula.failed)
            line(page, page->formula.text, CELL_MUTED);
    }
    if (!agrees(result, group))
        line_of(page, "what_if.differs", CELL_TIGHT);
}

static void write_results(struct sheet_what_if *page)
{
    static const char *const ids[LAST_COLUMN + 1] = {
        [RESULT_LABEL] = "what_if.selected",
        [RESULT_DECISION] = "what_if.decision",
        [RESULT_LINE] = "what_if.line",
        [RESULT_PEAK] = "column.peak_memory",
        [RESULT_OF_LIMIT] = "column.of_limit",
        [RESULT_THROUGHPUT] = "column.throughput",
        [RESULT_GAIN] = "what_if.gain",
        [RESULT_SUMMARY_LABEL] = "what_if.selected_in_summary",
        [RESULT_SUMMARY_DECISION] = "what_if.decision_in_summary"};
    line_of(page, "what_if.result", CELL_HEADING);
    for (uint32_t i = 0; i <= LAST_COLUMN; i++)
        cell_text(page->sheet, page->row, i, ids[i] != NULL ? texts_get(page->texts, ids[i]) : "",
                  i >= RESULT_LINE && i <= RESULT_GAIN ? CELL_HEADER_RIGHT : CELL_HEADER);
    cell_row_lines(page->sheet, page->row++, 3);
    for (size_t i = 0; i < page->input->summary->group_count; i++)
        write_result(page, i);
}

/* ---- The sheet ---- */

static size_t count_candidates(const struct summary *summary)
{
    size_t count = 0;
    for (size_t i = 0; i < summary->group_count; i++)
        count += summary->groups[i].candidate_count;
    return count;
}

static bool judge(struct sheet_what_if *page, size_t count)
{
    const struct summary *summary = page->input->summary;
    struct what_if_row *row = page->rows = calloc(count, sizeof *page->rows);
    page->results = calloc(summary->group_count, sizeof *page->results);
    if (page->rows == NULL || page->results == NULL) {
        text_buffer_clear(&page->formula);
        page->formula.failed = true; /* told when the sheet ends */
        return false;
    }
    what_if_policy(summary, &page->limits);
    for (size_t i = 0; i < summary->group_count; i++) {
        page->results[i] = what_if_judge(summary, i, &page->limits, row);
        row += summary->groups[i].candidate_count;
    }
    return true;
}

/* Rows of the part above the table: it is written first, but the formulas there name the table. */
static uint32_t rows_of_results(const struct sheet_what_if *page)
{
    const struct summary *summary = page->input->summary;
    uint32_t rows = 2;
    for (size_t i = 0; i < summary->group_count; i++)
        rows += 1u + (summary->group_count > 1 ? 1u : 0u) +
                (page->results[i].decision == WHAT_IF_FIXED ? 1u : 0u) +
                (agrees(&page->results[i], &summary->groups[i]) ? 0u : 1u);
    return rows;
}

static void write_all(struct sheet_what_if *page, size_t count)
{
    const char *ties = page->input->summary->policy.ties;
    write_limits(page);
    page->row++;
    page->first = page->row + rows_of_results(page) + 1 + 1 + 1; /* gap, heading, table's heads */
    page->last = page->first + (uint32_t)count - 1;
    write_results(page);
    page->row++;
    line_of(page, "what_if.candidates", CELL_HEADING);
    page->row = page->first;
    sheet_what_if_table(page);
    page->row++;
    line_of(page, "what_if.not_recomputed", CELL_MUTED);
    if (ties != NULL && strcmp(ties, "statistical") == 0)
        line_of(page, "what_if.ties", CELL_MUTED);
    cell_print_setup(page->sheet, (long)page->first - 1, 1);
    /* What only helps formulas is no reading. */
    bool grouped = page->input->summary->group_count > 1;
    cell_print_area(page->sheet, page->row, grouped ? (uint32_t)SHEET_WHAT_IF_GROUP : LAST_COLUMN);
}

void sheet_what_if_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const double widths[SHEET_WHAT_IF_COLUMNS] = {36, 19, 13, 14, 14, 15, 16, 15, 16, 16,
                                                         14, 14, 12, 12, 12, 12, 12, 12, 12, 14};
    struct sheet_what_if page = {.input = input,
                                 .texts = input->texts,
                                 .sheet = sheet,
                                 .source = sheet_table_name(input, "sheet.candidates")};
    size_t count = count_candidates(input->summary);
    for (uint32_t i = 0; i < SHEET_WHAT_IF_COLUMNS; i++)
        cell_column_width(sheet, i, widths[i]);
    line_of(&page, "what_if.title", CELL_HEADING);
    line_of(&page, "about.what_if", CELL_WRAP);
    page.row++;
    sheet_candidates_layout(input->summary, &page.layout);
    if (count == 0)
        line_of(&page, "word.no_rows", CELL_MUTED);
    else if (count > MAX_CANDIDATES)
        line_of(&page, "what_if.too_many", CELL_MUTED);
    else if (judge(&page, count))
        write_all(&page, count);
    cell_check_buffer(sheet, &page.formula);
    text_buffer_fini(&page.formula);
    free(page.rows);
    free(page.results);
}
