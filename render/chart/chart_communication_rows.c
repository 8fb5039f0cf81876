#include "chart_communication_rows.h"

#include <math.h>

#include "chart_lines.h"

#define ROW_PADDING 7.0
#define BAR_GAP 2.0    /* between a bar and its name */
#define BARS_APART 8.0 /* between two of a candidate */
#define GROUND_EDGE 2.0

static double bar_height(const struct chart_communication_bar *bar)
{
    double marks = bar->name.height + BAR_GAP + CHART_COMMUNICATION_BAR;
    return fmax(marks, fmax(bar->amount.height, bar->rate.height));
}

static double content_height(const struct chart_communication_row *row)
{
    double height = 0;
    for (size_t i = 0; i < row->data.count; i++)
        height += (i > 0 ? BARS_APART : 0) + bar_height(&row->bars[i]);
    if (row->note.count > 0)
        height += (row->data.count > 0 ? BARS_APART : 0) + row->note.height;
    return height;
}

static void place_bars(struct chart_communication_row *row, double y)
{
    for (size_t i = 0; i < row->data.count; i++) {
        struct chart_communication_bar *bar = &row->bars[i];
        bar->y = y;
        bar->height = bar_height(bar);
        bar->bar_y = round(y + bar->height - CHART_COMMUNICATION_BAR);
        y += bar->height + BARS_APART;
    }
    row->note_y = y;
}

void chart_communication_rows_place(struct chart_communication_row *rows, size_t count,
                                    struct chart_frame *frame,
                                    struct chart_communication_columns *columns)
{
    double y = ceil(frame->y);
    columns->amount.top = columns->rate.top = y;
    for (size_t i = 0; i < count; i++) {
        struct chart_communication_row *row = &rows[i];
        double content = content_height(row);
        row->y = y;
        row->height = ceil(fmax(content, row->label.height) + 2 * ROW_PADDING);
        place_bars(row, y + (row->height - content) / 2);
        chart_lines_put_stripe(frame, i, y, row->height);
        y += row->height;
    }
    columns->amount.bottom = columns->rate.bottom = y;
    frame->y = y;
}

/* A text on a ground that hides the grid's lines. */
static void put_on_ground(struct chart_frame *frame, const struct chart_cell *cell,
                          struct canvas_point at, canvas_colour colour)
{
    struct canvas_paint ground = chart_lines_fill(colour);
    if (cell->count == 0)
        return;
    scene_rectangle(
        &frame->scene,
        (struct canvas_box){at.x - GROUND_EDGE, at.y, cell->width + 2 * GROUND_EDGE, cell->height},
        &ground);
    chart_cell_draw(&frame->scene, cell, at);
}

static void put_bar_texts(const struct chart_communication_bar *bar, struct chart_frame *frame,
                          const struct chart_communication_columns *columns, canvas_colour ground)
{
    double x = columns->amount.left + 2 * GROUND_EDGE;
    put_on_ground(frame, &bar->name,
                  (struct canvas_point){x, bar->bar_y - BAR_GAP - bar->name.height}, ground);
    chart_cell_draw(
        &frame->scene, &bar->amount,
        (struct canvas_point){columns->amount_x, bar->y + (bar->height - bar->amount.height) / 2});
    if (columns->rates)
        chart_cell_draw(
            &frame->scene, &bar->rate,
            (struct canvas_point){columns->rate_x, bar->y + (bar->height - bar->rate.height) / 2});
}

void chart_communication_rows_put_texts(const struct chart_communication_row *rows, size_t count,
                                        struct chart_frame *frame,
                                        const struct chart_communication_columns *columns)
{
    for (size_t i = 0; i < count; i++) {
        const struct chart_communication_row *row = &rows[i];
        canvas_colour ground = chart_lines_ground(frame, i);
        chart_cell_draw(&frame->scene, &row->label,
                        (struct canvas_point){CHART_FRAME_MARGIN,
                                              row->y + (row->height - row->label.height) / 2});
        for (size_t k = 0; k < row->data.count; k++) {
            put_bar_texts(&row->bars[k], frame, columns, ground);
            chart_frame_describe(frame, &row->label, &row->bars[k].name, &row->bars[k].amount);
        }
        struct chart_cell none = {0};
        put_on_ground(frame, &row->note,
                      (struct canvas_point){columns->amount.left + 2 * GROUND_EDGE, row->note_y},
                      ground);
        if (row->note.count > 0)
            chart_frame_describe(frame, &row->label, &row->note, &none);
    }
}
