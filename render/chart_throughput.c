#include "chart_throughput.h"

#include <math.h>
#include <string.h>

#include "chart_throughput_words.h"

/*
 * Throughput per candidate as a bar from zero with the minimum as a line, and in a panel of its
 * own the exposed communication with its maximum: two units share no axis.
 */

#define LABEL_WIDTH 196.0
#define SHARE_PANEL_WIDTH 120.0
#define SHARE_BAR 12.0

struct throughput_chart {
    struct chart_frame frame;
    struct chart_plot plot;  /* throughput */
    struct chart_plot share; /* exposed communication in percent; right of the values */
    struct chart_lines lines;
    const char *unit; /* of the axis; NULL: nothing is measured */
    bool shares;      /* the exposed communication of some candidate is measured */
    bool chosen;      /* the best eligible is what the decision accepts */
    bool areas[THEME_AREA_COUNT];
};

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

static void read_lines(struct throughput_chart *chart)
{
    for (size_t i = 0; i < chart->lines.count; i++) {
        struct chart_line *line = &chart->lines.items[i];
        line->has_mark = has_bar(chart, line->candidate);
        if (line->has_mark)
            chart->areas[area_of(chart, line->candidate)] = true;
    }
}

static double largest_throughput(const struct throughput_chart *chart)
{
    double largest = 0;
    for (size_t i = 0; i < chart->frame.every.count; i++) {
        if (has_bar(chart, chart->frame.every.items[i]))
            largest = fmax(largest, chart->frame.every.items[i]->throughput);
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

static void put_bars(struct throughput_chart *chart)
{
    struct scene *scene = &chart->frame.scene;
    for (size_t i = 0; i < chart->lines.count; i++) {
        const struct chart_line *line = &chart->lines.items[i];
        const struct summary_candidate *candidate = line->candidate;
        if (line->has_mark && candidate->throughput > 0) {
            double to = chart_plot_x(&chart->plot, candidate->throughput);
            struct canvas_box box = {chart->plot.left, line->bar_y,
                                     fmax(to - chart->plot.left, 0.75), CHART_LINES_BAR};
            scene_rectangle(scene, box, &chart->frame.theme->area[area_of(chart, candidate)]);
        }
        if (chart->shares && is_measure(candidate->communication_ratio) &&
            candidate->communication_ratio > 0) {
            double to = chart_plot_x(&chart->share, 100 * candidate->communication_ratio);
            struct canvas_box box = {chart->share.left, line->y + (line->height - SHARE_BAR) / 2,
                                     fmax(to - chart->share.left, 0.75), SHARE_BAR};
            scene_rectangle(
                scene, box,
                &chart->frame.theme->area[chart->frame.group->times_count ? THEME_COMMUNICATION
                                                                          : THEME_NOT_COUNTED]);
        }
    }
}

static void put_share_texts(struct throughput_chart *chart)
{
    for (size_t i = 0; i < chart->lines.count; i++) {
        const struct chart_line *line = &chart->lines.items[i];
        chart_cell_draw(&chart->frame.scene, &line->side,
                        (struct canvas_point){chart->share.right + CHART_LINES_GAP,
                                              line->y + (line->height - line->side.height) / 2});
    }
}

/* ---- Head ---- */

static void put_notices(struct throughput_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    const struct summary_policy *policy = &frame->input->summary->policy;
    if (!frame->group->times_count)
        chart_frame_notice(frame, texts_get(frame->texts, "chart.notice.times"));
    if (!isnan(policy->min_throughput) && chart->unit != NULL && isnan(chart->plot.limit))
        chart_frame_notice(
            frame, chart_frame_say1(frame, "chart.notice.unit", "limit",
                                    chart_throughput_words_rate(frame, policy->min_throughput,
                                                                policy->throughput_unit)));
    if (!chart->shares && frame->rows.count > 0)
        chart_frame_notice(frame, texts_get(frame->texts, "chart.notice.no_shares"));
}

static void put_legend(struct throughput_chart *chart)
{
    static const struct {
        enum theme_area area;
        const char *id;
    } known[] = {
        {THEME_SELECTED, "chart.throughput.first"},
        {THEME_ELIGIBLE, "verdict.eligible"},
        {THEME_NOT_ELIGIBLE, "verdict.not_eligible"},
        {THEME_NOT_COUNTED, "chart.throughput.not_counted"},
    };
    struct chart_frame_key keys[sizeof known / sizeof known[0]];
    size_t count = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const char *id = known[i].id;
        if (known[i].area == THEME_SELECTED && chart->chosen)
            id = "chart.status.selected";
        if (chart->areas[known[i].area])
            keys[count++] =
                (struct chart_frame_key){known[i].area, texts_get(chart->frame.texts, id), NULL};
    }
    if (count > 1 || chart->areas[THEME_NOT_COUNTED]) /* one colour needs no key */
        chart_frame_legend(&chart->frame, keys, count);
}

static const char *axis_title(struct throughput_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    const char *prefix = chart->plot.axis.unit.name;
    const char *unit = chart->unit != NULL ? chart->unit : "";
    if (unit[0] == '\0' && prefix[0] == '\0')
        return texts_get(frame->texts, "chart.throughput.axis_plain");
    return chart_frame_say1(frame, "chart.throughput.axis", "unit",
                            scene_format(&frame->scene, "%s%s%s", prefix,
                                         prefix[0] != '\0' && unit[0] != '\0' ? " " : "", unit));
}

static void put_headings(struct throughput_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    const struct chart_plot *plot = &chart->plot;
    const struct chart_plot *share = &chart->share;
    struct chart_plot_heading headings[] = {
        {texts_get(frame->texts, "column.strategy"), CHART_FRAME_MARGIN, chart->lines.label_width},
        {axis_title(chart), plot->left, plot->right - plot->left},
        {texts_get(frame->texts, "chart.throughput.value"), plot->right + CHART_LINES_GAP,
         CHART_THROUGHPUT_VALUE_WIDTH},
        {texts_get(frame->texts, "chart.throughput.share"), share->left,
         chart->frame.width - CHART_FRAME_MARGIN - share->left},
    };
    chart_plot_put_headings(frame, headings, chart->shares ? 4 : 3);
    frame->y += fmax(chart_plot_limit_height(plot), chart_plot_limit_height(share));
    chart_plot_limit_label(frame, plot, frame->y);
    if (chart->shares)
        chart_plot_limit_label(frame, share, frame->y);
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
    if (chart->shares) {
        chart->share.right = right - CHART_THROUGHPUT_SHARE_WIDTH - CHART_LINES_GAP;
        chart->share.left = chart->share.right - SHARE_PANEL_WIDTH;
        right = chart->share.left - CHART_LINES_GAP;
    }
    chart->plot.left = ceil(CHART_FRAME_MARGIN + chart->lines.label_width + CHART_LINES_GAP);
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
    if (chart->shares)
        chart_plot_grid(frame, &chart->share);
    chart_lines_put_grounds(&chart->lines, frame, &chart->plot);
    put_bars(chart);
    chart_lines_put_limit(&chart->lines, frame, &chart->plot);
    if (chart->shares)
        chart_plot_limit(frame, &chart->share);
    chart_lines_put_texts(&chart->lines, frame, &chart->plot);
    put_share_texts(chart);
    chart_plot_numbers(frame, &chart->plot);
    if (chart->shares)
        chart_plot_numbers(frame, &chart->share);
    frame->y += chart_plot_numbers_height();
}

static void lay_out(struct throughput_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    set_limits(chart);
    put_notices(chart);
    set_columns(chart);
    chart_plot_scale(frame, &chart->plot, largest_throughput(chart), axis_plain_unit);
    if (chart->shares)
        chart_plot_scale(frame, &chart->share, largest_percent(chart), percent_unit);
    fill_cells(chart);
    put_legend(chart);
    put_headings(chart);
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
        read_lines(&chart);
        chart_frame_header(&chart.frame, title, chart_throughput_words_subtitle(&chart.frame));
        lay_out(&chart);
        status = chart_frame_finish(&chart.frame, title, diag);
    }
    chart_frame_fini(&chart.frame);
    return status;
}
