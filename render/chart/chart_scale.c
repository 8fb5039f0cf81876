#include "chart_scale.h"

#include <math.h>

#include "chart_labels.h"
#include "chart_marker.h"
#include "chart_panel.h"
#include "chart_scale_lines.h"

/*
 * One line a strategy over the world size, with the measured state as a sign at the world size of
 * the run. Both axes are logarithmic: a world size is doubled, not increased, so what is sharded
 * falls on a straight line; on a linear axis the strategies that shard everything would all lie on
 * zero from 64 ranks on, which is where one asks how they differ.
 */

#define HEIGHT_SHARE 0.46 /* of the width: a slope of one half a doubling is seen as one */
#define HEIGHT_PAGE 0.36  /* on paper */
#define LABELS_SHARE 0.19 /* of the width, right of the panel */
#define LABEL_GAP 18.0
#define MARKER 5.0
#define MARKER_BELOW 7.5  /* of a sign that another one covers */
#define LABEL_HEIGHT 40.0 /* of two lines and the gap, about */
/* A limit further than this from every value is named, not drawn. */
#define LIMIT_MOST 32.0

struct scale_chart {
    struct chart_frame frame;
    struct chart_panel panel;
    struct chart_scale_lines lines;
    double limit; /* MiB; NAN: none */
    bool limit_inside;
    double left, label_x, label_width;
    double end; /* the largest world size of the lines */
};

/* ---- Reading ---- */

static bool any_measured(const struct scale_chart *chart)
{
    for (size_t i = 0; i < chart->frame.every.count; i++) {
        if (!isnan(chart_scale_measured(chart->frame.every.items[i])))
            return true;
    }
    return false;
}

static struct chart_axis_range ranks_range(struct scale_chart *chart)
{
    struct chart_axis_range range = chart_axis_range_empty(CHART_AXIS_LOG2);
    for (size_t i = 0; i < chart->lines.count; i++) {
        const struct summary_scale *scale = &chart->lines.items[i].candidate->scale;
        chart_axis_range_add(&range, scale->items[0].world_size);
        chart_axis_range_add(&range, scale->items[scale->count - 1].world_size);
    }
    chart->end = range.largest;
    for (size_t i = 0; i < chart->frame.every.count; i++) {
        const struct summary_candidate *candidate = chart->frame.every.items[i];
        if (!isnan(chart_scale_measured(candidate)))
            chart_axis_range_add(&range, chart_scale_ranks(&chart->frame, candidate));
    }
    return range;
}

static struct chart_axis_range memory_range(struct scale_chart *chart)
{
    struct chart_axis_range range = chart_axis_range_empty(CHART_AXIS_LOG10);
    for (size_t i = 0; i < chart->lines.count; i++) {
        const struct summary_scale *scale = &chart->lines.items[i].candidate->scale;
        for (size_t p = 0; p < scale->count; p++)
            chart_axis_range_add(&range, scale->items[p].resident_mb);
    }
    for (size_t i = 0; i < chart->frame.every.count; i++)
        chart_axis_range_add(&range, chart_scale_measured(chart->frame.every.items[i]));
    chart->limit_inside = chart->limit > 0 && chart->limit <= LIMIT_MOST * range.largest &&
                          chart->limit >= range.smallest / LIMIT_MOST;
    if (chart->limit_inside)
        chart_axis_range_add(&range, chart->limit);
    range.unit = axis_memory_unit(isfinite(range.largest) ? range.largest : 0);
    return range;
}

/* ---- Layout ---- */

/* High enough for the names at the ends of its lines. */
static double panel_height(const struct scale_chart *chart)
{
    double labels = LABEL_HEIGHT; /* of the limit */
    for (size_t i = 0; i < chart->lines.count; i++)
        labels += chart->lines.items[i].same_as == i ? LABEL_HEIGHT : 0;
    double share = chart->frame.input->on_page ? HEIGHT_PAGE : HEIGHT_SHARE;
    return fmax(labels, round(share * chart->frame.content));
}

static void place_panel(struct scale_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    struct chart_axis_range x = ranks_range(chart);
    struct chart_axis_range y = memory_range(chart);
    struct canvas_box *box = &chart->panel.box;
    chart->label_width = round(LABELS_SHARE * frame->content);
    chart->label_x = frame->width - CHART_FRAME_MARGIN - chart->label_width;
    chart->left = CHART_FRAME_MARGIN;
    *box = (struct canvas_box){chart->left, ceil(frame->y + CHART_PANEL_TITLE + 2),
                               chart->label_x - LABEL_GAP - chart->left, panel_height(chart)};
    chart_panel_scale(frame, &chart->panel, &x, &y);
    double numbers = chart_panel_numbers_width(frame, &chart->panel.y);
    box->x += numbers;
    box->width -= numbers;
    chart_panel_scale(frame, &chart->panel, &x, &y);
}

