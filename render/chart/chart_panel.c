#include "chart_panel.h"

#include <math.h>

#define X_STEPS_MOST 10
#define Y_STEPS_MOST 6
#define STEPS_LEAST 2
#define X_GAP 18.0   /* between two numbers beside each other */
#define Y_PITCH 26.0 /* of two numbers above each other, at least */
#define TICK 4.0
#define TICK_GAP 6.0 /* half of a sign that lies on the axis */
#define BESIDE 22.0  /* how far the last number may stand out: a margin, or beside another panel */

static const struct canvas_font *number_font(const struct chart_frame *frame)
{
    return &frame->theme->font[THEME_FONT_SMALL];
}

static double label_width(const struct chart_frame *frame, const struct chart_axis *axis, size_t i)
{
    char label[64];
    return scene_width(&frame->scene, number_font(frame),
                       chart_axis_label(axis, i, label, sizeof label));
}

/* ---- Scales ---- */

static bool numbers_fit(const struct chart_frame *frame, const struct chart_panel *panel)
{
    double end = -INFINITY;
    for (size_t i = 0; i < panel->x.count; i++) {
        double width = label_width(frame, &panel->x, i);
        double x = chart_panel_x(panel, panel->x.ticks[i] * panel->x.unit.factor) - width / 2;
        if (x < end + X_GAP)
            return false;
        end = x + width;
        if (i + 1 == panel->x.count && width / 2 > BESIDE)
            return false;
    }
    return true;
}

void chart_panel_scale(const struct chart_frame *frame, struct chart_panel *panel,
                       const struct chart_axis_range *x, const struct chart_axis_range *y)
{
    double fitting = floor(panel->box.height / Y_PITCH);
    panel->y = chart_axis_of(y, (size_t)fmin(fmax(fitting, STEPS_LEAST), Y_STEPS_MOST));
    for (size_t steps = X_STEPS_MOST; steps >= STEPS_LEAST; steps--) {
        panel->x = chart_axis_of(x, steps);
        if (numbers_fit(frame, panel))
            return;
    }
    panel->x.exponents = true;
}

double chart_panel_x(const struct chart_panel *panel, double value)
{
    return panel->box.x + panel->box.width * chart_axis_share(&panel->x, value);
}

double chart_panel_y(const struct chart_panel *panel, double value)
{
    return panel->box.y + panel->box.height * (1 - chart_axis_share(&panel->y, value));
}

double chart_panel_numbers_width(const struct chart_frame *frame, const struct chart_axis *axis)
{
    double widest = 0;
    for (size_t i = 0; i < axis->count; i++)
        widest = fmax(widest, label_width(frame, axis, i));
    return ceil(widest + TICK + TICK_GAP);
}

/* ---- Lines ---- */

static void put_x_line(struct chart_frame *frame, const struct chart_panel *panel, double x,
                       const struct canvas_paint *paint)
{
    scene_line(&frame->scene, (struct canvas_point){x, panel->box.y},
               (struct canvas_point){x, panel->box.y + panel->box.height}, paint);
}

static void put_y_line(struct chart_frame *frame, const struct chart_panel *panel, double y,
                       const struct canvas_paint *paint)
{
    scene_line(&frame->scene, (struct canvas_point){panel->box.x, y},
               (struct canvas_point){panel->box.x + panel->box.width, y}, paint);
}

static struct canvas_paint stroke(const struct chart_frame *frame, enum theme_ink ink, double width)
{
    return (struct canvas_paint){CANVAS_NONE, CANVAS_NONE, frame->theme->ink[ink], width, 0};
}

void chart_panel_grid(struct chart_frame *frame, const struct chart_panel *panel)
{
    struct canvas_paint line = stroke(frame, THEME_GRID, 1);
    for (size_t i = 0; i < panel->x.count; i++)
        put_x_line(frame, panel, chart_panel_x(panel, panel->x.ticks[i] * panel->x.unit.factor),
                   &line);
    for (size_t i = 0; i < panel->y.count; i++)
        put_y_line(frame, panel, chart_panel_y(panel, panel->y.ticks[i] * panel->y.unit.factor),
                   &line);
}

static void put_number(struct chart_frame *frame, const struct chart_axis *axis, size_t i,
                       struct canvas_point at)
{
    char label[64];
    chart_axis_label(axis, i, label, sizeof label);
    scene_text(&frame->scene, at, number_font(frame), frame->theme->ink[THEME_QUIET],
               scene_format(&frame->scene, "%s", label));
}

