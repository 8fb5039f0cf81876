#include "chart_losses.h"

#include <math.h>

#include "chart_losses_labels.h"
#include "chart_marker.h"

/*
 * One panel with a line a candidate, or one for several whose losses lie on each other: then each
 * has its markers at other steps of it. Names stand beside the ends of the lines.
 */

#define LABELS_WIDTH 232.0
#define PANEL_HEIGHT 300.0
#define SAMPLE_GAP 6.0
#define MARKERS 7 /* along a line, of all its strategies together */
/* Of more lines than this only those of several runs have markers along them: they would hide each
 * other. */
#define MARKED_LINES 8
/* Losses that differ by more than this factor are told apart on a logarithmic axis only. */
#define LOGARITHMIC_FROM 100.0
/* A line that ends before this part of the axis is not led to its name. */
#define LED_FROM 0.97

struct losses_chart {
    struct chart_frame frame;
    struct chart_panel panel;
    struct chart_curves curves;
    struct chart_losses_labels labels;
    size_t ring; /* the curve with the largest difference; curves.count: none differs */
    bool cross;
};

bool chart_losses_has_content(const struct chart_input *input)
{
    const struct summary_group *group = &input->summary->groups[input->group];
    for (size_t i = 0; i < group->candidate_count; i++) {
        if (chart_curves_any(&group->candidates[i]))
            return true;
    }
    return false;
}

/* ---- Scale ---- */

static void scale(struct losses_chart *chart)
{
    struct chart_axis_range losses = chart_axis_range_empty(CHART_AXIS_RANGE);
    struct chart_axis_range steps = chart_axis_range_empty(CHART_AXIS_RANGE);
    steps.whole = true;
    chart_axis_range_add(&steps, 0); /* as the step of a failure counts */
    for (size_t i = 0; i < chart->curves.count; i++) {
        const struct chart_trace *trace = &chart->curves.items[i].trace;
        chart_axis_range_add(&steps, (double)trace->count - 1);
        for (size_t k = 0; k < trace->count; k++)
            chart_axis_range_add(&losses, trace->values[k]);
    }
    if (losses.smallest > 0 && losses.largest > LOGARITHMIC_FROM * losses.smallest)
        losses.scale = CHART_AXIS_LOG10;
    chart_panel_scale(&chart->frame, &chart->panel, &steps, &losses);
}

/* From the left: numbers of the axis, panel, samples of lines, names. */
static void set_places(struct losses_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    double right = frame->width - CHART_FRAME_MARGIN - LABELS_WIDTH - CHART_LABELS_LEADER;
    chart->panel.box = (struct canvas_box){CHART_FRAME_MARGIN, 0, 300, PANEL_HEIGHT};
    scale(chart);
    double numbers = chart_panel_numbers_width(frame, &chart->panel.y);
    chart->panel.box.x = ceil(CHART_FRAME_MARGIN + numbers);
    chart->panel.box.width = floor(right - chart->panel.box.x);
    scale(chart);
}

/* ---- Lines ---- */

static struct canvas_paint line_of(const struct theme_series *series)
{
    return (struct canvas_paint){CANVAS_NONE, CANVAS_NONE, series->colour, 1.8, series->dash};
}

static const struct theme_series *series_of(const struct losses_chart *chart, size_t curve)
{
    return theme_series_of(chart->frame.theme, chart->curves.items[curve].candidate->strategy);
}

/* The different series that share a line; returns how many, at most `most`. */
static size_t series_on(const struct losses_chart *chart, size_t leader,
                        const struct theme_series **found, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < chart->curves.count && count < most; i++) {
        bool known = chart->curves.items[i].leader != leader;
        for (size_t k = 0; k < count && !known; k++)
            known = found[k] == series_of(chart, i);
        if (!known)
            found[count++] = series_of(chart, i);
    }
    return count;
}

static void put_markers(struct losses_chart *chart, size_t leader)
{
    const struct theme_series *series[THEME_SERIES_COUNT];
    size_t count = series_on(chart, leader, series, THEME_SERIES_COUNT);
    const struct chart_trace *trace = &chart->curves.items[leader].trace;
    size_t stride = trace->count / MARKERS + 1;
    for (size_t i = stride / 2, n = leader; i < trace->count; i += stride, n++) {
        if (isfinite(trace->values[i]))
            chart_marker(&chart->frame.scene, series[n % count],
                         chart_trace_at(&chart->panel, trace, i), 4,
                         chart->frame.theme->ink[THEME_PAGE]);
    }
}

