#include "chart_grid.h"

#include <math.h>

#define GAP 28.0     /* between columns */
#define ROW_GAP 18.0 /* between rows */
#define HEADING_GAP 12.0
#define HEAD_GAP 3.0 /* between a label and its facts */
#define PLOT_GAP 8.0
#define FACT_LINES 2

enum status chart_grid_init(struct chart_grid *grid, struct chart_frame *frame, double least,
                            double numbers, struct diag *diag)
{
    double room = frame->content - numbers;
    size_t fitting = (size_t)fmax(1, floor((room + GAP) / (least + GAP)));
    size_t count = frame->rows.count;
    *grid = (struct chart_grid){.count = count, .numbers = numbers};
    /* All pages of a chart have panels of one width. */
    grid->columns = frame->every.count < fitting ? frame->every.count : fitting;
    if (grid->columns == 0)
        grid->columns = 1;
    grid->width = floor((room + GAP) / (double)grid->columns - GAP);
    grid->items = arena_take_array(&frame->scene.arena, count + 1, sizeof *grid->items);
    if (grid->items == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < count; i++) {
        grid->items[i].candidate = frame->rows.items[i];
        grid->items[i].label = chart_frame_label(frame, frame->rows.items[i], grid->width);
        grid->items[i].plot.width = grid->width;
    }
    return STATUS_OK;
}

void chart_grid_fact(struct chart_grid_cell *cell, struct chart_frame *frame, enum theme_ink ink,
                     const char *text)
{
    struct chart_cell_style style =
        chart_frame_style(frame, THEME_FONT_SMALL, ink, cell->plot.width, FACT_LINES);
    chart_cell_add(&frame->scene, &cell->facts, text, &style);
}

void chart_grid_failure(struct chart_grid_cell *cell, struct chart_frame *frame)
{
    if (cell->candidate->failure.reason != NULL)
        chart_grid_fact(
            cell, frame, THEME_BAD,
            chart_frame_say1(frame, "chart.failed", "reason", cell->candidate->failure.reason));
}

void chart_grid_heading(struct chart_frame *frame, const char *axes, const char *limit)
{
    struct chart_cell cell = {0};
    struct chart_cell_style style =
        chart_frame_style(frame, THEME_FONT_SMALL_STRONG, THEME_TEXT, frame->content, 2);
    chart_cell_add(&frame->scene, &cell, axes, &style);
    style.colour = frame->theme->ink[THEME_LIMIT];
    if (limit != NULL)
        chart_cell_add(&frame->scene, &cell, limit, &style);
    chart_cell_draw(&frame->scene, &cell, (struct canvas_point){CHART_FRAME_MARGIN, frame->y});
    frame->y += cell.height + HEADING_GAP;
}

static double head_height(const struct chart_grid_cell *cell)
{
    return cell->label.height + (cell->facts.count > 0 ? HEAD_GAP + cell->facts.height : 0);
}

static void put_cell(struct chart_grid_cell *cell, struct chart_frame *frame)
{
    struct canvas_point at = {cell->plot.x, cell->y};
    chart_cell_draw(&frame->scene, &cell->label, at);
    at.y += cell->label.height + HEAD_GAP;
    chart_cell_draw(&frame->scene, &cell->facts, at);
    if (cell->facts.count > 0)
        at.y += cell->facts.height + HEAD_GAP;
    if (cell->empty)
        chart_cell_draw(&frame->scene, &cell->note, at);
    chart_frame_describe(frame, &cell->label, &cell->facts, &cell->note);
}

/* Heights of a row: of the tallest head, and of what is below the heads. */
struct row {
    double y, head, below;
};

static struct row measure_row(const struct chart_grid *grid, struct chart_grid_cell *const *cells,
                              size_t count, double y)
{
    struct row row = {y, 0, 0};
    for (size_t i = 0; i < count; i++) {
        double below = cells[i]->empty ? cells[i]->note.height + HEAD_GAP
                                       : PLOT_GAP + grid->height + grid->foot;
        row.head = fmax(row.head, head_height(cells[i]));
        row.below = fmax(row.below, below);
    }
    return row;
}

static void place_row(const struct chart_grid *grid, struct chart_frame *frame,
                      struct chart_grid_cell *const *cells, size_t count, const struct row *row)
{
    for (size_t i = 0; i < count; i++) {
        struct chart_grid_cell *cell = cells[i];
        double x = CHART_FRAME_MARGIN + grid->numbers + (double)i * (grid->width + GAP);
        double plot = ceil(row->y + row->head + PLOT_GAP);
        cell->leftmost = i == 0;
        cell->y = row->y + row->head - head_height(cell);
        cell->plot = (struct canvas_box){x, plot, grid->width, grid->height};
        put_cell(cell, frame);
    }
}

void chart_grid_place(struct chart_grid *grid, struct chart_frame *frame)
{
    struct chart_grid_cell **cells =
        arena_take_array(&frame->scene.arena, grid->count + 1, sizeof *cells);
    size_t count = 0;
    double y = ceil(frame->y);
    if (cells == NULL) {
        frame->scene.failed = true;
        return;
    }
    for (int empty = 0; empty < 2; empty++) {
        for (size_t i = 0; i < grid->count; i++) {
            if (grid->items[i].empty == (empty == 1))
                cells[count++] = &grid->items[i];
        }
    }
    for (size_t first = 0; first < count; first += grid->columns) {
        size_t end = first + grid->columns < count ? first + grid->columns : count;
        struct row row = measure_row(grid, cells + first, end - first, y);
        place_row(grid, frame, cells + first, end - first, &row);
        y = ceil(y + row.head + row.below) + ROW_GAP;
    }
    frame->y = y;
}
