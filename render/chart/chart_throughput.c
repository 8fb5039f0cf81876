#include "chart_throughput.h"

#include <math.h>
#include <string.h>

#include "chart_throughput_head.h"
#include "chart_throughput_words.h"

/*
 * Throughput per candidate as a bar from zero with its interval, its samples as dots below it and
 * the minimum as a line; and in a panel of its own the exposed communication with its maximum: two
 * units share no axis. Where a page has no room for that panel the share is told as a number.
 */

#define LABEL_WIDTH 196.0
#define SHARE_PANEL_WIDTH 120.0
#define SHARE_BAR 12.0
#define PANEL_LEAST 260.0 /* of throughput, before the other panel is given up */

static bool is_measure(double value)
{
    return isfinite(value) && value >= 0;
}

/* ---- Reading ---- */

static bool other_unit(const struct throughput_chart *chart,
                       const struct summary_candidate *candidate)
{
    const char *unit = candidate->throughput_unit != NULL ? candidate->throughput_unit : "";
    return is_measure(candidate->throughput) && strcmp(chart->unit, unit) != 0;
}

static enum theme_area area_of(const struct throughput_chart *chart,
                               const struct summary_candidate *candidate)
{
    if (!chart->frame.group->times_count)
        return THEME_NOT_COUNTED;
    if (candidate->rank == 1)
        return THEME_SELECTED;
    return candidate->eligible ? THEME_ELIGIBLE : THEME_NOT_ELIGIBLE;
}

static bool has_bar(const struct throughput_chart *chart, const struct summary_candidate *candidate)
{
    return chart->unit != NULL && candidate->failure.reason == NULL &&
           is_measure(candidate->throughput) && !other_unit(chart, candidate);
}

/* What holds for the whole chart, whichever of its rows this page shows. */
static void read_all(struct throughput_chart *chart)
{
    for (size_t i = 0; i < chart->frame.every.count; i++) {
        const struct summary_candidate *candidate = chart->frame.every.items[i];
        if (is_measure(candidate->throughput) && chart->unit == NULL)
            chart->unit = candidate->throughput_unit != NULL ? candidate->throughput_unit : "";
        chart->chosen = chart->chosen || chart_frame_chosen(&chart->frame, candidate);
        chart->shares = chart->shares || is_measure(candidate->communication_ratio);
    }
}

/* The samples of all candidates: the axis of every page holds them. */
static enum status read_samples(struct throughput_chart *chart, struct diag *diag)
{
    struct arena *arena = &chart->frame.scene.arena;
    size_t count = chart->frame.every.count;
    chart->every = arena_take_array(arena, count + 1, sizeof *chart->every);
    if (chart->every == NULL)
        return diag_no_memory(diag);
    chart->marks = chart->every + (chart->frame.rows.items - chart->frame.every.items);
    for (size_t i = 0; i < count; i++) {
        const struct summary_candidate *candidate = chart->frame.every.items[i];
        struct row_marks *marks = &chart->every[i];
        if (!has_bar(chart, candidate))
            continue;
        enum status status = throughput_samples_of(candidate, arena, &marks->samples, diag);
        if (status != STATUS_OK)
            return status;
        marks->spread = chart_throughput_spread_of(candidate, &marks->samples);
    }
    return STATUS_OK;
}

static void read_lines(struct throughput_chart *chart)
{
    for (size_t i = 0; i < chart->lines.count; i++) {
        struct chart_line *line = &chart->lines.items[i];
        const struct row_marks *marks = &chart->marks[i];
        line->has_mark = has_bar(chart, line->candidate);
        if (!line->has_mark)
            continue;
        chart->areas[area_of(chart, line->candidate)] = true;
        chart->signs[marks->spread.sign] = true;
        if (marks->samples.count > 0) {
            chart->signs[CHART_SIGN_DOT] = true;
            line->below = CHART_THROUGHPUT_STRIP;
        }
    }
}

static double largest_throughput(const struct throughput_chart *chart)
{
    double largest = 0;
    for (size_t i = 0; i < chart->frame.every.count; i++) {
        if (has_bar(chart, chart->frame.every.items[i]))
            largest = fmax(largest, chart_throughput_reach(chart->frame.every.items[i],
                                                           &chart->every[i].samples));
    }
    return largest;
}