/* ---- Drawing ---- */

static void put_lines(struct scale_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    for (size_t i = 0; i < chart->lines.count; i++) {
        const struct chart_scale_line *line = &chart->lines.items[i];
        const struct summary_scale *scale = &line->candidate->scale;
        struct canvas_point *points =
            arena_take_array(&frame->scene.arena, scale->count, sizeof *points);
        struct canvas_paint paint = {CANVAS_NONE, CANVAS_NONE, line->series->colour, 2,
                                     line->series->dash};
        if (points == NULL) {
            frame->scene.failed = true;
            return;
        }
        /* Over an equal line only dashes show both. */
        if (line->same_as != i && paint.dash == 0)
            paint.dash = 9;
        for (size_t p = 0; p < scale->count; p++)
            points[p] =
                (struct canvas_point){chart_panel_x(&chart->panel, scale->items[p].world_size),
                                      chart_panel_y(&chart->panel, scale->items[p].resident_mb)};
        scene_polyline(&frame->scene, points, scale->count, &paint);
    }
}

static struct canvas_point place_of(const struct scale_chart *chart,
                                    const struct summary_candidate *candidate)
{
    return (struct canvas_point){
        chart_panel_x(&chart->panel, chart_scale_ranks(&chart->frame, candidate)),
        chart_panel_y(&chart->panel, chart_scale_measured(candidate))};
}

/* Whether the sign of a later candidate of another strategy lies on this one's. */
static bool is_covered(const struct scale_chart *chart, size_t index)
{
    const struct chart_order_rows *every = &chart->frame.every;
    const struct theme *theme = chart->frame.theme;
    const struct theme_series *series = theme_series_of(theme, every->items[index]->strategy);
    struct canvas_point at = place_of(chart, every->items[index]);
    for (size_t i = index + 1; i < every->count; i++) {
        struct canvas_point other = place_of(chart, every->items[i]);
        if (!isnan(chart_scale_measured(every->items[i])) &&
            theme_series_of(theme, every->items[i]->strategy) != series &&
            hypot(at.x - other.x, at.y - other.y) < MARKER / 2)
            return true;
    }
    return false;
}

static void put_measured(struct scale_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    for (size_t i = 0; i < frame->every.count; i++) {
        const struct summary_candidate *candidate = frame->every.items[i];
        if (!(chart_scale_measured(candidate) > 0) || !(chart_scale_ranks(frame, candidate) > 0))
            continue;
        chart_marker(&frame->scene, theme_series_of(frame->theme, candidate->strategy),
                     place_of(chart, candidate), is_covered(chart, i) ? MARKER_BELOW : MARKER,
                     frame->theme->ink[THEME_PAGE]);
    }
}

static const char *amount(struct scale_chart *chart, double mb, bool exact)
{
    char text[64];
    return scene_format(&chart->frame.scene, "%s",
                        axis_memory_label(axis_memory_unit(mb), mb, exact, text, sizeof text));
}

static void add_limit_label(struct scale_chart *chart, struct chart_label *label)
{
    struct chart_frame *frame = &chart->frame;
    struct chart_cell_style style =
        chart_frame_style(frame, THEME_FONT_SMALL_STRONG, THEME_LIMIT, chart->label_width, 3);
    const char *text =
        chart_frame_say1(frame, "chart.limit", "limit", amount(chart, chart->limit, true));
    if (!chart->limit_inside)
        text = chart_frame_say1(frame, "chart.limit_beyond", "limit", text);
    double far = chart->limit > 0 ? chart->limit : chart->panel.y.from;
    *label = (struct chart_label){
        .anchor = {chart->panel.box.x + chart->panel.box.width, chart_panel_y(&chart->panel, far)},
        .colour = chart->limit_inside ? frame->theme->ink[THEME_LIMIT] : CANVAS_NONE,
    };
    chart_cell_add(&frame->scene, &label->cell, text, &style);
}

/* What the values below the names are. */
static void put_label_heading(struct scale_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    struct sentence_value value = {"ranks", NULL, chart->end};
    struct chart_cell cell = {0};
    struct chart_cell_style style =
        chart_frame_style(frame, THEME_FONT_SMALL, THEME_QUIET, chart->label_width, 1);
    chart_cell_add(&frame->scene, &cell, chart_frame_say(frame, "chart.scale.end", &value, 1),
                   &style);
    chart_cell_draw(&frame->scene, &cell,
                    (struct canvas_point){chart->label_x, chart->panel.box.y - 8 - cell.height});
}

