#include <math.h>
#include <string.h>

#include "report_view.h"
#include "sheet_what_if.h"
#include "text.h"

#define WIDTH_OF_LABEL 36.0
/* Numbers that the columns have no room for. */
#define LARGE 1e9

struct table_column {
    const char *heading;
    const char *pattern; /* NULL: a copy of the candidate's cell, or the rank's own formula */
    enum cell_style style;
    bool number;
};

/* A gate is not applied without its limit; what was not measured fails it unless the run failed,
 * whose failure is the finding. */
#define ABSENT "IF({failed}=1,[verdict.not_evaluated],[verdict.not_measured])"
#define GAIN_BASE(value) "SUMPRODUCT(({baseline:}=1)*({group:}={group})" value ")"
/* The gain by throughput, and by memory; only like is set beside like. */
#define GAIN(own, base) "IF(AND(ISNUMBER({" own "}),{baseline}=0),IF(" base "=0,\"\","
#define BY_THROUGHPUT GAIN_BASE("*({unit:}={unit}),{throughput:}")
#define BY_MEMORY GAIN_BASE("*({kind:}={kind}),{peak:}")

static const struct table_column columns[SHEET_WHAT_IF_COLUMNS] = {
    [SHEET_WHAT_IF_LABEL] = {"column.strategy", NULL, CELL_WRAP, false},
    [SHEET_WHAT_IF_VERDICT] = {"column.verdict",
                               "IF({failures}>0,IF({failed}=1,[verdict.failed_run],"
                               "[verdict.not_eligible]),IF({rank}=1,[verdict.selected],"
                               "[verdict.eligible]))",
                               CELL_TEXT, false},
    [SHEET_WHAT_IF_RANK] = {"column.rank", NULL, CELL_WHOLE, true},
    [SHEET_WHAT_IF_FAILURES] =
        {"column.failed_gates",
         "{others}+IF(ISNUMBER(what_if_memory_limit),IF(ISNUMBER({peak}),"
         "IF({peak}>what_if_memory_limit,1,0),1-{failed}),0)"
         "+IF(ISNUMBER(what_if_min_throughput),IF(AND(ISNUMBER({throughput}),{times}=1),"
         "IF({unit}={unit!},IF({throughput}<what_if_min_throughput,1,0),1),"
         "1-{failed}),0)"
         "+IF(ISNUMBER(what_if_max_communication),IF(AND(ISNUMBER({communication}),{times}=1),"
         "IF({communication}>what_if_max_communication,1,0),1-{failed}),0)",
         CELL_WHOLE, true},
    [SHEET_WHAT_IF_PEAK] = {"column.peak_memory", NULL, CELL_ONE, true},
    [SHEET_WHAT_IF_MEMORY] =
        {"column.memory_gate",
         "IF(ISNUMBER(what_if_memory_limit),IF(ISNUMBER({peak}),"
         "IF({peak}>what_if_memory_limit,[verdict.fail],"
         "IF(AND(ISNUMBER(what_if_tight_share),what_if_memory_limit>0),"
         "IF({peak}/what_if_memory_limit>what_if_tight_share,[verdict.tight],[verdict.pass]),"
         "[verdict.pass]))," ABSENT "),[verdict.not_applied])",
         CELL_TEXT, false},
    [SHEET_WHAT_IF_THROUGHPUT] = {"column.throughput", NULL, CELL_WHOLE, true},
    [SHEET_WHAT_IF_THROUGHPUT_GATE] =
        {"column.throughput_gate",
         "IF(ISNUMBER(what_if_min_throughput),IF(AND(ISNUMBER({throughput}),{times}=1),"
         "IF({unit}={unit!},IF({throughput}<what_if_min_throughput,"
         "[verdict.fail],[verdict.pass]),[verdict.unit_differs])," ABSENT
         "),[verdict.not_applied])",
         CELL_TEXT, false},
    [SHEET_WHAT_IF_COMMUNICATION] = {"column.communication_ratio", NULL, CELL_PERCENT, true},
    [SHEET_WHAT_IF_COMMUNICATION_GATE] =
        {"column.communication_gate",
         "IF(ISNUMBER(what_if_max_communication),IF(AND(ISNUMBER({communication}),{times}=1),"
         "IF({communication}>what_if_max_communication,[verdict.fail],[verdict.pass])," ABSENT
         "),[verdict.not_applied])",
         CELL_TEXT, false},
    [SHEET_WHAT_IF_GAIN] = {"column.gain", NULL, CELL_SIGNED_PERCENT, true},
    [SHEET_WHAT_IF_OTHERS] = {"column.other_failures", NULL, CELL_WHOLE, true},
    [SHEET_WHAT_IF_FAILED] = {"column.run_failed", NULL, CELL_WHOLE, true},
    [SHEET_WHAT_IF_TIMES] = {"column.times_count", NULL, CELL_WHOLE, true},
    [SHEET_WHAT_IF_ORDER] = {"column.input_order", NULL, CELL_WHOLE, true},
    [SHEET_WHAT_IF_STRATEGY] = {"column.is_baseline", NULL, CELL_WHOLE, true},
    [SHEET_WHAT_IF_BASELINE] =
        {"column.gain_baseline",
         "IF(AND(ISNUMBER({rank}),{strategy}=1),IF(SUMPRODUCT(({group:}={group})*({strategy:}=1)*"
         "ISNUMBER({rank:})*({rank:}<{rank}))=0,1,0),0)",
         CELL_WHOLE, true},
    [SHEET_WHAT_IF_GROUP] = {"column.group_number", NULL, CELL_WHOLE, true},
    [SHEET_WHAT_IF_UNIT] = {"column.unit_number", NULL, CELL_WHOLE, true},
    [SHEET_WHAT_IF_KIND] = {"column.memory_kind", NULL, CELL_TEXT, false},
};

