#include "chart_margins.h"

#include <math.h>
#include <string.h>

#include "chart_lines.h"
#include "chart_margins_scale.h"
#include "chart_margins_words.h"
#include "report_view.h"

/*
 * A row a limit. In the middle a strip on the limit's own axis, divided into the regions in which
 * the answer is one and the same; on its left where the limit would have to go down and the answer
 * then, on its right the same upwards. The limits have different units, so they share no axis;
 * how far they may move in per cent stands in words.
 */

#define GAP 16.0
#define STRIP 24.0
#define POINTER 11.0 /* height of the mark of the measured value, above the strip */
#define NUMBERS 20.0 /* below it */
#define PADDING 9.0
#define TICKS_MOST 5
#define TICK_GAP 16.0
#define INSET 5.0 /* of a text in a region */
#define LIMITS_MOST 16

struct margins_row {
    const struct summary_sensitivity *item;
    const struct summary_change *down, *up; /* NULL: no value changes the answer */
    double measured;                        /* by the selected candidate; NAN */
    bool ratio, any;
    struct chart_margins_scale scale;
    struct chart_cell label, lower, raise;
    double y, height, strip_y;
};

struct margins_chart {
    struct chart_frame frame;
    const struct summary_candidate *selected; /* NULL: none */
    struct margins_row rows[LIMITS_MOST];
    size_t count;
    double label_width, side_width, left, right; /* of the strips */
    bool areas[THEME_AREA_COUNT];
};

/* ---- Reading ---- */

/* What the selected candidate measured of that which a limit limits. */
static double measured_of(const struct margins_chart *chart, const char *limit)
{
    const struct summary_candidate *selected = chart->selected;
    const struct summary_policy *policy = &chart->frame.input->summary->policy;
    if (selected == NULL || limit == NULL)
        return (double)NAN;
    if (strcmp(limit, "memory_limit_mb") == 0)
        return selected->peak_memory_mb;
    if (strcmp(limit, "min_throughput") == 0)
        return selected->throughput;
    if (strcmp(limit, "max_communication_ratio") == 0)
        return selected->communication_ratio;
    if (strcmp(limit, "min_gain") == 0)
        return chart->frame.group->decision.gain;
    if (strcmp(limit, "max_memory_fraction") == 0)
        return selected->peak_memory_mb / policy->memory_limit_mb;
    return (double)NAN;
}

static struct chart_margins_bounds bounds_of(const struct summary_sensitivity *item)
{
    if (item->limit != NULL && strcmp(item->limit, "min_gain") == 0)
        return (struct chart_margins_bounds){-100, INFINITY};
    bool ratio = item->unit != NULL && strcmp(item->unit, "ratio") == 0;
    return (struct chart_margins_bounds){0, ratio ? 100 : INFINITY};
}

static const struct summary_change *change_of(const struct summary_sensitivity *item,
                                              const char *direction)
{
    for (size_t i = 0; i < item->change_count; i++) {
        if (item->changes[i].direction != NULL &&
            strcmp(item->changes[i].direction, direction) == 0)
            return &item->changes[i];
    }
    return NULL;
}

static double shown(const struct margins_row *row, double value)
{
    return row->ratio ? 100 * value : value;
}

static double place_of(const struct summary_change *change)
{
    return change != NULL ? change->value : (double)NAN;
}

static void read_row(struct margins_chart *chart, struct margins_row *row,
                     const struct summary_sensitivity *item)
{
    *row = (struct margins_row){
        .item = item,
        .down = change_of(item, "down"),
        .up = change_of(item, "up"),
        .measured = measured_of(chart, item->limit),
        .ratio = item->unit != NULL && strcmp(item->unit, "ratio") == 0,
    };
    row->any = (row->down != NULL && isnan(row->down->value)) ||
               (row->up != NULL && isnan(row->up->value));
    const double values[] = {shown(row, item->current), shown(row, row->measured),
                             shown(row, place_of(row->down)), shown(row, place_of(row->up))};
    row->scale = chart_margins_scale_of(values, sizeof values / sizeof values[0], bounds_of(item));
}

static void read_rows(struct margins_chart *chart)
{
    const struct summary_decision *decision = &chart->frame.group->decision;
    chart->selected = report_view_selected(chart->frame.group);
    for (size_t i = 0; i < decision->sensitivity_count && chart->count < LIMITS_MOST; i++) {
        if (decision->sensitivity[i].change_count > 0)
            read_row(chart, &chart->rows[chart->count++], &decision->sensitivity[i]);
    }
}

/* ---- Regions ---- */

