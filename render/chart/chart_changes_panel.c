#include "chart_changes_panel.h"

#include <math.h>
#include <string.h>

#include "chart_lines.h"
#include "chart_marker.h"

#define RADIUS 5.0
#define STEPS_MOST 4
#define TICK_GAP 10.0

static const struct changes *changes_of(const struct chart_frame *frame)
{
    return frame->input->summary->changes;
}

/* ---- Axis ---- */

static void widen(double *reach, double value)
{
    if (isfinite(value))
        *reach = fmax(*reach, fabs(value));
}

/* How far from zero the values lie, their intervals and the tolerance included. */
static double reach_of(const struct chart_changes_panel *panel, const struct chart_frame *frame)
{
    const struct changes_group *group = &changes_of(frame)->groups[frame->input->group];
    double reach = 1e-3; /* per cent: an axis has a length */
    widen(&reach, 125 * changes_of(frame)->tolerance);
    for (size_t i = 0; i < group->strategy_count; i++) {
        const struct changes_value *value =
            changes_find(&group->strategies[i], panel->quantity->name);
        double lower;
        double upper;
        if (value == NULL)
            continue;
        changes_view_interval(value, &lower, &upper);
        widen(&reach, changes_view_percent(value));
        widen(&reach, lower);
        widen(&reach, upper);
    }
    return 1.12 * reach; /* no point lies on the edge */
}

static const char *tick_text(const struct chart_changes_panel *panel, struct chart_frame *frame,
                             size_t i)
{
    char text[64];
    chart_axis_label(&panel->axis, i, text, sizeof text);
    return scene_format(&frame->scene, "%s%s", panel->axis.ticks[i] > 0 ? "+" : "", text);
}

void chart_changes_panel_scale(struct chart_changes_panel *panel, struct chart_frame *frame)
{
    const struct canvas_font *font = &frame->theme->font[THEME_FONT_SMALL];
    double reach = reach_of(panel, frame);
    struct chart_axis_range range = chart_axis_range_empty(CHART_AXIS_RANGE);
    chart_axis_range_add(&range, -reach);
    chart_axis_range_add(&range, reach);
    for (size_t steps = STEPS_MOST; steps >= 2; steps--) {
        double widest = 0;
        panel->axis = chart_axis_of(&range, steps);
        for (size_t i = 0; i < panel->axis.count; i++)
            widest = fmax(widest, scene_width(&frame->scene, font, tick_text(panel, frame, i)));
        if ((widest + TICK_GAP) * (double)panel->axis.count <=
            panel->right - panel->left + 2 * TICK_GAP)
            return;
    }
}

static double x_of(const struct chart_changes_panel *panel, double percent)
{
    return panel->left + (panel->right - panel->left) * chart_axis_share(&panel->axis, percent);
}

/* ---- Ground ---- */

static void put_ticks(const struct chart_changes_panel *panel, struct chart_frame *frame,
                      double bottom)
{
    const struct canvas_font *font = &frame->theme->font[THEME_FONT_SMALL];
    double free = 0;
    for (size_t i = 0; i < panel->axis.count; i++) {
        const char *text = tick_text(panel, frame, i);
        double width = scene_width(&frame->scene, font, text);
        double at = x_of(panel, panel->axis.ticks[i]) - width / 2;
        bool zero = panel->axis.ticks[i] == 0;
        if (at < free && !zero)
            continue;
        scene_text(&frame->scene, (struct canvas_point){at, bottom + 16}, font,
                   frame->theme->ink[THEME_QUIET], text);
        free = at + width + TICK_GAP / 2;
    }
}

void chart_changes_panel_grid(const struct chart_changes_panel *panel, struct chart_frame *frame,
                              double top, double bottom)
{
    struct scene *scene = &frame->scene;
    double tolerance = 100 * changes_of(frame)->tolerance;
    struct canvas_paint band = chart_lines_fill(frame->theme->ink[THEME_GRID]);
    struct canvas_paint line = {CANVAS_NONE, CANVAS_NONE, frame->theme->ink[THEME_GRID], 1, 0};
    struct canvas_paint zero = {CANVAS_NONE, CANVAS_NONE, frame->theme->ink[THEME_AXIS], 1.5, 0};
    double from = x_of(panel, -tolerance);
    double to = x_of(panel, tolerance);
    if (tolerance > 0)
        scene_rectangle(scene, (struct canvas_box){from, top, fmax(to - from, 1), bottom - top},
                        &band);
    for (size_t i = 0; i < panel->axis.count; i++) {
        double x = x_of(panel, panel->axis.ticks[i]);
        scene_line(scene, (struct canvas_point){x, top}, (struct canvas_point){x, bottom},
                   panel->axis.ticks[i] == 0 ? &zero : &line);
    }
    put_ticks(panel, frame, bottom);
}

