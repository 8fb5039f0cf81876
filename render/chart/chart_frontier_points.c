#include "chart_frontier_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A limit farther from the values than this, as a multiple, is named and not drawn: it would crowd
 * the points in a corner. */
#define LIMIT_MOST 2.5
#define LIMIT_MOST_LOG 32.0
/* From this ratio on the smaller values would crowd at one end of a linear axis. */
#define RATIO_LINEAR 20.0
#define ROOM 0.04
#define SPAN_LEAST 0.05 /* of the largest value */

/* ---- Reading ---- */

static bool is_measure(double value)
{
    return isfinite(value) && value >= 0;
}

bool chart_frontier_is_point(const struct summary_candidate *candidate)
{
    return candidate->failure.reason == NULL && is_measure(candidate->throughput) &&
           is_measure(candidate->peak_memory_mb);
}

bool chart_frontier_has_interval(const struct summary_candidate *candidate)
{
    return is_measure(candidate->throughput_lower) && is_measure(candidate->throughput_upper);
}

bool chart_frontier_is_within_run(const struct summary_candidate *candidate)
{
    return candidate->interval_unit != NULL && strcmp(candidate->interval_unit, "within_run") == 0;
}

static const char *unit_of(const struct summary_candidate *candidate)
{
    return candidate->throughput_unit != NULL ? candidate->throughput_unit : "";
}

static void read_limits(struct chart_frontier_points *points, const struct chart_frame *frame)
{
    const struct summary_policy *policy = &frame->input->summary->policy;
    bool same = policy->throughput_unit == NULL || points->unit == NULL ||
                strcmp(policy->throughput_unit, points->unit) == 0;
    points->limit_mb = policy->memory_limit_mb;
    points->least = same ? policy->min_throughput : (double)NAN;
}

enum status chart_frontier_read(struct chart_frontier_points *points, struct chart_frame *frame,
                                struct diag *diag)
{
    size_t count = frame->every.count;
    *points = (struct chart_frontier_points){
        .items = arena_take_array(&frame->scene.arena, count + 1, sizeof *points->items),
        .others = arena_take_array(&frame->scene.arena, count + 1, sizeof *points->others),
    };
    if (points->items == NULL || points->others == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < count; i++) {
        const struct summary_candidate *candidate = frame->every.items[i];
        bool point = chart_frontier_is_point(candidate);
        if (point && points->unit == NULL)
            points->unit = unit_of(candidate);
        if (!point || strcmp(points->unit, unit_of(candidate)) != 0) {
            points->others[points->other_count++] = candidate;
            continue;
        }
        bool chosen = chart_frame_chosen(frame, candidate);
        points->items[points->count++] = (struct chart_frontier_point){
            .candidate = candidate,
            .series = theme_series_of(frame->theme, candidate->strategy),
            .chosen = chosen,
            .first = chosen || candidate->rank == 1,
        };
    }
    read_limits(points, frame);
    if (points->unit == NULL)
        points->unit = "";
    return STATUS_OK;
}

const char *chart_frontier_reason(struct chart_frame *frame,
                                  const struct chart_frontier_points *points,
                                  const struct summary_candidate *candidate)
{
    bool memory = is_measure(candidate->peak_memory_mb);
    bool throughput = is_measure(candidate->throughput);
    if (candidate->failure.reason != NULL)
        return chart_frame_say1(frame, "chart.failed", "reason", candidate->failure.reason);
    if (memory && throughput && strcmp(points->unit, unit_of(candidate)) != 0)
        return chart_frame_say1(frame, "chart.frontier.other_unit", "unit", unit_of(candidate));
    return texts_get(frame->texts, memory       ? "chart.frontier.no_throughput"
                                   : throughput ? "chart.frontier.no_memory"
                                                : "chart.frontier.neither");
}

/* ---- Axes ---- */

/* Linear over the values, logarithmic where they are far apart. */
static struct chart_axis_range spread_of(double smallest, double largest)
{
    struct chart_axis_range range = chart_axis_range_empty(CHART_AXIS_RANGE);
    range.smallest = smallest;
    range.largest = largest;
    if (smallest > 0 && largest / smallest > RATIO_LINEAR)
        range.scale = CHART_AXIS_LOG10;
    return range;
}

/* Adds a limit that is near enough; whether it was. */
static bool add_limit(struct chart_axis_range *range, double limit)
{
    bool logarithmic = range->scale == CHART_AXIS_LOG10;
    double most = logarithmic ? LIMIT_MOST_LOG : LIMIT_MOST;
    if (!isfinite(limit) || !(limit > 0) || limit > most * range->largest ||
        limit < range->smallest / most)
        return false;
    chart_axis_range_add(range, limit);
    return true;
}