struct region {
    double left, right; /* pixels */
    enum theme_area area;
    const char *answer;
};

/* The present answer, an acceptance, or none: three grounds, whose answers are written on them. */
static enum theme_area area_of(const struct summary_change *change)
{
    if (change == NULL)
        return THEME_SELECTED;
    return change->decision != NULL && strcmp(change->decision, "accept") == 0 ? THEME_ELIGIBLE
                                                                               : THEME_NOT_ELIGIBLE;
}

static double x_of(const struct margins_chart *chart, const struct margins_row *row, double value)
{
    return chart->left +
           (chart->right - chart->left) * chart_margins_scale_share(&row->scale, shown(row, value));
}

static size_t find_regions(struct margins_chart *chart, const struct margins_row *row,
                           struct region regions[3])
{
    const struct summary_change *any = row->down != NULL ? row->down : row->up;
    double from = chart->left;
    double to = chart->right;
    if (row->any) {
        regions[0] =
            (struct region){from, to, area_of(any), chart_margins_words_answer(&chart->frame, any)};
        return 1;
    }
    if (row->down != NULL)
        from = x_of(chart, row, row->down->value);
    if (row->up != NULL)
        to = x_of(chart, row, row->up->value);
    size_t count = 0;
    if (row->down != NULL)
        regions[count++] = (struct region){chart->left, from, area_of(row->down),
                                           chart_margins_words_answer(&chart->frame, row->down)};
    regions[count++] =
        (struct region){from, to, THEME_SELECTED, chart_margins_words_answer(&chart->frame, NULL)};
    if (row->up != NULL)
        regions[count++] = (struct region){to, chart->right, area_of(row->up),
                                           chart_margins_words_answer(&chart->frame, row->up)};
    return count;
}

/* The answer on its region, beside the line of the present limit, if there is room. */
static void put_answer(struct margins_chart *chart, const struct margins_row *row,
                       const struct region *region, double line)
{
    struct scene *scene = &chart->frame.scene;
    const struct canvas_font *font = &chart->frame.theme->font[THEME_FONT_SMALL];
    double left = region->left + INSET;
    double right = region->right - INSET;
    if (line >= region->left && line <= region->right) {
        if (line - left > right - line)
            right = fmin(right, line - INSET);
        else
            left = fmax(left, line + INSET);
    }
    struct text_fit_room room = {right - left, 1, false};
    if (scene_width(scene, font, "\xE2\x80\xA6\xE2\x80\xA6") > room.width)
        return;
    struct text_fit fit = scene_fit(scene, font, region->answer, room);
    if (fit.count != 1 || fit.cut)
        return;
    double x = left + (right - left - fit.lines[0].extent.width) / 2;
    double height = fit.lines[0].extent.ascent + fit.lines[0].extent.descent;
    double y = row->strip_y + (STRIP - height) / 2 + fit.lines[0].extent.ascent;
    scene_text(scene, (struct canvas_point){x, y}, font,
               theme_text_on(chart->frame.theme, region->area), fit.lines[0].text);
}

/* ---- A strip ---- */

static void put_ticks(struct margins_chart *chart, struct margins_row *row)
{
    struct chart_frame *frame = &chart->frame;
    const struct canvas_font *font = &frame->theme->font[THEME_FONT_SMALL];
    const char *texts[CHART_MARGINS_TICKS];
    double widths[CHART_MARGINS_TICKS];
    for (size_t most = TICKS_MOST; most >= 1; most--) {
        double sum = 0;
        chart_margins_scale_ticks(&row->scale, most);
        for (size_t i = 0; i < row->scale.tick_count; i++) {
            texts[i] =
                chart_margins_words_tick(frame, row->scale.ticks[i], row->ratio, row->scale.digits);
            widths[i] = scene_width(&frame->scene, font, texts[i]);
            sum = fmax(sum, widths[i] + TICK_GAP);
        }
        if (sum * (double)most <= chart->right - chart->left)
            break;
    }
    struct canvas_paint paint = {CANVAS_NONE, CANVAS_NONE, frame->theme->ink[THEME_AXIS], 1, 0};
    double y = row->strip_y + STRIP;
    double free = chart->left - TICK_GAP;
    for (size_t i = 0; i < row->scale.tick_count; i++) {
        double x = chart->left + (chart->right - chart->left) *
                                     chart_margins_scale_share(&row->scale, row->scale.ticks[i]);
        double text = fmin(fmax(x - widths[i] / 2, chart->left), chart->right - widths[i]);
        scene_line(&frame->scene, (struct canvas_point){x, y}, (struct canvas_point){x, y + 4},
                   &paint);
        if (text < free + TICK_GAP - 4 || text < chart->left)
            continue;
        scene_text(&frame->scene, (struct canvas_point){text, y + 17}, font,
                   frame->theme->ink[THEME_QUIET], texts[i]);
        free = text + widths[i];
    }
}

