#include "sheet_candidates.h"

#include <math.h>
#include <string.h>

#include "report_view.h"
#include "sheet_candidates_columns.h"
#include "sheet_grid.h"
#include "sheet_table.h"

struct candidates_view {
    const struct sheet_input *input;
    const struct summary *summary;
    struct sheet_grid *grid;
    const struct sheet_candidates_column *columns[SHEET_CANDIDATES_COLUMNS];
    size_t column_count;
    enum cell_style throughput_style;
    const char *gates_sheet; /* NULL: the workbook has none */
    uint32_t gates_row;      /* of the next candidate there */
    size_t group;
};

/* ---- Headings ---- */

static bool is_numeric(enum sheet_candidates_kind kind)
{
    static const enum sheet_candidates_kind texts[] = {COLUMN_WORD,  COLUMN_LABEL,   COLUMN_VERDICT,
                                                       COLUMN_GATES, COLUMN_FAILURE, COLUMN_NOTES,
                                                       COLUMN_FRONT, COLUMN_SOURCE};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i] == kind)
            return false;
    return true;
}

static void write_headings(const struct candidates_view *view)
{
    const struct summary *summary = view->summary;
    const char *baseline = NULL;
    if (summary->group_count == 1)
        baseline = report_view_baseline_name(&summary->groups[0]);
    else if (summary->group_count > 0) /* each group has its own candidate of that strategy */
        baseline = summary->groups[0].decision.baseline;
    if (!cell_is_writable(view->grid->sheet))
        return;
    if (baseline == NULL)
        baseline = texts_get(cell_texts(view->grid->sheet), "word.baseline");
    for (size_t i = 0; i < view->column_count; i++) {
        const struct sheet_candidates_column *column = view->columns[i];
        const struct sheet_grid_heading heading = {column->id, is_numeric(column->kind)};
        if (column->kind == COLUMN_GAIN)
            sheet_grid_heading_of(view->grid, column->id, "baseline", baseline);
        else
            sheet_grid_headings(view->grid, &heading, 1);
    }
    sheet_grid_end_row(view->grid);
}

/* ---- Cells ---- */

static void write_label(const struct candidates_view *view, const struct summary_group *group,
                        const struct summary_candidate *candidate)
{
    bool selected = candidate == report_view_selected(group);
    const struct cell_target gates = {.sheet = candidate->gate_count > 0 ? view->gates_sheet : NULL,
                                      .row = view->gates_row};
    sheet_grid_link(view->grid, candidate->label, &gates,
                    selected ? CELL_LINK_STRONG : CELL_LINK_WRAP);
}

/* The first file that it rests on. */
static void write_source(const struct candidates_view *view,
                         const struct summary_candidate *candidate)
{
    size_t first = candidate->source_count > 0 ? candidate->sources[0] : SIZE_MAX;
    bool known = first < view->summary->source_count && first < CELL_MAX_ROWS - 1;
    const struct cell_target target = {
        .sheet = known ? sheet_table_name(view->input, "sheet.sources") : NULL,
        .row = known ? (uint32_t)first + 1 : 0};
    sheet_grid_link(view->grid, known ? view->summary->sources[first].path : NULL, &target,
                    CELL_LINK_WRAP);
}

static void write_verdict(const struct candidates_view *view, const struct summary_group *group,
                          const struct summary_candidate *candidate)
{
    const char *verdict = report_view_verdict(group, candidate);
    sheet_grid_text(view->grid, texts_word(view->input->texts, "verdict", verdict),
                    report_view_verdict_style(verdict));
}

static void write_throughput(const struct candidates_view *view,
                             const struct summary_candidate *candidate, bool tokens)
{
    bool own = report_view_is_tokens(candidate->throughput_unit) == tokens;
    sheet_grid_bar(view->grid, tokens ? SHEET_GRID_TOKENS : SHEET_GRID_SAMPLES,
                   own ? candidate->throughput : (double)NAN, candidate->failure.reason != NULL,
                   view->throughput_style);
}