static const char *word_of(const struct sheet_what_if *page, enum what_if_verdict verdict)
{
    static const char *const ids[] = {
        [WHAT_IF_PASS] = "verdict.pass",
        [WHAT_IF_TIGHT] = "verdict.tight",
        [WHAT_IF_FAIL] = "verdict.fail",
        [WHAT_IF_NOT_MEASURED] = "verdict.not_measured",
        [WHAT_IF_NOT_EVALUATED] = "verdict.not_evaluated",
        [WHAT_IF_NOT_APPLIED] = "verdict.not_applied",
        [WHAT_IF_UNIT_DIFFERS] = "verdict.unit_differs",
    };
    return texts_get(page->texts, ids[verdict]);
}

/* ---- What the cells hold as of now ---- */

static double unit_of(const struct summary_candidate *candidate)
{
    if (isnan(candidate->throughput))
        return 0;
    return report_view_is_tokens(candidate->throughput_unit) ? 1 : 2;
}

static double number_of(const struct sheet_what_if *page, const struct what_if_row *row,
                        enum sheet_what_if_column column, size_t group)
{
    const struct summary_candidate *candidate = row->candidate;
    const struct summary *summary = page->input->summary;
    switch (column) {
    case SHEET_WHAT_IF_RANK:
        return row->rank;
    case SHEET_WHAT_IF_FAILURES:
        return row->failures;
    case SHEET_WHAT_IF_PEAK:
        return candidate->peak_memory_mb;
    case SHEET_WHAT_IF_THROUGHPUT:
        return candidate->throughput;
    case SHEET_WHAT_IF_COMMUNICATION:
        return candidate->communication_ratio;
    case SHEET_WHAT_IF_GAIN:
        return row->gain;
    case SHEET_WHAT_IF_OTHERS:
        return sheet_candidates_others(candidate);
    case SHEET_WHAT_IF_FAILED:
        return candidate->failure.reason != NULL;
    case SHEET_WHAT_IF_TIMES:
        return sheet_candidates_times_count(candidate);
    case SHEET_WHAT_IF_ORDER:
        return sheet_candidates_order(&summary->groups[group], candidate);
    case SHEET_WHAT_IF_STRATEGY:
        return sheet_candidates_is_baseline(summary, candidate);
    case SHEET_WHAT_IF_BASELINE:
        return row->baseline;
    case SHEET_WHAT_IF_GROUP:
        return (double)group + 1;
    default:
        return unit_of(candidate);
    }
}

static const char *text_of(const struct sheet_what_if *page, const struct what_if_row *row,
                           enum sheet_what_if_column column)
{
    const struct summary_candidate *candidate = row->candidate;
    switch (column) {
    case SHEET_WHAT_IF_LABEL:
        return candidate->label;
    case SHEET_WHAT_IF_KIND:
        return texts_word(page->texts, "kind", candidate->memory_kind);
    case SHEET_WHAT_IF_MEMORY:
        return word_of(page, row->memory);
    case SHEET_WHAT_IF_THROUGHPUT_GATE:
        return word_of(page, row->throughput);
    case SHEET_WHAT_IF_COMMUNICATION_GATE:
        return word_of(page, row->communication);
    default:
        break;
    }
    const char *verdict = row->failures > 0
                              ? candidate->failure.reason != NULL ? "failed_run" : "not_eligible"
                          : row->rank == 1 ? "selected"
                                           : "eligible";
    return texts_word(page->texts, "verdict", verdict);
}