static double largest_percent(const struct throughput_chart *chart)
{
    double largest = 0;
    for (size_t i = 0; i < chart->frame.every.count; i++) {
        double ratio = chart->frame.every.items[i]->communication_ratio;
        if (is_measure(ratio))
            largest = fmax(largest, 100 * ratio);
    }
    return largest;
}

static struct axis_unit percent_unit(double largest)
{
    (void)largest;
    return (struct axis_unit){1, "%"};
}

/* ---- Bars ---- */

static void put_bar(struct throughput_chart *chart, size_t i)
{
    const struct chart_line *line = &chart->lines.items[i];
    const struct chart_plot *plot = &chart->plot;
    double to = chart_plot_x(plot, line->candidate->throughput);
    struct canvas_box box = {plot->left, line->bar_y, fmax(to - plot->left, 0.75), CHART_LINES_BAR};
    if (line->candidate->throughput > 0)
        scene_rectangle(&chart->frame.scene, box,
                        &chart->frame.theme->area[area_of(chart, line->candidate)]);
}

/* Over the line of the minimum, which would hide dots. */
static void put_marks(struct throughput_chart *chart)
{
    for (size_t i = 0; i < chart->lines.count; i++) {
        const struct chart_line *line = &chart->lines.items[i];
        const struct row_marks *marks = &chart->marks[i];
        if (!line->has_mark)
            continue;
        if (marks->samples.count > 0)
            chart_throughput_put_samples(&chart->frame, &chart->plot, line, &marks->samples);
        chart_throughput_put_spread(&chart->frame, &chart->plot, line, &marks->spread);
    }
}

static void put_share(struct throughput_chart *chart, const struct chart_line *line)
{
    double ratio = line->candidate->communication_ratio;
    double to = chart_plot_x(&chart->share, 100 * ratio);
    struct canvas_box box = {chart->share.left, line->y + (line->height - SHARE_BAR) / 2,
                             fmax(to - chart->share.left, 0.75), SHARE_BAR};
    bool count = chart->frame.group->times_count;
    if (is_measure(ratio) && ratio > 0)
        scene_rectangle(&chart->frame.scene, box,
                        &chart->frame.theme->area[count ? THEME_COMMUNICATION : THEME_NOT_COUNTED]);
}

static void put_bars(struct throughput_chart *chart)
{
    for (size_t i = 0; i < chart->lines.count; i++) {
        const struct chart_line *line = &chart->lines.items[i];
        if (line->has_mark)
            put_bar(chart, i);
        if (chart->share_panel)
            put_share(chart, line);
    }
}

static void put_share_texts(struct throughput_chart *chart)
{
    for (size_t i = 0; i < chart->lines.count; i++) {
        const struct chart_line *line = &chart->lines.items[i];
        double x = chart->share_panel ? chart->share.right + CHART_LINES_GAP : chart->share.left;
        chart_cell_draw(&chart->frame.scene, &line->side,
                        (struct canvas_point){x, line->y + (line->height - line->side.height) / 2});
    }
}

/* ---- The whole ---- */

static void set_limits(struct throughput_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    const struct summary_policy *policy = &frame->input->summary->policy;
    chart->plot.limit = chart->share.limit = NAN;
    bool same_unit = chart->unit == NULL || policy->throughput_unit == NULL ||
                     strcmp(chart->unit, policy->throughput_unit) == 0;
    if (!isnan(policy->min_throughput) && same_unit) {
        chart->plot.limit = policy->min_throughput;
        chart->plot.limit_text = chart_frame_say1(
            frame, "chart.throughput.minimum", "limit",
            chart_throughput_words_rate(frame, policy->min_throughput, policy->throughput_unit));
    }
    if (!isnan(policy->max_communication_ratio) && chart->shares) {
        chart->share.limit = 100 * policy->max_communication_ratio;
        chart->share.limit_text =
            chart_frame_say1(frame, "chart.throughput.maximum", "limit",
                             chart_frame_percent(frame, policy->max_communication_ratio, true));
    }
}