static void put_end(struct losses_chart *chart, const struct chart_curve *curve)
{
    const struct theme *theme = chart->frame.theme;
    bool broken = curve->not_finite < curve->trace.count;
    if (curve->candidate->failure.reason == NULL && !broken)
        return;
    size_t at = curve->last;
    if (broken && curve->not_finite > 0)
        at = curve->not_finite - 1;
    chart_marker_cross(&chart->frame.scene, chart_trace_at(&chart->panel, &curve->trace, at), 5,
                       theme->ink[THEME_BAD], theme->ink[THEME_PAGE]);
}

static void put_lines(struct losses_chart *chart)
{
    struct chart_curves *curves = &chart->curves;
    for (size_t i = 0; i < chart->labels.count; i++) {
        size_t leader = chart->labels.leaders[i];
        struct canvas_paint paint = line_of(series_of(chart, leader));
        chart_trace_line(&chart->frame, &chart->panel, &curves->items[leader].trace, &paint);
    }
    for (size_t i = 0; i < chart->labels.count; i++) {
        if (chart->labels.count <= MARKED_LINES ||
            chart_curves_members(curves, chart->labels.leaders[i]) > 1)
            put_markers(chart, chart->labels.leaders[i]);
        put_end(chart, &curves->items[chart->labels.leaders[i]]);
    }
    if (chart->ring < curves->count)
        chart_sign_ring(&chart->frame.scene, chart->frame.theme,
                        chart_trace_at(&chart->panel, &curves->items[chart->ring].trace,
                                       curves->items[chart->ring].difference_at));
}

/* ---- Names ---- */

static void put_sample(struct losses_chart *chart, size_t leader, struct canvas_point at)
{
    const struct theme_series *series[THEME_SERIES_COUNT];
    size_t count = series_on(chart, leader, series, THEME_SERIES_COUNT);
    struct canvas_paint paint = line_of(series[0]);
    struct scene *scene = &chart->frame.scene;
    scene_line(scene, at, (struct canvas_point){at.x + CHART_LOSSES_SAMPLE, at.y}, &paint);
    for (size_t i = 0; i < count; i++) {
        double x = at.x + CHART_LOSSES_SAMPLE * ((double)i + 0.5) / (double)count;
        chart_marker(scene, series[i], (struct canvas_point){x, at.y}, count > 4 ? 3.2 : 4,
                     chart->frame.theme->ink[THEME_PAGE]);
    }
}

static void put_label(struct losses_chart *chart, const struct chart_label *label, size_t leader)
{
    struct scene *scene = &chart->frame.scene;
    const struct canvas_extent *first = &label->cell.lines[0].text.extent;
    double end = chart->panel.box.x + chart->panel.box.width;
    struct canvas_point sample = {end + CHART_LABELS_LEADER,
                                  label->at.y + (first->ascent + first->descent) / 2};
    struct canvas_paint thin = {CANVAS_NONE, CANVAS_NONE, label->colour, 0.8, 0};
    if (label->anchor.x > chart->panel.box.x + LED_FROM * chart->panel.box.width)
        scene_line(scene, label->anchor, sample, &thin);
    put_sample(chart, leader, sample);
    chart_cell_draw(scene, &label->cell, label->at);
    struct chart_cell none = {0};
    chart_frame_describe(&chart->frame, &label->cell, &none, &none);
}

/* chart_labels_column reorders labels: each finds its line by its anchor's index. */
static void put_labels(struct losses_chart *chart)
{
    struct chart_losses_labels *labels = &chart->labels;
    const struct canvas_box *box = &chart->panel.box;
    double x = box->x + box->width + CHART_LABELS_LEADER + CHART_LOSSES_SAMPLE + SAMPLE_GAP;
    for (size_t i = 0; i < labels->count; i++) {
        const struct chart_curve *curve = &chart->curves.items[labels->leaders[i]];
        labels->items[i].anchor = chart_trace_at(&chart->panel, &curve->trace, curve->last);
        labels->items[i].colour = series_of(chart, labels->leaders[i])->colour;
        labels->items[i].tag = labels->leaders[i];
    }
    if (!chart_labels_column(labels->items, labels->count, x, box->y, box->y + box->height))
        return; /* the panel was made high enough for them */
    for (size_t i = 0; i < labels->count; i++)
        put_label(chart, &labels->items[i], labels->items[i].tag);
}

/* ---- The whole ---- */

