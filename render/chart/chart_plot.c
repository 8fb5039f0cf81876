#include "chart_plot.h"

#include <math.h>

#define STEPS_MOST 8
#define STEPS_LEAST 2
#define LABEL_GAP 18.0 /* between two numbers of an axis */
/* A limit above this multiple of the largest value would make bars too short to compare. */
#define LIMIT_MOST 4.0
#define LINE_CLEAR 4.0
#define NUMBERS_HEIGHT 24.0

static bool numbers_fit(const struct chart_frame *frame, const struct chart_plot *plot)
{
    double pitch = (plot->right - plot->left) / (double)(plot->axis.count - 1);
    double widest = 0;
    char label[64];
    for (size_t i = 0; i < plot->axis.count; i++) {
        axis_tick_label(&plot->axis, i, label, sizeof label);
        widest =
            fmax(widest, scene_width(&frame->scene, &frame->theme->font[THEME_FONT_SMALL], label));
    }
    return widest + LABEL_GAP <= pitch;
}

void chart_plot_scale(const struct chart_frame *frame, struct chart_plot *plot, double largest,
                      struct axis_unit (*unit)(double largest))
{
    bool limited = isfinite(plot->limit);
    plot->limit_inside = limited && (largest <= 0 || plot->limit <= LIMIT_MOST * largest);
    double reach = plot->limit_inside ? fmax(largest, plot->limit) : largest;
    for (size_t steps = STEPS_MOST; steps >= STEPS_LEAST; steps--) {
        plot->axis = axis_of(reach, unit(reach), steps);
        if (numbers_fit(frame, plot))
            return;
    }
    plot->axis.exponents = true;
}

double chart_plot_x(const struct chart_plot *plot, double value)
{
    return plot->left + (plot->right - plot->left) * axis_share(&plot->axis, value);
}

void chart_plot_put_headings(struct chart_frame *frame, const struct chart_plot_heading *headings,
                             size_t count)
{
    struct chart_cell *cells = arena_take_array(&frame->scene.arena, count, sizeof *cells);
    double height = 0;
    if (cells == NULL) {
        frame->scene.failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct chart_cell_style style =
            chart_frame_style(frame, THEME_FONT_SMALL_STRONG, THEME_TEXT, headings[i].width, 3);
        chart_cell_add(&frame->scene, &cells[i], headings[i].text, &style);
        height = fmax(height, cells[i].height);
    }
    for (size_t i = 0; i < count; i++)
        chart_cell_draw(&frame->scene, &cells[i],
                        (struct canvas_point){headings[i].x, frame->y + height - cells[i].height});
    frame->y += height + 5;
}

double chart_plot_limit_height(const struct chart_plot *plot)
{
    return plot->limit_text != NULL ? 20 : 0;
}

void chart_plot_limit_label(struct chart_frame *frame, const struct chart_plot *plot, double bottom)
{
    if (plot->limit_text == NULL)
        return;
    const char *text = plot->limit_inside ? plot->limit_text
                                          : chart_frame_say1(frame, "chart.limit_beyond", "limit",
                                                             plot->limit_text);
    struct chart_cell cell = {0};
    struct chart_cell_style style = chart_frame_style(frame, THEME_FONT_SMALL_STRONG, THEME_LIMIT,
                                                      plot->label_end - plot->left, 1);
    chart_cell_add(&frame->scene, &cell, text, &style);
    double x = plot->right - cell.width;
    if (plot->limit_inside)
        x = fmin(plot->label_end - cell.width, chart_plot_x(plot, plot->limit) - cell.width / 2);
    chart_cell_draw(&frame->scene, &cell,
                    (struct canvas_point){fmax(plot->left, x), bottom - cell.height - 3});
}

void chart_plot_grid(struct chart_frame *frame, const struct chart_plot *plot)
{
    struct canvas_paint line = {CANVAS_NONE, CANVAS_NONE, frame->theme->ink[THEME_GRID], 1, 0};
    for (size_t i = 1; i < plot->axis.count; i++) {
        double x =
            plot->left + (plot->right - plot->left) * (double)i / (double)(plot->axis.count - 1);
        scene_line(&frame->scene, (struct canvas_point){x, plot->top},
                   (struct canvas_point){x, plot->bottom}, &line);
    }
}

void chart_plot_limit_piece(struct chart_frame *frame, const struct chart_plot *plot, double top,
                            double bottom)
{
    double x = chart_plot_x(plot, plot->limit);
    struct canvas_point from = {x, top};
    struct canvas_point to = {x, bottom};
    struct canvas_paint halo = {CANVAS_NONE, CANVAS_NONE, frame->theme->ink[THEME_PAGE], 3.4, 0};
    struct canvas_paint line = {CANVAS_NONE, CANVAS_NONE, frame->theme->ink[THEME_LIMIT], 1.6, 0};
    if (top >= bottom)
        return;
    if (x > plot->left + 4) /* it would hide where the bars begin */
        scene_line(&frame->scene, from, to, &halo);
    scene_line(&frame->scene, from, to, &line);
}

void chart_plot_limit(struct chart_frame *frame, const struct chart_plot *plot)
{
    if (plot->limit_text != NULL && plot->limit_inside)
        chart_plot_limit_piece(frame, plot, plot->top - 2, plot->bottom);
}

double chart_plot_numbers_height(void)
{
    return NUMBERS_HEIGHT;
}

void chart_plot_numbers(struct chart_frame *frame, const struct chart_plot *plot)
{
    struct scene *scene = &frame->scene;
    struct canvas_paint line = {CANVAS_NONE, CANVAS_NONE, frame->theme->ink[THEME_AXIS], 1, 0};
    scene_line(scene, (struct canvas_point){plot->left, plot->top},
               (struct canvas_point){plot->left, plot->bottom}, &line);
    scene_line(scene, (struct canvas_point){plot->left, plot->bottom},
               (struct canvas_point){plot->right, plot->bottom}, &line);
    for (size_t i = 0; i < plot->axis.count; i++) {
        double x =
            plot->left + (plot->right - plot->left) * (double)i / (double)(plot->axis.count - 1);
        char label[64];
        axis_tick_label(&plot->axis, i, label, sizeof label);
        double width = scene_width(scene, &frame->theme->font[THEME_FONT_SMALL], label);
        scene_line(scene, (struct canvas_point){x, plot->bottom},
                   (struct canvas_point){x, plot->bottom + 4}, &line);
        scene_text(scene, (struct canvas_point){x - width / 2, plot->bottom + 17},
                   &frame->theme->font[THEME_FONT_SMALL], frame->theme->ink[THEME_QUIET],
                   scene_format(scene, "%s", label));
    }
}

bool chart_plot_meets_limit(const struct chart_plot *plot, double from, double to)
{
    if (plot->limit_text == NULL || !plot->limit_inside)
        return false;
    double x = chart_plot_x(plot, plot->limit);
    return x > from - LINE_CLEAR && x < to + LINE_CLEAR;
}