/* From the right: share's values, share panel, values of throughput; the panel takes the rest. */
static void set_columns(struct throughput_chart *chart)
{
    double right = chart->frame.width - CHART_FRAME_MARGIN;
    double left = ceil(CHART_FRAME_MARGIN + chart->lines.label_width + CHART_LINES_GAP);
    double rest = right - CHART_THROUGHPUT_SHARE_WIDTH - 2 * CHART_LINES_GAP -
                  CHART_THROUGHPUT_VALUE_WIDTH - left;
    chart->share_panel = chart->shares && rest - SHARE_PANEL_WIDTH - CHART_LINES_GAP >= PANEL_LEAST;
    if (chart->shares) {
        chart->share.right = right - CHART_THROUGHPUT_SHARE_WIDTH - CHART_LINES_GAP;
        chart->share.left = chart->share_panel ? chart->share.right - SHARE_PANEL_WIDTH
                                               : chart->share.right + CHART_LINES_GAP;
        right = chart->share.left - CHART_LINES_GAP;
    }
    chart->plot.left = left;
    chart->plot.right = right - CHART_THROUGHPUT_VALUE_WIDTH - CHART_LINES_GAP;
    chart->plot.label_end = right;
    chart->share.label_end = chart->frame.width - CHART_FRAME_MARGIN;
}

static void fill_cells(struct throughput_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    double width = chart->plot.right - chart->plot.left;
    for (size_t i = 0; i < chart->lines.count; i++) {
        struct chart_line *line = &chart->lines.items[i];
        bool other = chart->unit != NULL && other_unit(chart, line->candidate);
        chart_throughput_words_fill(frame, line, other, width);
        if (line->has_mark)
            chart_throughput_words_spread(frame, line, &chart->marks[i].spread);
        size_t beyond = chart_throughput_beyond(&chart->plot, &chart->marks[i].samples);
        if (beyond > 0)
            chart_throughput_words_beyond(frame, line, beyond, width);
        if (chart->shares)
            chart_throughput_words_share(frame, line);
    }
}

static void put_panels(struct throughput_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    chart_lines_place(&chart->lines, frame, &chart->plot);
    chart->share.top = chart->plot.top;
    chart->share.bottom = chart->plot.bottom;
    chart_plot_grid(frame, &chart->plot);
    if (chart->share_panel)
        chart_plot_grid(frame, &chart->share);
    chart_lines_put_grounds(&chart->lines, frame, &chart->plot);
    put_bars(chart);
    chart_lines_put_limit(&chart->lines, frame, &chart->plot);
    put_marks(chart);
    if (chart->share_panel)
        chart_plot_limit(frame, &chart->share);
    chart_lines_put_texts(&chart->lines, frame, &chart->plot);
    put_share_texts(chart);
    chart_plot_numbers(frame, &chart->plot);
    if (chart->share_panel)
        chart_plot_numbers(frame, &chart->share);
    frame->y += chart_plot_numbers_height();
}

static void lay_out(struct throughput_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    set_limits(chart);
    chart_throughput_head_notices(chart);
    set_columns(chart);
    chart_plot_scale(frame, &chart->plot, largest_throughput(chart), axis_plain_unit);
    if (chart->share_panel)
        chart_plot_scale(frame, &chart->share, largest_percent(chart), percent_unit);
    fill_cells(chart);
    chart_throughput_head_legend(chart);
    chart_throughput_head_headings(chart);
    put_panels(chart);
}

enum status chart_throughput_draw(const struct chart_input *input, struct canvas *canvas,
                                  struct diag *diag)
{
    struct throughput_chart chart = {0};
    const char *title = texts_get(input->texts, "chart.throughput.title");
    enum status status = chart_frame_init(&chart.frame, input, canvas, diag);
    if (status == STATUS_OK)
        status = chart_lines_init(&chart.lines, &chart.frame, LABEL_WIDTH, diag);
    if (status == STATUS_OK) {
        read_all(&chart);
        status = read_samples(&chart, diag);
    }
    if (status == STATUS_OK) {
        read_lines(&chart);
        chart_frame_header(&chart.frame, title, chart_throughput_words_subtitle(&chart.frame));
        lay_out(&chart);
        status = chart_frame_finish(&chart.frame, title, diag);
    }
    chart_frame_fini(&chart.frame);
    return status;
}