static void put_pointer(struct margins_chart *chart, const struct margins_row *row)
{
    double x = x_of(chart, row, row->measured);
    double y = row->strip_y - 2;
    struct canvas_paint paint = {chart->frame.theme->ink[THEME_TEXT], CANVAS_NONE, CANVAS_NONE, 0,
                                 0};
    scene_polyline(
        &chart->frame.scene,
        (struct canvas_point[]){{x - 5.5, y - POINTER + 2}, {x + 5.5, y - POINTER + 2}, {x, y}}, 3,
        &paint);
}

static void put_strip(struct margins_chart *chart, struct margins_row *row)
{
    struct scene *scene = &chart->frame.scene;
    const struct theme *theme = chart->frame.theme;
    struct region regions[3];
    size_t count = find_regions(chart, row, regions);
    bool has_line = !row->any && !isnan(row->item->current);
    double line = has_line ? x_of(chart, row, row->item->current) : -1;
    for (size_t i = 0; i < count; i++) {
        struct canvas_box box = {regions[i].left, row->strip_y,
                                 fmax(regions[i].right - regions[i].left, 0.75), STRIP};
        scene_rectangle(scene, box, &theme->area[regions[i].area]);
    }
    struct canvas_paint gap = {CANVAS_NONE, CANVAS_NONE, theme->ink[THEME_PAGE], 1.5, 0};
    for (size_t i = 1; i < count; i++)
        scene_line(scene, (struct canvas_point){regions[i].left, row->strip_y},
                   (struct canvas_point){regions[i].left, row->strip_y + STRIP}, &gap);
    if (!row->any)
        put_ticks(chart, row);
    if (has_line) {
        struct canvas_point from = {line, row->strip_y - 4};
        struct canvas_point to = {line, row->strip_y + STRIP + 4};
        struct canvas_paint halo = {CANVAS_NONE, CANVAS_NONE, theme->ink[THEME_PAGE], 4.5, 0};
        struct canvas_paint paint = {CANVAS_NONE, CANVAS_NONE, theme->ink[THEME_LIMIT], 2, 0};
        scene_line(scene, from, to, &halo);
        scene_line(scene, from, to, &paint);
    }
    if (!row->any && !isnan(row->measured))
        put_pointer(chart, row);
    for (size_t i = 0; i < count; i++)
        put_answer(chart, row, &regions[i], line);
}

/* ---- The page ---- */

static void put_legend(struct margins_chart *chart)
{
    static const struct {
        enum theme_area area;
        const char *id;
    } known[] = {
        {THEME_SELECTED, "chart.margins.same"},
        {THEME_ELIGIBLE, "chart.margins.accept"},
        {THEME_NOT_ELIGIBLE, "chart.margins.no_accept"},
    };
    struct chart_frame_key keys[sizeof known / sizeof known[0]];
    size_t count = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (chart->areas[known[i].area])
            keys[count++] =
                (struct chart_frame_key){known[i].area, texts_get(chart->frame.texts, known[i].id)};
    }
    chart_frame_legend(&chart->frame, keys, count);
}

static const char *two(struct margins_chart *chart, const char *first, const char *second)
{
    const struct texts *texts = chart->frame.texts;
    return scene_format(&chart->frame.scene, "%s \xE2\x80\xA6 %s", texts_get(texts, first),
                        texts_get(texts, second));
}

static void put_headings(struct margins_chart *chart)
{
    const struct texts *texts = chart->frame.texts;
    struct chart_plot_heading headings[] = {
        {texts_get(texts, "sensitivity.limit"), CHART_FRAME_MARGIN, chart->label_width},
        {two(chart, "sensitivity.lower", "sensitivity.lower_answer"),
         chart->left - GAP - chart->side_width, chart->side_width},
        {texts_get(texts, "chart.margins.strip"), chart->left, chart->right - chart->left},
        {two(chart, "sensitivity.raise", "sensitivity.raise_answer"), chart->right + GAP,
         chart->side_width},
    };
    chart_plot_put_headings(&chart->frame, headings, sizeof headings / sizeof headings[0]);
}

