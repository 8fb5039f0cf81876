#include <math.h>

#include "report_view.h"
#include "sheet_grid.h"
#include "sheet_table.h"

struct candidates_view {
    const struct summary *summary;
    struct sheet_grid *grid;
    bool tokens, samples; /* a column for each unit that occurs */
    enum cell_style throughput_style;
};

static void write_headings(const struct candidates_view *view)
{
    static const struct sheet_grid_heading first[] = {
        {"column.rank", true},           {"column.strategy", false},   {"column.verdict", false},
        {"column.gate_failures", false}, {"column.peak_memory", true}, {"column.of_limit", true},
        {"column.memory_kind", false}};
    static const struct sheet_grid_heading last[] = {{"column.step_time", true},
                                                     {"column.step_time_lower", true},
                                                     {"column.step_time_upper", true},
                                                     {"column.interval_unit", false},
                                                     {"column.step_time_smallest", true},
                                                     {"column.step_time_largest", true},
                                                     {"column.step_time_variation", true},
                                                     {"column.communication_ratio", true},
                                                     {"column.in_flight_ratio", true},
                                                     {"column.skew_ratio", true},
                                                     {"column.checkpoint_peak", true},
                                                     {"column.utilisation", true},
                                                     {"column.micro_batch", true},
                                                     {"column.gradient_accumulation", true},
                                                     {"column.global_batch", true},
                                                     {"column.repeats", true},
                                                     {"column.evidence_level", false},
                                                     {"column.failure", false},
                                                     {"column.notes", false}};
    sheet_grid_headings(view->grid, first, sizeof first / sizeof first[0]);
    static const struct sheet_grid_heading tokens = {"column.throughput_tokens", true};
    static const struct sheet_grid_heading samples = {"column.throughput_samples", true};
    if (view->tokens)
        sheet_grid_headings(view->grid, &tokens, 1);
    if (view->samples)
        sheet_grid_headings(view->grid, &samples, 1);
    const struct summary *summary = view->summary;
    const char *baseline = summary->group_count > 0 ? summary->groups[0].decision.baseline : NULL;
    if (cell_is_writable(view->grid->sheet))
        sheet_grid_heading_of(view->grid, "column.gain", "baseline",
                              baseline != NULL
                                  ? baseline
                                  : texts_get(cell_texts(view->grid->sheet), "word.baseline"));
    sheet_grid_headings(view->grid, last, sizeof last / sizeof last[0]);
}

static void write_identity(const struct candidates_view *view, const struct summary_group *group,
                           const struct summary_candidate *candidate)
{
    struct sheet_grid *grid = view->grid;
    const char *verdict = report_view_verdict(group, candidate);
    bool selected = candidate == report_view_selected(group);
    sheet_grid_group(grid, group);
    sheet_grid_number(grid, candidate->rank, CELL_WHOLE);
    sheet_grid_text(grid, candidate->label, selected ? CELL_STRONG : CELL_TEXT);
    sheet_grid_text(grid, texts_word(cell_texts(grid->sheet), "verdict", verdict),
                    report_view_verdict_style(verdict));
    sheet_grid_list(grid, "gate", candidate->gate_failures.items, candidate->gate_failures.count);
}

static void write_metrics(const struct candidates_view *view, const struct summary_group *group,
                          const struct summary_candidate *candidate)
{
    struct sheet_grid *grid = view->grid;
    double limit = view->summary->policy.memory_limit_mb;
    bool tokens = report_view_is_tokens(candidate->throughput_unit);
    sheet_grid_number(grid, candidate->peak_memory_mb, CELL_ONE);
    sheet_grid_number(grid, limit > 0 ? candidate->peak_memory_mb / limit : (double)NAN,
                      CELL_PERCENT);
    sheet_grid_word(grid, "kind", candidate->memory_kind);
    if (view->tokens)
        sheet_grid_number(grid, tokens ? candidate->throughput : (double)NAN,
                          view->throughput_style);
    if (view->samples)
        sheet_grid_number(grid, tokens ? (double)NAN : candidate->throughput,
                          view->throughput_style);
    sheet_grid_number(grid, report_view_gain(group, candidate), CELL_SIGNED_PERCENT);
    sheet_grid_number(grid, candidate->step_time_ms, CELL_TWO);
    sheet_grid_number(grid, candidate->step_time_lower_ms, CELL_TWO);
    sheet_grid_number(grid, candidate->step_time_upper_ms, CELL_TWO);
    sheet_grid_word(grid, "interval", candidate->interval_unit);
    sheet_grid_number(grid, candidate->step_time_smallest_ms, CELL_TWO);
    sheet_grid_number(grid, candidate->step_time_largest_ms, CELL_TWO);
    sheet_grid_number(grid, candidate->step_time_variation, CELL_PERCENT);
    sheet_grid_number(grid, candidate->communication_ratio, CELL_PERCENT);
    sheet_grid_number(grid, candidate->in_flight_ratio, CELL_PERCENT);
    sheet_grid_number(grid, candidate->skew_ratio, CELL_PERCENT);
    sheet_grid_number(grid, candidate->checkpoint_peak_memory_mb, CELL_ONE);
    sheet_grid_number(grid, candidate->utilisation, CELL_PERCENT);
}

static void write_candidate(const struct candidates_view *view, const struct summary_group *group,
                            const struct summary_candidate *candidate)
{
    struct sheet_grid *grid = view->grid;
    write_identity(view, group, candidate);
    write_metrics(view, group, candidate);
    sheet_grid_number(grid, candidate->micro_batch, CELL_WHOLE);
    sheet_grid_number(grid, candidate->gradient_accumulation, CELL_WHOLE);
    sheet_grid_number(grid, candidate->global_batch, CELL_WHOLE);
    sheet_grid_number(grid, (double)candidate->repeats, CELL_WHOLE);
    sheet_grid_word(grid, "level", candidate->evidence_level);
    sheet_grid_text(grid, candidate->failure.reason, CELL_TEXT);
    sheet_grid_messages(grid, candidate->notes, candidate->note_count);
    sheet_grid_end_row(grid);
}

void sheet_candidates_write(const struct sheet_input *input, struct sheet *sheet)
{
    struct sheet_grid grid = {.sheet = sheet, .grouped = input->summary->group_count > 1};
    struct candidates_view view = {
        .summary = input->summary,
        .grid = &grid,
        .tokens = report_view_has_unit(input->summary, true),
        .samples = report_view_has_unit(input->summary, false),
        .throughput_style = report_view_style_for(report_view_largest_throughput(input->summary))};
    view.tokens = view.tokens || !view.samples;
    write_headings(&view);
    sheet_grid_end_row(&grid);
    for (size_t i = 0; i < input->summary->group_count; i++) {
        const struct summary_group *group = &input->summary->groups[i];
        for (size_t k = 0; k < group->candidate_count; k++)
            write_candidate(&view, group, &group->candidates[group->order[k]]);
    }
    sheet_grid_finish(&grid, 2, "about.candidates");
}