/* A little room at both ends, so that no sign lies over the numbers of an axis. */
static void add_room(struct chart_axis_range *range)
{
    if (range->scale == CHART_AXIS_LOG10) {
        double factor = exp(ROOM * (log(range->largest) - log(range->smallest)));
        range->smallest /= factor;
        range->largest *= factor;
        return;
    }
    double span = range->largest - range->smallest;
    /* Nearly equal values would fill the axis with digits that nobody compares. */
    double room = fmax(ROOM * span, (SPAN_LEAST * range->largest - span) / 2);
    range->smallest = fmax(fmin(range->smallest, 0), range->smallest - room);
    range->largest += room;
}

struct ends {
    double smallest, largest;
};

static void add_end(struct ends *ends, double value)
{
    if (!is_measure(value))
        return;
    ends->smallest = fmin(ends->smallest, value);
    ends->largest = fmax(ends->largest, value);
}

void chart_frontier_scale(struct chart_frontier_points *points, const struct chart_frame *frame,
                          struct chart_panel *panel)
{
    struct ends memory = {INFINITY, -INFINITY};
    struct ends rates = {INFINITY, -INFINITY};
    for (size_t i = 0; i < points->count; i++) {
        const struct summary_candidate *candidate = points->items[i].candidate;
        add_end(&memory, candidate->peak_memory_mb);
        add_end(&rates, candidate->throughput);
        add_end(&rates, candidate->throughput_lower);
        add_end(&rates, candidate->throughput_upper);
    }
    struct chart_axis_range x = spread_of(memory.smallest, memory.largest);
    struct chart_axis_range y = spread_of(rates.smallest, rates.largest);
    points->limit_inside = add_limit(&x, points->limit_mb);
    points->least_inside = add_limit(&y, points->least);
    add_room(&x);
    add_room(&y);
    x.unit = axis_memory_unit(x.largest);
    y.unit = axis_plain_unit(y.largest);
    chart_panel_scale(frame, panel, &x, &y);
}

void chart_frontier_place(struct chart_frontier_points *points, const struct chart_panel *panel)
{
    for (size_t i = 0; i < points->count; i++) {
        const struct summary_candidate *candidate = points->items[i].candidate;
        points->items[i].at = (struct canvas_point){chart_panel_x(panel, candidate->peak_memory_mb),
                                                    chart_panel_y(panel, candidate->throughput)};
    }
}

/* ---- Region ---- */

bool chart_frontier_region(const struct chart_frontier_points *points,
                           const struct chart_panel *panel, struct canvas_box *region)
{
    double right = panel->box.x + panel->box.width;
    double bottom = panel->box.y + panel->box.height;
    if (isnan(points->limit_mb) && isnan(points->least))
        return false;
    if (!isnan(points->limit_mb)) /* a limit beyond an axis lies at its end */
        right = chart_panel_x(panel, points->limit_mb);
    if (!isnan(points->least))
        bottom = chart_panel_y(panel, points->least);
    *region = (struct canvas_box){panel->box.x, panel->box.y, right - panel->box.x,
                                  bottom - panel->box.y};
    return region->width > 1 && region->height > 1;
}

/* ---- Front ---- */

static int by_memory(const void *left, const void *right)
{
    const struct canvas_point *a = left;
    const struct canvas_point *b = right;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return (a->y < b->y) - (a->y > b->y); /* the slower one first */
}

struct canvas_point *chart_frontier_steps(const struct chart_frontier_points *points,
                                          struct chart_frame *frame,
                                          const struct chart_panel *panel, size_t *count)
{
    struct canvas_point *front =
        arena_take_array(&frame->scene.arena, points->count + 1, sizeof *front);
    struct canvas_point *steps =
        arena_take_array(&frame->scene.arena, 2 * points->count + 2, sizeof *steps);
    size_t n = 0;
    *count = 0;
    if (front == NULL || steps == NULL) {
        frame->scene.failed = true;
        return NULL;
    }
    for (size_t i = 0; i < points->count; i++) {
        if (points->items[i].candidate->on_front)
            front[n++] = points->items[i].at;
    }
    if (n == 0)
        return steps;
    qsort(front, n, sizeof *front, by_memory);
    steps[(*count)++] = (struct canvas_point){front[0].x, panel->box.y + panel->box.height};
    for (size_t i = 0; i < n; i++) {
        steps[(*count)++] = front[i];
        double next = i + 1 < n ? front[i + 1].x : panel->box.x + panel->box.width;
        steps[(*count)++] = (struct canvas_point){next, front[i].y};
    }
    return steps;
}
