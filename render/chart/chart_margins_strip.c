#include "chart_margins_strip.h"

#include <math.h>
#include <string.h>

#include "chart_margins_words.h"
#include "report_view.h"

#define STRIP 24.0
#define POINTER 11.0 /* height of the mark of the measured value, above the strip */
#define NUMBERS 20.0 /* below it */
#define STEPS_MOST 6
#define TICK_GAP 16.0
#define OVERHANG 22.0
#define INSET 5.0 /* of a text in a region */
#define REGIONS 3

/* ---- Reading ---- */

static bool same_text(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* What the selected candidate measured of that which a limit limits. */
static double measured_of(const struct chart_frame *frame, const struct summary_sensitivity *item,
                          const struct summary_candidate *selected)
{
    const struct summary_policy *policy = &frame->input->summary->policy;
    if (selected == NULL)
        return (double)NAN;
    if (same_text(item->limit, "memory_limit_mb"))
        return selected->peak_memory_mb;
    if (same_text(item->limit, "min_throughput"))
        return same_text(item->unit, selected->throughput_unit) ? selected->throughput
                                                                : (double)NAN;
    if (same_text(item->limit, "max_communication_ratio"))
        return selected->communication_ratio;
    if (same_text(item->limit, "min_gain"))
        return frame->group->decision.gain;
    if (same_text(item->limit, "max_memory_fraction"))
        return selected->peak_memory_mb / policy->memory_limit_mb;
    return (double)NAN;
}

static struct chart_margins_bounds bounds_of(const struct summary_sensitivity *item)
{
    if (same_text(item->limit, "min_gain"))
        return (struct chart_margins_bounds){-100, INFINITY};
    return (struct chart_margins_bounds){0, same_text(item->unit, "ratio") ? 100 : INFINITY};
}

static double shown(const struct chart_margins_strip *strip, double value)
{
    return strip->ratio ? 100 * value : value;
}

static double place_of(const struct summary_change *change)
{
    return change != NULL ? change->value : (double)NAN;
}

void chart_margins_strip_init(struct chart_margins_strip *strip, const struct chart_frame *frame,
                              const struct summary_sensitivity *item,
                              const struct summary_candidate *selected)
{
    *strip = (struct chart_margins_strip){
        .item = item,
        .down = report_view_find_change(item, "down"),
        .up = report_view_find_change(item, "up"),
        .measured = measured_of(frame, item, selected),
        .ratio = same_text(item->unit, "ratio"),
        .bounds = bounds_of(item),
    };
    strip->any = (strip->down != NULL && isnan(strip->down->value)) ||
                 (strip->up != NULL && isnan(strip->up->value));
    const double values[] = {shown(strip, item->current), shown(strip, strip->measured),
                             shown(strip, place_of(strip->down)),
                             shown(strip, place_of(strip->up))};
    strip->range =
        chart_margins_axis_range(values, sizeof values / sizeof values[0], strip->bounds);
}

/* ---- Axis ---- */

static const char *tick_text(const struct chart_margins_strip *strip, struct chart_frame *frame,
                             size_t i)
{
    char text[64];
    chart_axis_label(&strip->axis, i, text, sizeof text);
    return scene_format(&frame->scene, strip->ratio ? "%s %%" : "%s", text);
}

void chart_margins_strip_scale(struct chart_margins_strip *strip, struct chart_frame *frame)
{
    const struct canvas_font *font = &frame->theme->font[THEME_FONT_SMALL];
    for (size_t steps = STEPS_MOST; steps >= 2; steps--) {
        double widest = 0;
        strip->axis = chart_axis_of(&strip->range, steps);
        for (size_t i = 0; i < strip->axis.count; i++)
            widest = fmax(widest, scene_width(&frame->scene, font, tick_text(strip, frame, i)));
        if ((widest + TICK_GAP) * (double)strip->axis.count <= strip->right - strip->left)
            return;
    }
}

static double x_of(const struct chart_margins_strip *strip, double value)
{
    return strip->left +
           (strip->right - strip->left) * chart_axis_share(&strip->axis, shown(strip, value));
}

static double edge_of(const struct chart_margins_strip *strip)
{
    return strip->y + POINTER;
}

static void put_ticks(const struct chart_margins_strip *strip, struct chart_frame *frame)
{
    const struct canvas_font *font = &frame->theme->font[THEME_FONT_SMALL];
    struct canvas_paint paint = {CANVAS_NONE, CANVAS_NONE, frame->theme->ink[THEME_AXIS], 1, 0};
    double y = edge_of(strip) + STRIP;
    double free = strip->left - OVERHANG;
    for (size_t i = 0; i < strip->axis.count; i++) {
        double tick = strip->axis.ticks[i];
        double x = x_of(strip, strip->ratio ? tick / 100 : tick);
        if (tick < strip->bounds.least || tick > strip->bounds.most)
            continue;
        scene_line(&frame->scene, (struct canvas_point){x, y}, (struct canvas_point){x, y + 4},
                   &paint);
        const char *text = tick_text(strip, frame, i);
        double width = scene_width(&frame->scene, font, text);
        double at =
            fmin(fmax(x - width / 2, strip->left - OVERHANG), strip->right + OVERHANG - width);
        if (at < free)
            continue;
        scene_text(&frame->scene, (struct canvas_point){at, y + 17}, font,
                   frame->theme->ink[THEME_QUIET], text);
        free = at + width + TICK_GAP / 2;
    }
}

/* ---- Regions ---- */

struct region {
    double left, right; /* pixels */
    enum theme_area area;
    const struct summary_change *change; /* NULL: the present answer */
};

/* The present answer, an acceptance, or none: three grounds, whose answers are written on them. */
static enum theme_area area_of(const struct summary_change *change)
{
    if (change == NULL)
        return THEME_SELECTED;
    return same_text(change->decision, "accept") ? THEME_ELIGIBLE : THEME_NOT_ELIGIBLE;
}

/* How far another acceptance is known to hold: to the next value of a candidate, where that one may
 * fail, too. What is beyond stays empty. Where nothing is accepted nothing passes further on. */
static double end_of(const struct chart_margins_strip *strip, const struct summary_change *change,
                     double edge)
{
    bool told = edge > strip->left ? change->beyond > change->value && isfinite(change->beyond)
                                   : change->beyond < change->value && isfinite(change->beyond);
    if (!same_text(change->decision, "accept"))
        return edge;
    double end = told ? x_of(strip, change->beyond) : edge;
    return fmin(fmax(end, strip->left), strip->right);
}

static size_t find_regions(const struct chart_margins_strip *strip, struct region regions[REGIONS])
{
    const struct summary_change *any = strip->down != NULL ? strip->down : strip->up;
    double from = strip->left;
    double to = strip->right;
    size_t count = 0;
    if (strip->any) {
        /* Only of the loosest limits is it known; where nothing passes nothing does further on. */
        double middle = (from + to) / 2;
        bool accepted = same_text(any->decision, "accept");
        regions[0] =
            (struct region){accepted && strip->down != NULL ? middle : from,
                            accepted && strip->down == NULL ? middle : to, area_of(any), any};
        return 1;
    }
    if (strip->down != NULL) {
        from = x_of(strip, strip->down->value);
        regions[count++] = (struct region){end_of(strip, strip->down, strip->left), from,
                                           area_of(strip->down), strip->down};
    }
    if (strip->up != NULL)
        to = x_of(strip, strip->up->value);
    regions[count++] = (struct region){from, to, THEME_SELECTED, NULL};
    if (strip->up != NULL)
        regions[count++] = (struct region){to, end_of(strip, strip->up, strip->right),
                                           area_of(strip->up), strip->up};
    return count;
}

void chart_margins_strip_areas(const struct chart_margins_strip *strip,
                               bool areas[THEME_AREA_COUNT])
{
    struct region regions[REGIONS];
    size_t count = find_regions(strip, regions);
    for (size_t i = 0; i < count; i++)
        areas[regions[i].area] = true;
}

static void put_regions(const struct chart_margins_strip *strip, struct chart_frame *frame,
                        const struct region *regions, size_t count)
{
    double y = edge_of(strip);
    struct canvas_paint gap = {CANVAS_NONE, CANVAS_NONE, frame->theme->ink[THEME_PAGE], 1.5, 0};
    for (size_t i = 0; i < count; i++) {
        struct canvas_box box = {regions[i].left, y, fmax(regions[i].right - regions[i].left, 0.75),
                                 STRIP};
        scene_rectangle(&frame->scene, box, &frame->theme->area[regions[i].area]);
    }
    for (size_t i = 1; i < count; i++)
        scene_line(&frame->scene, (struct canvas_point){regions[i].left, y},
                   (struct canvas_point){regions[i].left, y + STRIP}, &gap);
}

/* The answer on its region, beside the line of the present limit at `line`, if there is room. */
static void put_answer(const struct chart_margins_strip *strip, struct chart_frame *frame,
                       const struct region *region, double line)
{
    const struct canvas_font *font = &frame->theme->font[THEME_FONT_SMALL];
    double left = region->left + INSET;
    double right = region->right - INSET;
    if (line >= region->left && line <= region->right) {
        if (line - left > right - line)
            right = fmin(right, line - INSET);
        else
            left = fmax(left, line + INSET);
    }
    if (right - left < 2 * font->size) /* less than a word */
        return;
    struct text_fit fit =
        scene_fit(&frame->scene, font, chart_margins_words_answer(frame, region->change),
                  (struct text_fit_room){right - left, 1, false});
    if (fit.count != 1 || fit.cut)
        return;
    const struct canvas_extent *extent = &fit.lines[0].extent;
    double x = left + (right - left - extent->width) / 2;
    double y = edge_of(strip) + (STRIP - extent->ascent - extent->descent) / 2 + extent->ascent;
    scene_text(&frame->scene, (struct canvas_point){x, y}, font,
               theme_text_on(frame->theme, region->area), fit.lines[0].text);
}

/* ---- The strip ---- */

static void put_limit(const struct chart_margins_strip *strip, struct chart_frame *frame, double x)
{
    struct canvas_point from = {x, edge_of(strip) - 4};
    struct canvas_point to = {x, edge_of(strip) + STRIP + 4};
    struct canvas_paint halo = {CANVAS_NONE, CANVAS_NONE, frame->theme->ink[THEME_PAGE], 4.5, 0};
    struct canvas_paint line = {CANVAS_NONE, CANVAS_NONE, frame->theme->ink[THEME_LIMIT], 2, 0};
    scene_line(&frame->scene, from, to, &halo);
    scene_line(&frame->scene, from, to, &line);
}

static void put_pointer(const struct chart_margins_strip *strip, struct chart_frame *frame)
{
    double x = x_of(strip, strip->measured);
    double tip = edge_of(strip) - 2;
    double top = tip - POINTER + 2;
    struct canvas_paint paint = {frame->theme->ink[THEME_TEXT], CANVAS_NONE, CANVAS_NONE, 0, 0};
    scene_polyline(&frame->scene, (struct canvas_point[]){{x - 5.5, top}, {x + 5.5, top}, {x, tip}},
                   3, &paint);
}

double chart_margins_strip_height(const struct chart_margins_strip *strip)
{
    return POINTER + STRIP + (strip->any ? 0 : NUMBERS);
}

void chart_margins_strip_put(const struct chart_margins_strip *strip, struct chart_frame *frame)
{
    struct region regions[REGIONS];
    size_t count = find_regions(strip, regions);
    double line = -1; /* left of every region */
    put_regions(strip, frame, regions, count);
    if (!strip->any) {
        put_ticks(strip, frame);
        if (!isnan(strip->item->current)) {
            line = x_of(strip, strip->item->current);
            put_limit(strip, frame, line);
        }
        if (!isnan(strip->measured))
            put_pointer(strip, frame);
    }
    for (size_t i = 0; i < count; i++)
        put_answer(strip, frame, &regions[i], line);
}
