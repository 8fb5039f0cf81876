#include "chart_lines.h"

#include <math.h>

#define ROW_PADDING 7.0
#define NOTE_GAP 4.0
#define NOTE_INSET 8.0
#define LABEL_LEAST 60.0

struct canvas_paint chart_lines_fill(canvas_colour colour)
{
    return (struct canvas_paint){colour, CANVAS_NONE, CANVAS_NONE, 0, 0};
}

enum status chart_lines_init(struct chart_lines *lines, struct chart_frame *frame, double width,
                             struct diag *diag)
{
    size_t count = frame->rows.count;
    struct chart_line *items = arena_take_array(&frame->scene.arena, count + 1, sizeof *items);
    if (items == NULL)
        return diag_no_memory(diag);
    *lines = (struct chart_lines){items, count, LABEL_LEAST};
    for (size_t i = 0; i < count; i++) {
        items[i].candidate = frame->rows.items[i];
        items[i].failed = frame->rows.items[i]->failure.reason != NULL;
        items[i].label = chart_frame_label(frame, frame->rows.items[i], width);
        lines->label_width = fmax(lines->label_width, items[i].label.width);
    }
    if (chart_frame_is_slice(frame)) /* so that the panels of all pages are as wide */
        lines->label_width = width;
    return STATUS_OK;
}

void chart_lines_note_failure(struct chart_line *line, struct chart_frame *frame, double width)
{
    struct chart_cell_style style =
        chart_frame_style(frame, THEME_FONT_SMALL, THEME_BAD, width - 2 * NOTE_INSET, 2);
    chart_cell_add(
        &frame->scene, &line->note,
        chart_frame_say1(frame, "chart.failed", "reason", line->candidate->failure.reason), &style);
}

/* The bar and what stands below it. */
static double marks_height(const struct chart_line *line)
{
    return CHART_LINES_BAR + line->below;
}

static double bar_block(const struct chart_line *line)
{
    if (line->note.count == 0)
        return marks_height(line);
    return line->has_mark ? marks_height(line) + NOTE_GAP + line->note.height
                          : fmax(marks_height(line), line->note.height);
}

canvas_colour chart_lines_ground(const struct chart_frame *frame, size_t index)
{
    return frame->theme->ink[index % 2 == 0 ? THEME_STRIPE : THEME_PAGE];
}

void chart_lines_put_stripe(struct chart_frame *frame, size_t index, double y, double height)
{
    struct canvas_paint paint = chart_lines_fill(chart_lines_ground(frame, index));
    struct canvas_box box = {CHART_FRAME_MARGIN - 8, y, frame->content + 16, height};
    scene_rectangle(&frame->scene, box, &paint);
}

void chart_lines_place(struct chart_lines *lines, struct chart_frame *frame,
                       struct chart_plot *plot)
{
    double y = ceil(frame->y);
    plot->top = y;
    for (size_t i = 0; i < lines->count; i++) {
        struct chart_line *line = &lines->items[i];
        double block = bar_block(line);
        double content =
            fmax(fmax(block, line->side.height), fmax(line->label.height, line->value.height));
        line->y = y;
        line->height = ceil(content + 2 * ROW_PADDING);
        line->bar_y = round(y + (line->height - block) / 2);
        chart_lines_put_stripe(frame, i, y, line->height);
        y += line->height;
    }
    plot->bottom = y;
    frame->y = y;
}

static double note_y(const struct chart_line *line)
{
    if (line->has_mark)
        return line->bar_y + marks_height(line) + NOTE_GAP;
    return line->bar_y + (bar_block(line) - line->note.height) / 2;
}

static struct canvas_box note_box(const struct chart_line *line, const struct chart_plot *plot)
{
    return (struct canvas_box){plot->left + NOTE_INSET - 2, note_y(line), line->note.width + 4,
                               line->note.height};
}

void chart_lines_put_grounds(const struct chart_lines *lines, struct chart_frame *frame,
                             const struct chart_plot *plot)
{
    for (size_t i = 0; i < lines->count; i++) {
        struct canvas_paint ground = chart_lines_fill(chart_lines_ground(frame, i));
        if (lines->items[i].note.count > 0)
            scene_rectangle(&frame->scene, note_box(&lines->items[i], plot), &ground);
    }
}

void chart_lines_put_limit(const struct chart_lines *lines, struct chart_frame *frame,
                           const struct chart_plot *plot)
{
    double top = plot->top - 2;
    if (plot->limit_text == NULL || !plot->limit_inside)
        return;
    for (size_t i = 0; i < lines->count; i++) {
        struct canvas_box box = note_box(&lines->items[i], plot);
        if (lines->items[i].note.count == 0 ||
            !chart_plot_meets_limit(plot, box.x, box.x + box.width))
            continue;
        chart_plot_limit_piece(frame, plot, top, box.y);
        top = box.y + box.height;
    }
    chart_plot_limit_piece(frame, plot, top, plot->bottom);
}

void chart_lines_put_texts(const struct chart_lines *lines, struct chart_frame *frame,
                           const struct chart_plot *plot)
{
    for (size_t i = 0; i < lines->count; i++) {
        const struct chart_line *line = &lines->items[i];
        double middle = line->y + line->height / 2;
        struct canvas_point label = {CHART_FRAME_MARGIN, middle - line->label.height / 2};
        struct canvas_point note = {plot->left + NOTE_INSET, note_y(line)};
        struct canvas_point value = {plot->right + CHART_LINES_GAP,
                                     middle - line->value.height / 2};
        chart_cell_draw(&frame->scene, &line->label, label);
        chart_cell_draw(&frame->scene, &line->note, note);
        chart_cell_draw(&frame->scene, &line->value, value);
        chart_frame_describe(frame, &line->label, &line->value, &line->note);
    }
}

void chart_lines_put_number(struct chart_frame *frame, const struct chart_plot *plot,
                            const struct canvas_box *box, enum theme_area area, const char *number)
{
    struct scene *scene = &frame->scene;
    const struct canvas_font *font = &frame->theme->font[THEME_FONT_SMALL];
    double width = scene_width(scene, font, number);
    double right = box->x + box->width;
    double x = (box->x + right - width) / 2;
    if (chart_plot_meets_limit(plot, x, x + width))
        x = box->x + 4;
    if (chart_plot_meets_limit(plot, x, x + width))
        x = right - width - 4;
    if (x < box->x + 2 || x + width > right - 2 || chart_plot_meets_limit(plot, x, x + width))
        return;
    struct canvas_paint ground = chart_lines_fill(frame->theme->area[area].fill);
    if (frame->theme->area[area].hatch != CANVAS_NONE)
        scene_rectangle(scene, (struct canvas_box){x - 2, box->y + 4, width + 4, box->height - 8},
                        &ground);
    scene_text(scene, (struct canvas_point){x, box->y + box->height / 2 + 0.36 * font->size}, font,
               theme_text_on(frame->theme, area), scene_format(scene, "%s", number));
}