static void put_row(struct margins_chart *chart, struct margins_row *row, size_t index)
{
    struct chart_frame *frame = &chart->frame;
    double block = POINTER + STRIP + (row->any ? 0 : NUMBERS);
    double content =
        fmax(fmax(block, row->label.height), fmax(row->lower.height, row->raise.height));
    row->y = frame->y;
    row->height = ceil(content + 2 * PADDING);
    row->strip_y = round(row->y + (row->height - block) / 2 + POINTER);
    struct canvas_paint ground =
        chart_lines_fill(frame->theme->ink[index % 2 == 0 ? THEME_STRIPE : THEME_PAGE]);
    struct canvas_box box = {CHART_FRAME_MARGIN - 8, row->y, frame->content + 16, row->height};
    double middle = row->y + row->height / 2;
    scene_rectangle(&frame->scene, box, &ground);
    put_strip(chart, row);
    chart_cell_draw(&frame->scene, &row->label,
                    (struct canvas_point){CHART_FRAME_MARGIN, middle - row->label.height / 2});
    chart_cell_draw(&frame->scene, &row->lower,
                    (struct canvas_point){chart->left - GAP - chart->side_width,
                                          middle - row->lower.height / 2});
    chart_cell_draw(&frame->scene, &row->raise,
                    (struct canvas_point){chart->right + GAP, middle - row->raise.height / 2});
    chart_frame_describe(frame, &row->label, &row->lower, &row->raise);
    frame->y += row->height;
}

static void put_rows(struct margins_chart *chart)
{
    for (size_t i = 0; i < chart->count; i++) {
        struct margins_row *row = &chart->rows[i];
        struct region regions[3];
        size_t count = find_regions(chart, row, regions);
        for (size_t k = 0; k < count; k++)
            chart->areas[regions[k].area] = true;
        chart_margins_words_limit(&chart->frame, &row->label, row->item, chart->selected,
                                  row->measured, chart->label_width);
        chart_margins_words_change(&chart->frame, &row->lower, row->item, row->down,
                                   chart->side_width);
        chart_margins_words_change(&chart->frame, &row->raise, row->item, row->up,
                                   chart->side_width);
    }
    put_legend(chart);
    put_headings(chart);
    for (size_t i = 0; i < chart->count; i++)
        put_row(chart, &chart->rows[i], i);
    chart->frame.y += 12;
}

static void put_sentence(struct margins_chart *chart, const char *text)
{
    struct chart_frame *frame = &chart->frame;
    struct chart_cell cell = {0};
    struct chart_cell_style style = {&frame->theme->font[THEME_FONT_TEXT],
                                     frame->theme->ink[THEME_QUIET],
                                     CHART_MARK_NONE,
                                     frame->content,
                                     4,
                                     false};
    chart_cell_add(&frame->scene, &cell, text, &style);
    chart_cell_draw(&frame->scene, &cell, (struct canvas_point){CHART_FRAME_MARGIN, frame->y});
    text_buffer_puts(&frame->description, "\n");
    text_buffer_puts(&frame->description, text);
    frame->y += cell.height + 12;
}

bool chart_margins_has_content(const struct chart_input *input)
{
    const struct summary_decision *decision = &input->summary->groups[input->group].decision;
    for (size_t i = 0; i < decision->sensitivity_count; i++) {
        if (decision->sensitivity[i].change_count > 0)
            return true;
    }
    return false;
}

static enum status draw(struct margins_chart *chart, struct diag *diag)
{
    struct chart_frame *frame = &chart->frame;
    const char *title = texts_get(frame->texts, "chart.margins.title");
    read_rows(chart);
    chart->label_width = round(0.22 * frame->content);
    chart->side_width = round(0.175 * frame->content);
    chart->left = CHART_FRAME_MARGIN + chart->label_width + chart->side_width + 2 * GAP;
    chart->right = frame->width - CHART_FRAME_MARGIN - chart->side_width - GAP;
    chart_frame_header(frame, title,
                       chart_frame_say1(frame, "chart.margins.subtitle", "answer",
                                        chart_margins_words_answer(frame, NULL)));
    if (chart->count > 0)
        put_rows(chart);
    const char *others = chart_margins_words_others(frame);
    if (others != NULL)
        put_sentence(chart, others);
    else if (chart->count == 0)
        put_sentence(chart, texts_get(frame->texts, "chart.margins.nothing"));
    return chart_frame_finish(frame, title, diag);
}

enum status chart_margins_draw(const struct chart_input *input, struct canvas *canvas,
                               struct diag *diag)
{
    struct margins_chart chart = {0};
    enum status status = chart_frame_init(&chart.frame, input, canvas, diag);
    if (status == STATUS_OK)
        status = draw(&chart, diag);
    chart_frame_fini(&chart.frame);
    return status;
}