static void put_warmup(struct losses_chart *chart)
{
    const struct canvas_box *box = &chart->panel.box;
    struct canvas_paint grey = {chart->frame.theme->ink[THEME_GRID], CANVAS_NONE, CANVAS_NONE, 0,
                                0};
    double to = chart_panel_x(&chart->panel, chart->curves.warmup_most - 0.5);
    if (chart->curves.warmup_most > 0)
        scene_rectangle(&chart->frame.scene,
                        (struct canvas_box){box->x, box->y, to - box->x, box->height}, &grey);
}

static const char *warmup_words(struct losses_chart *chart)
{
    const struct chart_curves *curves = &chart->curves;
    struct sentence_value values[] = {
        {"least", NULL, curves->warmup_least},
        {"most", NULL, curves->warmup_most},
    };
    return chart_frame_say(&chart->frame,
                           curves->warmup_least < curves->warmup_most ? "chart.losses.key_warmups"
                                                                      : "chart.losses.key_warmup",
                           values, 2);
}

static void put_legend(struct losses_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    struct chart_frame_keys none = {NULL, 0};
    struct chart_sign_key keys[3];
    size_t count = 0;
    if (chart->curves.warmup_most > 0)
        keys[count++] = (struct chart_sign_key){CHART_SIGN_GREY, warmup_words(chart)};
    if (chart->ring < chart->curves.count)
        keys[count++] = (struct chart_sign_key){CHART_SIGN_RING,
                                                texts_get(frame->texts, "chart.losses.key_ring")};
    if (chart->cross)
        keys[count++] = (struct chart_sign_key){CHART_SIGN_CROSS,
                                                texts_get(frame->texts, "chart.losses.key_cross")};
    chart_frame_legend_signs(frame, &none, keys, count);
}

/* What needs a key. */
static void note_signs(struct losses_chart *chart)
{
    const struct chart_curves *curves = &chart->curves;
    chart->ring = chart_curves_farthest(curves);
    if (chart->ring < curves->count && curves->items[chart->ring].difference == 0)
        chart->ring = curves->count;
    for (size_t i = 0; i < curves->count; i++)
        chart->cross = chart->cross || curves->items[i].candidate->failure.reason != NULL ||
                       curves->items[i].not_finite < curves->items[i].trace.count;
}

static void put_panel(struct losses_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    struct chart_panel *panel = &chart->panel;
    bool logarithmic = panel->y.scale == CHART_AXIS_LOG10;
    panel->box.y = ceil(frame->y + CHART_PANEL_TITLE);
    put_warmup(chart);
    chart_panel_grid(frame, panel);
    put_lines(chart);
    chart_panel_numbers(frame, panel, CHART_PANEL_X | CHART_PANEL_Y);
    chart_panel_titles(
        frame, panel, CHART_FRAME_MARGIN, texts_get(frame->texts, "chart.losses.steps"),
        texts_get(frame->texts, logarithmic ? "chart.losses.axis_log" : "chart.losses.axis"));
    put_labels(chart);
    frame->y = panel->box.y + panel->box.height + CHART_PANEL_NUMBERS + CHART_PANEL_TITLE;
}

static enum status lay_out(struct losses_chart *chart, struct diag *diag)
{
    struct chart_frame *frame = &chart->frame;
    if (chart->curves.count == 0) {
        chart_losses_labels_absent(frame);
        return STATUS_OK;
    }
    set_places(chart);
    chart_curves_join(&chart->curves, &chart->panel);
    enum status status =
        chart_losses_labels_of(&chart->labels, frame, &chart->curves,
                               LABELS_WIDTH - CHART_LOSSES_SAMPLE - SAMPLE_GAP, diag);
    if (status != STATUS_OK)
        return status;
    chart->panel.box.height = fmax(PANEL_HEIGHT, ceil(chart_losses_labels_height(&chart->labels)));
    scale(chart);
    note_signs(chart);
    put_legend(chart);
    put_panel(chart);
    chart_losses_labels_absent(frame);
    frame->y += 8;
    return STATUS_OK;
}

enum status chart_losses_draw(const struct chart_input *input, struct canvas *canvas,
                              struct diag *diag)
{
    struct losses_chart chart = {0};
    const char *title = texts_get(input->texts, "chart.losses.title");
    enum status status = chart_frame_init(&chart.frame, input, canvas, diag);
    if (status == STATUS_OK)
        status = chart_curves_of(&chart.frame, &chart.curves, diag);
    if (status == STATUS_OK) {
        chart_frame_header(&chart.frame, title,
                           chart_losses_labels_subtitle(&chart.frame, &chart.curves));
        status = lay_out(&chart, diag);
    }
    if (status == STATUS_OK)
        status = chart_frame_finish(&chart.frame, title, diag);
    chart_frame_fini(&chart.frame);
    return status;
}