/* The names of the lines where they end, with the value there. */
static void put_labels(struct scale_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    const struct canvas_box *box = &chart->panel.box;
    struct chart_label *labels =
        arena_take_array(&frame->scene.arena, chart->lines.count + 1, sizeof *labels);
    size_t count = 0;
    if (labels == NULL) {
        frame->scene.failed = true;
        return;
    }
    for (size_t i = 0; i < chart->lines.count; i++) {
        const struct chart_scale_line *line = &chart->lines.items[i];
        struct chart_cell_style style =
            chart_frame_style(frame, THEME_FONT_SMALL_STRONG, THEME_TEXT, chart->label_width, 2);
        if (line->same_as != i)
            continue;
        double end = chart_scale_line_end(line);
        struct chart_label *label = &labels[count++];
        *label = (struct chart_label){
            .anchor = {box->x + box->width, chart_panel_y(&chart->panel, end)},
            .colour = line->series->colour,
        };
        style.keep_end = true;
        chart_cell_add(&frame->scene, &label->cell, line->name, &style);
        style = chart_frame_style(frame, THEME_FONT_SMALL, THEME_QUIET, chart->label_width, 1);
        chart_cell_add(&frame->scene, &label->cell, amount(chart, end, false), &style);
    }
    if (!isnan(chart->limit))
        add_limit_label(chart, &labels[count++]);
    chart_labels_column(labels, count, chart->label_x, box->y - 4,
                        box->y + box->height + 4); /* leaders stay clear of the numbers */
    chart_labels_put(frame, labels, count);
}

/* ---- Words ---- */

/* The candidates without a ledger, by name, but for those whose strategy has a line of another. */
static void put_unknown(struct scale_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    struct text_buffer names = {0};
    for (size_t i = 0; i < frame->every.count; i++) {
        const struct summary_candidate *candidate = frame->every.items[i];
        if (candidate->scale.count > 0 || chart_scale_lines_have(&chart->lines, candidate))
            continue;
        if (names.length > 0)
            text_buffer_puts(&names, " \xC2\xB7 "); /* a middle dot: labels have commas */
        text_buffer_puts(&names, chart_frame_name(frame, candidate));
    }
    if (names.failed)
        frame->scene.failed = true;
    else if (names.length > 0)
        chart_frame_sentence(
            frame, THEME_FONT_SMALL,
            chart_frame_say1(frame, "chart.scale.unknown", "candidates", names.text), 8);
    text_buffer_fini(&names);
}

static void describe(struct scale_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    for (size_t i = 0; i < chart->lines.count; i++) {
        const struct chart_scale_line *line = &chart->lines.items[i];
        const struct summary_scale *scale = &line->candidate->scale;
        if (line->same_as != i)
            continue;
        text_buffer_printf(&frame->description, "\n%s:", line->name);
        for (size_t p = 0; p < scale->count; p++)
            text_buffer_printf(&frame->description, "%s %.0f: %s", p > 0 ? "," : "",
                               scale->items[p].world_size,
                               amount(chart, scale->items[p].resident_mb, false));
    }
}

bool chart_scale_has_content(const struct chart_input *input)
{
    const struct summary_group *group = &input->summary->groups[input->group];
    for (size_t i = 0; i < group->candidate_count; i++) {
        if (group->candidates[i].scale.count > 0)
            return true;
    }
    return false;
}

static void put_panel(struct scale_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    const struct texts *texts = frame->texts;
    place_panel(chart);
    chart_panel_titles(
        frame, &chart->panel, chart->left, texts_get(texts, "chart.scale.ranks"),
        chart_frame_say1(frame, "chart.scale.axis", "unit", chart->panel.y.unit.name));
    put_label_heading(chart);
    chart_panel_grid(frame, &chart->panel);
    if (chart->limit_inside)
        chart_panel_limit_y(frame, &chart->panel, chart->limit);
    put_lines(chart);
    chart_panel_numbers(frame, &chart->panel, CHART_PANEL_X | CHART_PANEL_Y);
    put_measured(chart);
    put_labels(chart);
    describe(chart);
    frame->y = chart->panel.box.y + chart->panel.box.height + CHART_PANEL_NUMBERS + 28;
}

static enum status draw(struct scale_chart *chart, struct diag *diag)
{
    struct chart_frame *frame = &chart->frame;
    const char *title = texts_get(frame->texts, "chart.scale.title");
    chart_scale_lines_find(&chart->lines, frame);
    chart->limit = frame->input->summary->policy.memory_limit_mb;
    chart_frame_header(frame, title,
                       texts_get(frame->texts, any_measured(chart) ? "chart.scale.subtitle"
                                                                   : "chart.scale.formula"));
    if (chart->lines.count > 0)
        put_panel(chart);
    put_unknown(chart);
    return chart_frame_finish(frame, title, diag);
}

enum status chart_scale_draw(const struct chart_input *input, struct canvas *canvas,
                             struct diag *diag)
{
    struct scale_chart chart = {.limit_inside = false};
    enum status status = chart_frame_init(&chart.frame, input, canvas, diag);
    if (status == STATUS_OK)
        status = draw(&chart, diag);
    chart_frame_fini(&chart.frame);
    return status;
}