/* ---- Copies of the candidates' cells ---- */

/* The candidates' column that a column copies. */
static uint32_t source_of(const struct sheet_candidates_layout *layout,
                          enum sheet_what_if_column column)
{
    switch (column) {
    case SHEET_WHAT_IF_LABEL:
        return layout->label;
    case SHEET_WHAT_IF_PEAK:
        return layout->peak;
    case SHEET_WHAT_IF_COMMUNICATION:
        return layout->communication;
    case SHEET_WHAT_IF_OTHERS:
        return layout->others;
    case SHEET_WHAT_IF_FAILED:
        return layout->failed;
    case SHEET_WHAT_IF_TIMES:
        return layout->times;
    case SHEET_WHAT_IF_ORDER:
        return layout->order;
    case SHEET_WHAT_IF_STRATEGY:
        return layout->baseline;
    case SHEET_WHAT_IF_GROUP:
        return layout->group;
    case SHEET_WHAT_IF_KIND:
        return layout->kind;
    default:
        return SHEET_CANDIDATES_NO_COLUMN;
    }
}

static void append_source(struct sheet_what_if *page, uint32_t row, uint32_t column)
{
    cell_append_sheet(&page->formula, page->source);
    cell_append_reference(&page->formula, row - page->first + SHEET_CANDIDATES_FIRST_ROW, column,
                          false);
}

/* "IF(ISNUMBER(cell),", and what follows where it is no number is the caller's. */
static void append_number_or(struct sheet_what_if *page, uint32_t row, uint32_t column,
                             const char *value)
{
    text_buffer_puts(&page->formula, "IF(ISNUMBER(");
    append_source(page, row, column);
    text_buffer_puts(&page->formula, "),");
    if (value != NULL)
        text_buffer_puts(&page->formula, value);
    else
        append_source(page, row, column);
    text_buffer_puts(&page->formula, ",");
}

/* The throughput stands in a column for each unit that occurs. */
static void append_by_unit(struct sheet_what_if *page, uint32_t row, bool unit)
{
    const uint32_t sources[] = {page->layout.tokens, page->layout.samples};
    static const char *const numbers[] = {"1", "2"};
    unsigned open = 0;
    for (size_t i = 0; i < 2; i++)
        if (sources[i] != SHEET_CANDIDATES_NO_COLUMN) {
            append_number_or(page, row, sources[i], unit ? numbers[i] : NULL);
            open++;
        }
    text_buffer_puts(&page->formula, unit ? "0" : "\"\"");
    text_buffer_puts(&page->formula, open > 1 ? "))" : ")");
}

/* The formula that copies a candidate's cell; NULL if there is nothing to copy from. */
static const char *copy_of(struct sheet_what_if *page, uint32_t row,
                           enum sheet_what_if_column column)
{
    uint32_t source = source_of(&page->layout, column);
    bool by_unit = column == SHEET_WHAT_IF_THROUGHPUT || column == SHEET_WHAT_IF_UNIT;
    if (page->source == NULL || (source == SHEET_CANDIDATES_NO_COLUMN && !by_unit))
        return NULL;
    text_buffer_clear(&page->formula);
    if (by_unit) {
        append_by_unit(page, row, column == SHEET_WHAT_IF_UNIT);
    } else if (!columns[column].number) {
        text_buffer_puts(&page->formula, "T(");
        append_source(page, row, source);
        text_buffer_puts(&page->formula, ")");
    } else {
        append_number_or(page, row, source, NULL);
        text_buffer_puts(&page->formula, "\"\")");
    }
    return page->formula.failed ? NULL : page->formula.text;
}

/* ---- The table ---- */

static const char *formula_of(struct sheet_what_if *page, uint32_t row,
                              enum sheet_what_if_column column)
{
    const char *goal = page->input->summary->policy.goal;
    if (column == SHEET_WHAT_IF_RANK)
        return sheet_what_if_rank(page, row);
    if (column == SHEET_WHAT_IF_GAIN)
        return sheet_what_if_formula(
            page, row,
            goal != NULL && strcmp(goal, "memory") == 0
                ? GAIN("peak", BY_MEMORY) "(" BY_MEMORY "-{peak})/ABS(" BY_MEMORY ")),\"\")"
                : GAIN("throughput", BY_THROUGHPUT) "({throughput}-" BY_THROUGHPUT
                                                    ")/ABS(" BY_THROUGHPUT ")),\"\")");
    if (columns[column].pattern != NULL)
        return sheet_what_if_formula(page, row, columns[column].pattern);
    return copy_of(page, row, column);
}