/* ---- Values ---- */

size_t chart_changes_panel_mark_of(const struct changes_value *value)
{
    return strcmp(value->verdict, "better") == 0 ? 0 : strcmp(value->verdict, "worse") == 0 ? 1 : 2;
}

bool chart_changes_panel_by_rounds(const struct changes_value *value)
{
    return value->interval_unit != NULL && strcmp(value->interval_unit, "round") == 0;
}

/* Of marks, and of what is said beside them. */
static const enum theme_ink inks[CHART_CHANGES_PANEL_MARKS] = {THEME_GOOD, THEME_BAD, THEME_QUIET};

struct theme_series chart_changes_panel_mark(const struct theme *theme, size_t mark)
{
    static const enum theme_marker markers[CHART_CHANGES_PANEL_MARKS] = {
        THEME_MARKER_TRIANGLE, THEME_MARKER_INVERTED, THEME_MARKER_RING};
    return (struct theme_series){theme->ink[inks[mark]], 0, markers[mark]};
}

/* The number before it has a sign and a colour: that it is worse need not be said again. */
static const char *verdict_of(const struct texts *texts, const struct changes_value *value)
{
    return value->beyond ? texts_get(texts, "chart.changes.beyond")
                         : changes_view_verdict(texts, value);
}

struct chart_cell chart_changes_panel_cell(const struct chart_changes_panel *panel,
                                           struct chart_frame *frame,
                                           const struct changes_value *value)
{
    struct chart_cell cell = {0};
    struct text_buffer change = {0};
    if (value == NULL)
        return cell;
    size_t mark = chart_changes_panel_mark_of(value);
    bool told = mark < 2;
    changes_view_change(&change, frame->texts, value);
    frame->scene.failed |= change.failed;
    const char *text =
        change.failed || change.text == NULL ? "" : scene_format(&frame->scene, "%s", change.text);
    bool number = isfinite(changes_view_percent(value)) && strcmp(value->verdict, "same") != 0;
    struct chart_cell_style style =
        chart_frame_style(frame, told ? THEME_FONT_STRONG : THEME_FONT_TEXT,
                          told ? inks[mark] : THEME_TEXT, panel->text_width, 2);
    if (number)
        chart_cell_add(&frame->scene, &cell, text, &style);
    style = chart_frame_style(frame, value->beyond ? THEME_FONT_SMALL_STRONG : THEME_FONT_SMALL,
                              inks[mark], panel->text_width, 3);
    bool word = number || strcmp(value->verdict, "same") == 0;
    chart_cell_add(&frame->scene, &cell, word ? verdict_of(frame->texts, value) : text, &style);
    text_buffer_fini(&change);
    return cell;
}

static void put_interval(const struct chart_changes_panel *panel, struct chart_frame *frame,
                         const struct changes_value *value, double y)
{
    double lower;
    double upper;
    changes_view_interval(value, &lower, &upper);
    if (isnan(lower) || isnan(upper))
        return;
    bool rounds = chart_changes_panel_by_rounds(value);
    chart_sign_put(&frame->scene, frame->theme,
                   rounds ? CHART_SIGN_WHISKER : CHART_SIGN_WHISKER_CUT,
                   (struct canvas_point){x_of(panel, lower), y}, x_of(panel, upper));
}

void chart_changes_panel_point(const struct chart_changes_panel *panel, struct chart_frame *frame,
                               const struct changes_value *value, double y)
{
    double percent = value != NULL ? changes_view_percent(value) : (double)NAN;
    if (isnan(percent))
        return;
    put_interval(panel, frame, value, y);
    struct theme_series mark =
        chart_changes_panel_mark(frame->theme, chart_changes_panel_mark_of(value));
    chart_marker(&frame->scene, &mark, (struct canvas_point){x_of(panel, percent), y}, RADIUS,
                 frame->theme->ink[THEME_PAGE]);
}