/* What a candidate has to say as a number in a column of its own. */
static double number_of(const struct candidates_view *view,
                        const struct sheet_candidates_column *column,
                        const struct summary_group *group,
                        const struct summary_candidate *candidate)
{
    switch (column->kind) {
    case COLUMN_GROUP_NUMBER:
        return (double)view->group + 1;
    case COLUMN_REPEATS:
        return (double)candidate->repeats;
    case COLUMN_INTERVAL:
        return candidate->interval_unit != NULL ? candidate->interval_samples : (double)NAN;
    case COLUMN_BASELINE:
        return sheet_candidates_is_baseline(view->summary, candidate);
    case COLUMN_FAILED:
        return candidate->failure.reason != NULL;
    case COLUMN_TIMES:
        return sheet_candidates_times_count(candidate);
    case COLUMN_OTHERS:
        return sheet_candidates_others(candidate);
    case COLUMN_ORDER:
        return sheet_candidates_order(group, candidate);
    default:
        return sheet_candidates_number(candidate, column);
    }
}

static void write_number(const struct candidates_view *view,
                         const struct sheet_candidates_column *column,
                         const struct summary_group *group,
                         const struct summary_candidate *candidate)
{
    struct sheet_grid *grid = view->grid;
    double limit = view->summary->policy.memory_limit_mb;
    switch (column->kind) {
    case COLUMN_PEAK:
        sheet_grid_bar(grid, SHEET_GRID_MEMORY, candidate->peak_memory_mb,
                       candidate->failure.reason != NULL, CELL_ONE);
        break;
    case COLUMN_OF_LIMIT:
        sheet_grid_number(grid, limit > 0 ? candidate->peak_memory_mb / limit : (double)NAN,
                          CELL_PERCENT);
        break;
    case COLUMN_TOKENS:
    case COLUMN_SAMPLES:
        write_throughput(view, candidate, column->kind == COLUMN_TOKENS);
        break;
    case COLUMN_GAIN:
        sheet_grid_number(grid, report_view_gain(group, candidate), CELL_SIGNED_PERCENT);
        break;
    default:
        sheet_grid_number(grid, number_of(view, column, group, candidate),
                          column->kind == COLUMN_BOUND ? view->throughput_style : column->style);
    }
}

static void write_cell(const struct candidates_view *view,
                       const struct sheet_candidates_column *column,
                       const struct summary_group *group, const struct summary_candidate *candidate)
{
    struct sheet_grid *grid = view->grid;
    switch (column->kind) {
    case COLUMN_LABEL:
        write_label(view, group, candidate);
        break;
    case COLUMN_VERDICT:
        write_verdict(view, group, candidate);
        break;
    case COLUMN_WORD:
        sheet_grid_word(grid, column->words, sheet_candidates_text(candidate, column));
        break;
    case COLUMN_GATES:
        sheet_grid_list(grid, "gate", candidate->gate_failures.items,
                        candidate->gate_failures.count);
        break;
    case COLUMN_FRONT:
        sheet_grid_text(grid,
                        candidate->on_front ? texts_get(view->input->texts, "word.yes") : NULL,
                        CELL_TEXT);
        break;
    case COLUMN_FAILURE:
        sheet_grid_text(grid, candidate->failure.reason, CELL_TEXT);
        break;
    case COLUMN_SOURCE:
        write_source(view, candidate);
        break;
    case COLUMN_NOTES:
        sheet_grid_messages(grid, candidate->notes, candidate->note_count);
        break;
    default:
        write_number(view, column, group, candidate);
    }
}

static void write_candidate(struct candidates_view *view, const struct summary_group *group,
                            const struct summary_candidate *candidate)
{
    sheet_grid_group(view->grid, group);
    for (size_t i = 0; i < view->column_count; i++)
        write_cell(view, view->columns[i], group, candidate);
    sheet_grid_end_row(view->grid);
    view->gates_row += (uint32_t)candidate->gate_count;
}

void sheet_candidates_write(const struct sheet_input *input, struct sheet *sheet)
{
    struct sheet_grid grid = {
        .sheet = sheet, .table = "CandidatesTable", .grouped = input->summary->group_count > 1};
    struct candidates_view view = {
        .input = input,
        .summary = input->summary,
        .grid = &grid,
        .throughput_style = report_view_style_for(report_view_largest_throughput(input->summary)),
        .gates_sheet = sheet_table_name(input, "sheet.gates"),
        .gates_row = 1};
    view.column_count = sheet_candidates_columns(input->summary, view.columns);
    write_headings(&view);
    for (view.group = 0; view.group < input->summary->group_count; view.group++) {
        const struct summary_group *group = &input->summary->groups[view.group];
        for (size_t k = 0; k < group->candidate_count; k++)
            write_candidate(&view, group, &group->candidates[group->order[k]]);
    }
    sheet_grid_finish(&grid, 2, "about.candidates");
}