static void write_cell(struct sheet_what_if *page, const struct what_if_row *row, size_t group,
                       enum sheet_what_if_column column)
{
    const char *formula = formula_of(page, page->row, column);
    enum cell_style style = columns[column].style;
    uint32_t at = (uint32_t)column;
    if (column == SHEET_WHAT_IF_THROUGHPUT)
        style = report_view_style_for(report_view_largest_throughput(page->input->summary));
    if (columns[column].number) {
        double value = number_of(page, row, column, group);
        style = fabs(value) >= LARGE ? CELL_TINY : style;
        if (formula != NULL)
            cell_formula_number(page->sheet, page->row, at, formula, value, style);
        else
            cell_number(page->sheet, page->row, at, value, style);
    } else if (formula != NULL) {
        cell_formula_text(page->sheet, page->row, at, formula, text_of(page, row, column), style);
    } else {
        cell_text(page->sheet, page->row, at, text_of(page, row, column), style);
    }
}

static void write_headings(struct sheet_what_if *page)
{
    const char *headings[SHEET_WHAT_IF_COLUMNS];
    bool numbers[SHEET_WHAT_IF_COLUMNS];
    struct text_buffer gain = {0};
    const struct summary *summary = page->input->summary;
    report_view_gain_heading(&gain, page->texts, &summary->groups[0]);
    for (size_t i = 0; i < SHEET_WHAT_IF_COLUMNS; i++) {
        char meaning[64] = "meaning.";
        headings[i] = texts_get(page->texts, columns[i].heading);
        if (i == SHEET_WHAT_IF_GAIN && !gain.failed)
            headings[i] = gain.text;
        numbers[i] = columns[i].number;
        strncat(meaning, strchr(columns[i].heading, '.') + 1, sizeof meaning - 9);
        cell_note(page->sheet, page->first - 1, (uint32_t)i, texts_get(page->texts, meaning));
    }
    const struct cell_table table = {.name = "WhatIfTable",
                                     .headings = headings,
                                     .numbers = numbers,
                                     .column_count = SHEET_WHAT_IF_COLUMNS,
                                     .first_row = page->first - 1,
                                     .last_row = page->last};
    cell_table(page->sheet, &table);
    cell_row_lines(page->sheet, page->first - 1, 3);
    cell_check_buffer(page->sheet, &gain);
    text_buffer_fini(&gain);
}

/* Verdicts look like on the other sheets, whatever a formula makes them. */
static void colour_verdicts(struct sheet_what_if *page)
{
    static const char *const words[] = {
        "selected", "eligible", "not_eligible", "failed_run",    "pass",
        "tight",    "fail",     "not_measured", "not_evaluated", "unit_differs"};
    static const enum sheet_what_if_column judged[] = {SHEET_WHAT_IF_VERDICT, SHEET_WHAT_IF_MEMORY,
                                                       SHEET_WHAT_IF_THROUGHPUT_GATE,
                                                       SHEET_WHAT_IF_COMMUNICATION_GATE};
    const struct cell_span rows = {page->first, page->last};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        for (size_t k = 0; k < sizeof judged / sizeof judged[0]; k++)
            if ((i < 4) == (k == 0))
                cell_text_style(page->sheet, &rows, (uint32_t)judged[k],
                                texts_word(page->texts, "verdict", words[i]),
                                report_view_verdict_style(words[i]));
}

void sheet_what_if_table(struct sheet_what_if *page)
{
    const struct summary *summary = page->input->summary;
    const struct what_if_row *row = page->rows;
    for (size_t i = 0; i < summary->group_count; i++)
        for (size_t k = 0; k < summary->groups[i].candidate_count; k++, row++) {
            unsigned lines = cell_lines(row->candidate->label, WIDTH_OF_LABEL);
            for (int column = 0; column < SHEET_WHAT_IF_COLUMNS; column++)
                write_cell(page, row, i, (enum sheet_what_if_column)column);
            if (lines > 1)
                cell_row_lines(page->sheet, page->row, lines);
            page->row++;
        }
    write_headings(page);
    colour_verdicts(page);
}
