#include <math.h>

#include "sheet_grid.h"
#include "sheet_table.h"
#include "text.h"

/* What a rank holds by formula at other numbers of ranks. */

#define MAX_SIZES ((size_t)32)

struct scale_view {
    struct sheet_grid *grid;
    double sizes[MAX_SIZES]; /* that occur, in the order of their first use */
    size_t size_count;
};

static void add_sizes(struct scale_view *view, const struct summary_candidate *candidate)
{
    for (size_t i = 0; i < candidate->scale.count; i++) {
        size_t at = 0;
        while (at < view->size_count && view->sizes[at] != candidate->scale.items[i].world_size)
            at++;
        if (at == view->size_count && at < MAX_SIZES)
            view->sizes[view->size_count++] = candidate->scale.items[i].world_size;
    }
}

static struct scale_view make_view(const struct summary *summary)
{
    struct scale_view view = {.grid = NULL};
    for (size_t i = 0; i < summary->group_count; i++)
        for (size_t k = 0; k < summary->groups[i].candidate_count; k++)
            add_sizes(&view, &summary->groups[i].candidates[k]);
    return view;
}

bool sheet_scale_has_content(const struct sheet_input *input)
{
    return make_view(input->summary).size_count > 0;
}

static double resident_at(const struct summary_scale *scale, double world_size)
{
    for (size_t i = 0; i < scale->count; i++)
        if (scale->items[i].world_size == world_size)
            return scale->items[i].resident_mb;
    return (double)NAN;
}

static void write_candidate(const struct scale_view *view, const struct summary_group *group,
                            const struct summary_candidate *candidate)
{
    struct sheet_grid *grid = view->grid;
    sheet_grid_group(grid, group);
    sheet_grid_text(grid, candidate->label, CELL_TEXT);
    for (size_t i = 0; i < view->size_count; i++)
        sheet_grid_number(grid, resident_at(&candidate->scale, view->sizes[i]), CELL_ONE);
    sheet_grid_number(grid, candidate->world_size, CELL_WHOLE);
    sheet_grid_number(
        grid, candidate->ledger.available ? candidate->ledger.resident_mb : (double)NAN, CELL_ONE);
    sheet_grid_number(grid, candidate->peak_memory_mb, CELL_ONE);
    sheet_grid_end_row(grid);
}

void sheet_scale_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading first = {"column.strategy", false};
    static const struct sheet_grid_heading last[] = {
        {"column.own_ranks", true}, {"column.own_resident", true}, {"column.peak_memory", true}};
    const struct summary *summary = input->summary;
    struct sheet_grid grid = {
        .sheet = sheet, .table = "ScaleTable", .grouped = summary->group_count > 1};
    struct scale_view view = make_view(summary);
    view.grid = &grid;
    sheet_grid_headings(&grid, &first, 1);
    for (size_t i = 0; i < view.size_count; i++) {
        char number[64];
        sheet_grid_heading_of(&grid, "column.at_ranks", "ranks",
                              text_number(number, sizeof number, view.sizes[i], 15));
    }
    sheet_grid_headings(&grid, last, sizeof last / sizeof last[0]);
    sheet_grid_end_row(&grid);
    for (size_t i = 0; i < summary->group_count; i++)
        for (size_t k = 0; k < summary->groups[i].candidate_count; k++)
            write_candidate(&view, &summary->groups[i],
                            &summary->groups[i].candidates[summary->groups[i].order[k]]);
    sheet_grid_finish(&grid, 1, "about.scale");
}