static void put_x_numbers(struct chart_frame *frame, const struct chart_panel *panel)
{
    struct canvas_paint line = stroke(frame, THEME_AXIS, 1);
    double bottom = panel->box.y + panel->box.height;
    for (size_t i = 0; i < panel->x.count; i++) {
        double x = chart_panel_x(panel, panel->x.ticks[i] * panel->x.unit.factor);
        double width = label_width(frame, &panel->x, i);
        scene_line(&frame->scene, (struct canvas_point){x, bottom},
                   (struct canvas_point){x, bottom + TICK}, &line);
        put_number(frame, &panel->x, i, (struct canvas_point){x - width / 2, bottom + 19});
    }
}

static void put_y_numbers(struct chart_frame *frame, const struct chart_panel *panel, unsigned axes)
{
    /* the middle of a digit, 0.72 em high */
    double middle = 0.36 * number_font(frame)->size;
    double bottom = panel->box.y + panel->box.height;
    /* A wide first number of the horizontal axis reaches below the lowest of this one. */
    bool wide =
        (axes & CHART_PANEL_X) && label_width(frame, &panel->x, 0) / 2 > TICK + TICK_GAP - 2;
    for (size_t i = 0; i < panel->y.count; i++) {
        double y = chart_panel_y(panel, panel->y.ticks[i] * panel->y.unit.factor);
        if (wide)
            y = fmin(y, bottom - middle);
        double width = label_width(frame, &panel->y, i);
        put_number(frame, &panel->y, i,
                   (struct canvas_point){panel->box.x - TICK - TICK_GAP - width, y + middle});
    }
}

void chart_panel_numbers(struct chart_frame *frame, const struct chart_panel *panel, unsigned axes)
{
    struct canvas_paint line = stroke(frame, THEME_AXIS, 1);
    put_x_line(frame, panel, panel->box.x, &line);
    put_y_line(frame, panel, panel->box.y + panel->box.height, &line);
    if (axes & CHART_PANEL_X)
        put_x_numbers(frame, panel);
    if (axes & CHART_PANEL_Y)
        put_y_numbers(frame, panel, axes);
}

void chart_panel_titles(struct chart_frame *frame, const struct chart_panel *panel, double left,
                        const char *x_title, const char *y_title)
{
    struct chart_cell cell = {0};
    double right = panel->box.x + panel->box.width;
    double bottom = panel->box.y + panel->box.height;
    struct chart_cell_style style =
        chart_frame_style(frame, THEME_FONT_SMALL_STRONG, THEME_TEXT, right - left, 1);
    if (y_title != NULL) {
        chart_cell_add(&frame->scene, &cell, y_title, &style);
        chart_cell_draw(&frame->scene, &cell,
                        (struct canvas_point){left, panel->box.y - 10 - cell.height});
    }
    if (x_title == NULL)
        return;
    cell = (struct chart_cell){0};
    chart_cell_add(&frame->scene, &cell, x_title, &style);
    chart_cell_draw(&frame->scene, &cell,
                    (struct canvas_point){right - cell.width, bottom + CHART_PANEL_NUMBERS});
}

/* ---- Limits ---- */

static bool is_inside(const struct chart_axis *axis, double value)
{
    double shown = value / axis->unit.factor;
    return isfinite(shown) && shown >= axis->from && shown <= axis->to;
}

bool chart_panel_limit_x(struct chart_frame *frame, const struct chart_panel *panel, double value)
{
    struct canvas_paint halo = stroke(frame, THEME_PAGE, 3.4);
    struct canvas_paint line = stroke(frame, THEME_LIMIT, 1.6);
    if (!is_inside(&panel->x, value))
        return false;
    put_x_line(frame, panel, chart_panel_x(panel, value), &halo);
    put_x_line(frame, panel, chart_panel_x(panel, value), &line);
    return true;
}

bool chart_panel_limit_y(struct chart_frame *frame, const struct chart_panel *panel, double value)
{
    struct canvas_paint halo = stroke(frame, THEME_PAGE, 3.4);
    struct canvas_paint line = stroke(frame, THEME_LIMIT, 1.6);
    if (!is_inside(&panel->y, value))
        return false;
    put_y_line(frame, panel, chart_panel_y(panel, value), &halo);
    put_y_line(frame, panel, chart_panel_y(panel, value), &line);
    return true;
}
