#include <math.h>

#include "report_view.h"
#include "sheet_grid.h"
#include "sheet_table.h"

static void write_collective(struct sheet_grid *grid, const struct summary_group *group,
                             const struct summary_candidate *candidate,
                             const struct summary_collective *item)
{
    sheet_grid_group(grid, group);
    sheet_grid_label(grid, candidate);
    sheet_grid_word(grid, "collective", item->collective);
    sheet_grid_word(grid, "purpose", item->purpose);
    sheet_grid_number(grid, item->calls, CELL_WHOLE);
    sheet_grid_number(grid, item->expected_calls, CELL_WHOLE);
    sheet_grid_number(grid, item->payload_mb, CELL_ONE);
    sheet_grid_number(grid, item->expected_mb, CELL_ONE);
    sheet_grid_number(grid, item->exposed_ms, CELL_TWO);
    sheet_grid_number(grid, item->in_flight_ms, CELL_TWO);
    sheet_grid_number(grid, item->bus_gb_per_s, CELL_TWO);
}

static double add(double sum, double value)
{
    return isnan(sum) ? value : isnan(value) ? sum : sum + value;
}

/* The whole step: sums of what was counted, the formula's closed form, the shares of the step. */
static struct summary_collective total_of(const struct summary_candidate *candidate)
{
    double nothing = (double)NAN;
    struct summary_collective total = {.collective = "all",
                                       .calls = nothing,
                                       .expected_calls = nothing,
                                       .payload_mb = nothing,
                                       .expected_mb = candidate->formula_payload_mb,
                                       .exposed_ms = nothing,
                                       .in_flight_ms = nothing,
                                       .bus_gb_per_s = nothing};
    for (size_t i = 0; i < candidate->collective_count; i++) {
        const struct summary_collective *item = &candidate->collectives[i];
        total.calls = add(total.calls, item->calls);
        total.expected_calls = add(total.expected_calls, item->expected_calls);
        total.payload_mb = add(total.payload_mb, item->payload_mb);
        total.exposed_ms = add(total.exposed_ms, item->exposed_ms);
    }
    return total;
}

static void write_candidate(struct sheet_grid *grid, const struct summary_group *group,
                            const struct summary_candidate *candidate)
{
    for (size_t i = 0; i < candidate->collective_count; i++) {
        write_collective(grid, group, candidate, &candidate->collectives[i]);
        sheet_grid_end_row(grid);
    }
    struct summary_collective total = total_of(candidate);
    write_collective(grid, group, candidate, &total);
    sheet_grid_number(grid, candidate->communication_ratio, CELL_PERCENT);
    sheet_grid_number(grid, candidate->in_flight_ratio, CELL_PERCENT);
    sheet_grid_end_row(grid);
}

void sheet_communication_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading headings[] = {{"column.strategy", false},
                                                         {"column.collective", false},
                                                         {"column.purpose", false},
                                                         {"column.calls", true},
                                                         {"column.expected_calls", true},
                                                         {"column.payload", true},
                                                         {"column.expected", true},
                                                         {"column.exposed", true},
                                                         {"column.in_flight", true},
                                                         {"column.bus_bandwidth", true},
                                                         {"column.communication_ratio", true},
                                                         {"column.in_flight_ratio", true}};
    struct sheet_grid grid = {.sheet = sheet,
                              .input = input,
                              .table = "CommunicationTable",
                              .grouped = input->summary->group_count > 1};
    sheet_grid_headings(&grid, headings, sizeof headings / sizeof headings[0]);
    sheet_grid_end_row(&grid);
    sheet_grid_candidates(&grid, input->summary, write_candidate);
    sheet_grid_finish(&grid, 1, "about.communication");
}
