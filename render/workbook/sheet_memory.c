#include <math.h>
#include <stdio.h>

#include "report_view.h"
#include "sheet_grid.h"
#include "sheet_table.h"

/* One measurement of memory: what it counts, and its parts where they are known. */
struct memory_row {
    const struct summary_group *group;
    const struct summary_candidate *candidate;
    const char *scope; /* a word of the group "scope" */
    const char *name;
    double mb;
    const struct summary_amounts *categories; /* NULL: none */
};

struct memory_view {
    struct sheet_grid *grid;
    const struct texts *texts;
    struct report_view_names categories;
    double limit_mb;
};

static void write_row(const struct memory_view *view, const struct memory_row *row)
{
    static const struct summary_amounts none = {0};
    struct sheet_grid *grid = view->grid;
    const struct summary_amounts *categories = row->categories != NULL ? row->categories : &none;
    sheet_grid_group(grid, row->group);
    sheet_grid_text(grid, row->candidate->label, CELL_TEXT);
    sheet_grid_word(grid, "scope", row->scope);
    sheet_grid_text(grid, row->name, CELL_TEXT);
    sheet_grid_bar(grid, SHEET_GRID_MEMORY, row->mb, row->candidate->failure.reason != NULL,
                   CELL_ONE);
    sheet_grid_number(grid, view->limit_mb > 0 ? row->mb / view->limit_mb : (double)NAN,
                      CELL_PERCENT);
    for (size_t i = 0; i < view->categories.count; i++)
        sheet_grid_number(
            grid, report_view_amount(categories, &view->categories, view->categories.items[i]),
            CELL_ONE);
    if (view->categories.more)
        sheet_grid_number(grid, report_view_amount(categories, &view->categories, NULL), CELL_ONE);
    sheet_grid_end_row(grid);
}

static void write_kinds(const struct memory_view *view, struct memory_row row)
{
    const struct summary_candidate *candidate = row.candidate;
    const struct {
        const char *name;
        double mb;
    } kinds[] = {{"allocated", candidate->allocated_mb},
                 {"reserved", candidate->reserved_mb},
                 {"device", candidate->device_mb}};
    row.scope = "kind";
    bool any = false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (isnan(kinds[i].mb))
            continue;
        any = true;
        row.name = texts_word(view->texts, "kind", kinds[i].name);
        row.mb = kinds[i].mb;
        write_row(view, &row);
    }
    if (any)
        return;
    /* No kind is known, or nothing was measured: say so rather than leave the strategy out. */
    row.name = candidate->memory_kind != NULL
                   ? texts_word(view->texts, "kind", candidate->memory_kind)
                   : texts_get(view->texts, isnan(candidate->peak_memory_mb) ? "word.not_measured"
                                                                             : "word.kind_unknown");
    row.mb = candidate->peak_memory_mb;
    write_row(view, &row);
}

static void write_candidate(const struct memory_view *view, const struct summary_group *group,
                            const struct summary_candidate *candidate)
{
    struct memory_row row = {.group = group, .candidate = candidate};
    write_kinds(view, row);
    for (size_t i = 0; i < candidate->phase_count; i++) {
        const struct summary_phase *phase = &candidate->phases[i];
        row.scope = "phase";
        row.name = texts_word(view->texts, "phase", phase->name);
        row.mb = phase->peak_mb;
        row.categories = &phase->by_category;
        write_row(view, &row);
    }
    row.categories = NULL;
    for (size_t i = 0; i < candidate->per_rank_mb.count; i++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        row.scope = "rank";
        row.name = number;
        row.mb = candidate->per_rank_mb.items[i];
        write_row(view, &row);
    }
}

static void collect_categories(const struct summary_candidate *candidate,
                               struct report_view_names *names)
{
    for (size_t i = 0; i < candidate->phase_count; i++)
        for (size_t k = 0; k < candidate->phases[i].by_category.count; k++)
            report_view_add_name(names, candidate->phases[i].by_category.items[k].name);
}

static void write_headings(const struct memory_view *view)
{
    static const struct sheet_grid_heading headings[] = {{"column.strategy", false},
                                                         {"column.scope", false},
                                                         {"column.name", false},
                                                         {"column.peak", true},
                                                         {"column.of_limit", true}};
    sheet_grid_headings(view->grid, headings, sizeof headings / sizeof headings[0]);
    for (size_t i = 0; i < view->categories.count; i++)
        sheet_grid_heading_of(view->grid, "column.category", "category",
                              texts_word(view->texts, "category", view->categories.items[i]));
    if (view->categories.more)
        sheet_grid_heading_of(view->grid, "column.category", "category",
                              texts_get(view->texts, "category.more"));
    sheet_grid_end_row(view->grid);
}

void sheet_memory_write(const struct sheet_input *input, struct sheet *sheet)
{
    const struct summary *summary = input->summary;
    struct sheet_grid grid = {
        .sheet = sheet, .table = "MemoryTable", .grouped = input->summary->group_count > 1};
    struct memory_view view = {
        .grid = &grid, .texts = input->texts, .limit_mb = summary->policy.memory_limit_mb};
    for (size_t i = 0; i < summary->group_count; i++)
        for (size_t k = 0; k < summary->groups[i].candidate_count; k++)
            collect_categories(&summary->groups[i].candidates[k], &view.categories);
    write_headings(&view);
    for (size_t i = 0; i < summary->group_count; i++) {
        const struct summary_group *group = &summary->groups[i];
        for (size_t k = 0; k < group->candidate_count; k++)
            write_candidate(&view, group, &group->candidates[group->order[k]]);
    }
    sheet_grid_finish(&grid, 1, "about.memory");
}
