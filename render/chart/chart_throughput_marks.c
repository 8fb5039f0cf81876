#include "chart_throughput_marks.h"

#include <math.h>
#include <string.h>

#define STRIP_GAP 3.0
/* Samples above this multiple of their bar are not what the axis is made for. */
#define REACH_MOST 2.0

static bool is_interval(double lower, double upper)
{
    return isfinite(lower) && isfinite(upper) && lower >= 0 && lower <= upper;
}

struct chart_throughput_spread chart_throughput_spread_of(const struct summary_candidate *candidate,
                                                          const struct throughput_samples *samples)
{
    double lower = candidate->throughput_lower;
    double upper = candidate->throughput_upper;
    const char *unit = candidate->interval_unit;
    if (unit != NULL && is_interval(lower, upper))
        return (struct chart_throughput_spread){
            strcmp(unit, "round") == 0 ? CHART_SIGN_WHISKER : CHART_SIGN_WHISKER_CUT, lower, upper};
    if (samples->count >= 2)
        return (struct chart_throughput_spread){CHART_SIGN_RANGE, samples->smallest,
                                                samples->largest};
    return (struct chart_throughput_spread){CHART_SIGN_NONE, NAN, NAN};
}

double chart_throughput_reach(const struct summary_candidate *candidate,
                              const struct throughput_samples *samples)
{
    double most = REACH_MOST * candidate->throughput;
    double reach = candidate->throughput;
    if (candidate->interval_unit != NULL &&
        is_interval(candidate->throughput_lower, candidate->throughput_upper))
        reach = fmax(reach, candidate->throughput_upper);
    for (size_t i = 0; i < samples->count; i++) {
        if (samples->items[i] <= most)
            reach = fmax(reach, samples->items[i]);
    }
    return reach;
}

static bool is_beyond(const struct chart_plot *plot, double value)
{
    /* a rounding of the axis' end is none */
    return value / plot->axis.unit.factor > plot->axis.upper * (1 + 1e-9);
}

size_t chart_throughput_beyond(const struct chart_plot *plot,
                               const struct throughput_samples *samples)
{
    size_t count = 0;
    for (size_t i = 0; i < samples->count; i++)
        count += is_beyond(plot, samples->items[i]);
    return count;
}

void chart_throughput_put_spread(struct chart_frame *frame, const struct chart_plot *plot,
                                 const struct chart_line *line,
                                 const struct chart_throughput_spread *spread)
{
    struct canvas_point from = {chart_plot_x(plot, spread->lower),
                                line->bar_y + CHART_LINES_BAR / 2};
    chart_sign_put(&frame->scene, frame->theme, spread->sign, from,
                   chart_plot_x(plot, spread->upper));
}

/* Many dots are small ones. */
static double radius_of(size_t count)
{
    return count <= 60 ? 1.9 : count <= 200 ? 1.4 : 0.8;
}

void chart_throughput_put_samples(struct chart_frame *frame, const struct chart_plot *plot,
                                  const struct chart_line *line,
                                  const struct throughput_samples *samples)
{
    double radius = radius_of(samples->count);
    double top = line->bar_y + CHART_LINES_BAR + STRIP_GAP + radius;
    double height = CHART_THROUGHPUT_STRIP - STRIP_GAP - 2 * radius;
    size_t rows = (size_t)CHART_THROUGHPUT_STRIP;
    size_t columns = (size_t)(plot->right - plot->left) + 1;
    bool *taken = arena_take_array(&frame->scene.arena, columns * rows, sizeof *taken);
    if (taken == NULL) {
        frame->scene.failed = true;
        return;
    }
    for (size_t i = 0; i < samples->count; i++) {
        double y = height * throughput_samples_spread(i);
        double x = chart_plot_x(plot, samples->items[i]);
        bool *place = &taken[(size_t)(x - plot->left) * rows + (size_t)y];
        if (*place || is_beyond(plot, samples->items[i]))
            continue;
        *place = true;
        chart_sign_dot(&frame->scene, (struct canvas_point){x, top + y}, radius,
                       frame->theme->ink[THEME_TEXT]);
    }
}
