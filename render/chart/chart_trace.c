#include "chart_trace.h"

#include <math.h>

struct points {
    struct canvas_point *items;
    size_t count;
};

struct canvas_point chart_trace_at(const struct chart_panel *panel, const struct chart_trace *trace,
                                   size_t i)
{
    return (struct canvas_point){chart_panel_x(panel, trace->first + (double)i),
                                 chart_panel_y(panel, trace->values[i])};
}

size_t chart_trace_last(const struct chart_trace *trace)
{
    for (size_t i = trace->count; i > 0; i--) {
        if (isfinite(trace->values[i - 1]))
            return i - 1;
    }
    return trace->count;
}

/* Numbers that share a pixel. */
static size_t bucket_of(const struct chart_panel *panel, const struct chart_trace *trace)
{
    return (size_t)fmax(1, ceil((double)trace->count / fmax(1, panel->box.width)));
}

/* The smallest and the largest of a bucket, in their order. */
static void add_extremes(struct points *points, const struct chart_panel *panel,
                         const struct chart_trace *trace, size_t from, size_t to)
{
    size_t low = from;
    size_t high = from;
    for (size_t i = from; i < to; i++) {
        if (trace->values[i] < trace->values[low])
            low = i;
        if (trace->values[i] > trace->values[high])
            high = i;
    }
    size_t first = low < high ? low : high;
    points->items[points->count++] = chart_trace_at(panel, trace, first);
    if (low != high)
        points->items[points->count++] = chart_trace_at(panel, trace, low < high ? high : low);
}

/* The points of the finite numbers from `from` on; returns where they end. */
static size_t next_run(struct points *points, const struct chart_panel *panel,
                       const struct chart_trace *trace, size_t from)
{
    size_t bucket = bucket_of(panel, trace);
    size_t end = from;
    points->count = 0;
    while (end < trace->count && isfinite(trace->values[end]))
        end++;
    for (size_t i = from; i < end; i += bucket)
        add_extremes(points, panel, trace, i, i + bucket < end ? i + bucket : end);
    return end;
}

static struct points take_points(struct chart_frame *frame, size_t count)
{
    struct points points = {arena_take_array(&frame->scene.arena, count, sizeof *points.items), 0};
    if (points.items == NULL)
        frame->scene.failed = true;
    return points;
}

void chart_trace_line(struct chart_frame *frame, const struct chart_panel *panel,
                      const struct chart_trace *trace, const struct canvas_paint *paint)
{
    struct points points = take_points(frame, 2 * (trace->count + 1));
    struct canvas_paint dot = {paint->stroke, CANVAS_NONE, CANVAS_NONE, 0, 0};
    for (size_t i = 0; points.items != NULL && i < trace->count; i++) {
        i = next_run(&points, panel, trace, i);
        if (points.count > 1)
            scene_polyline(&frame->scene, points.items, points.count, paint);
        else if (points.count == 1)
            scene_rectangle(
                &frame->scene,
                (struct canvas_box){points.items[0].x - 1.5, points.items[0].y - 1.5, 3, 3}, &dot);
    }
}

/* One edge of a band; the second one is added backwards, so that both make a polygon. */
static void add_edge(struct points *points, const struct chart_panel *panel,
                     const struct chart_trace *trace, bool high)
{
    size_t bucket = bucket_of(panel, trace);
    size_t count = (trace->count + bucket - 1) / bucket;
    for (size_t k = 0; k < count; k++) {
        size_t from = (high ? count - 1 - k : k) * bucket;
        size_t best = trace->count;
        for (size_t i = from; i < from + bucket && i < trace->count; i++) {
            double value = trace->values[i];
            if (isfinite(value) && (best == trace->count || (high ? value > trace->values[best]
                                                                  : value < trace->values[best])))
                best = i;
        }
        if (best < trace->count)
            points->items[points->count++] = chart_trace_at(panel, trace, best);
    }
}

void chart_trace_band(struct chart_frame *frame, const struct chart_panel *panel,
                      const struct chart_trace *low, const struct chart_trace *high,
                      canvas_colour colour)
{
    struct canvas_paint paint = {colour, CANVAS_NONE, CANVAS_NONE, 0, 0};
    struct points points = take_points(frame, low->count + high->count + 1);
    if (points.items == NULL)
        return;
    add_edge(&points, panel, low, false);
    add_edge(&points, panel, high, true);
    if (points.count > 2)
        scene_polyline(&frame->scene, points.items, points.count, &paint);
}
