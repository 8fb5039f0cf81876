#include "chart_margins.h"

#include <math.h>

#include "chart_lines.h"
#include "chart_margins_strip.h"
#include "chart_margins_words.h"
#include "report_view.h"

/*
 * A row a limit. In the middle a strip on the limit's own axis, divided into the regions in which
 * the answer is one and the same; on its left where the limit would have to go down and the answer
 * then, on its right the same upwards. The limits have different units, so they share no axis;
 * how far they may move in per cent stands in words.
 */

#define GAP 16.0 /* between columns */
#define PADDING 9.0
#define LIMITS_MOST 16

struct margins_row {
    struct chart_margins_strip strip;
    struct chart_cell label, lower, raise;
};

struct margins_chart {
    struct chart_frame frame;
    const struct summary_candidate *selected; /* NULL: none */
    struct margins_row rows[LIMITS_MOST];
    size_t count;
    double label_width, side_width, left, right; /* left, right: of the strips */
    bool areas[THEME_AREA_COUNT];
};

static double lower_x(const struct margins_chart *chart)
{
    return chart->left - CHART_MARGINS_STRIP_GAP - chart->side_width;
}

static double raise_x(const struct margins_chart *chart)
{
    return chart->right + CHART_MARGINS_STRIP_GAP;
}

/* ---- Reading ---- */

static void fill_row(struct margins_chart *chart, struct margins_row *row)
{
    struct chart_frame *frame = &chart->frame;
    const struct chart_margins_strip *strip = &row->strip;
    row->strip.left = chart->left;
    row->strip.right = chart->right;
    chart_margins_strip_scale(&row->strip, frame);
    chart_margins_strip_areas(strip, chart->areas);
    chart_margins_words_limit(frame, &row->label, strip->item, chart->selected, strip->measured,
                              chart->label_width);
    chart_margins_words_change(frame, &row->lower, strip->item, strip->down, chart->side_width);
    chart_margins_words_change(frame, &row->raise, strip->item, strip->up, chart->side_width);
}

static void read_rows(struct margins_chart *chart)
{
    const struct summary_decision *decision = &chart->frame.group->decision;
    chart->selected = report_view_selected(chart->frame.group);
    for (size_t i = 0; i < decision->sensitivity_count && chart->count < LIMITS_MOST; i++) {
        struct margins_row *row = &chart->rows[chart->count];
        if (decision->sensitivity[i].change_count == 0)
            continue;
        chart_margins_strip_init(&row->strip, &chart->frame, &decision->sensitivity[i],
                                 chart->selected);
        fill_row(chart, row);
        chart->count++;
    }
}

/* ---- The page ---- */

static void put_legend(struct margins_chart *chart)
{
    static const struct chart_frame_meaning known[] = {
        {THEME_SELECTED, "chart.margins.same"},
        {THEME_ELIGIBLE, "chart.margins.accept"},
        {THEME_NOT_ELIGIBLE, "chart.margins.no_accept"},
    };
    struct chart_frame_key keys[sizeof known / sizeof known[0]];
    const struct chart_frame_meanings all = {known, sizeof known / sizeof known[0]};
    chart_frame_legend(&chart->frame, keys,
                       chart_frame_keys_of(&chart->frame, chart->areas, &all, keys));
}

/* "Lower it to ... and the answer is": two headings of the workbook in one. */
static const char *both(struct margins_chart *chart, const char *first, const char *second)
{
    const struct texts *texts = chart->frame.texts;
    return scene_format(&chart->frame.scene, "%s \xE2\x80\xA6 %s", texts_get(texts, first),
                        texts_get(texts, second));
}

static void put_headings(struct margins_chart *chart)
{
    const struct texts *texts = chart->frame.texts;
    const struct chart_plot_heading headings[] = {
        {texts_get(texts, "sensitivity.limit"), CHART_FRAME_MARGIN, chart->label_width},
        {both(chart, "sensitivity.lower", "sensitivity.lower_answer"), lower_x(chart),
         chart->side_width},
        {texts_get(texts, "chart.margins.strip"), chart->left, chart->right - chart->left},
        {both(chart, "sensitivity.raise", "sensitivity.raise_answer"), raise_x(chart),
         chart->side_width},
    };
    chart_plot_put_headings(&chart->frame, headings, sizeof headings / sizeof headings[0]);
}

static void put_cell(struct margins_chart *chart, const struct chart_cell *cell, double x,
                     double middle)
{
    chart_cell_draw(&chart->frame.scene, cell, (struct canvas_point){x, middle - cell->height / 2});
}

static void put_row(struct margins_chart *chart, struct margins_row *row, size_t index)
{
    struct chart_frame *frame = &chart->frame;
    double block = chart_margins_strip_height(&row->strip);
    double content =
        fmax(fmax(block, row->label.height), fmax(row->lower.height, row->raise.height));
    double height = ceil(content + 2 * PADDING);
    double middle = frame->y + height / 2;
    chart_lines_put_stripe(frame, index, frame->y, height);
    row->strip.y = round(middle - block / 2);
    chart_margins_strip_put(&row->strip, frame);
    put_cell(chart, &row->label, CHART_FRAME_MARGIN, middle);
    put_cell(chart, &row->lower, lower_x(chart), middle);
    put_cell(chart, &row->raise, raise_x(chart), middle);
    chart_frame_describe(frame, &row->label, &row->lower, &row->raise);
    frame->y += height;
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
    frame->of_group = true;
    const char *title = texts_get(frame->texts, "chart.margins.title");
    chart->label_width = round(0.22 * frame->content);
    chart->side_width = round(0.175 * frame->content);
    chart->left =
        CHART_FRAME_MARGIN + chart->label_width + GAP + chart->side_width + CHART_MARGINS_STRIP_GAP;
    chart->right = frame->width - CHART_FRAME_MARGIN - chart->side_width - CHART_MARGINS_STRIP_GAP;
    read_rows(chart);
    chart_frame_header(frame, title,
                       chart_frame_say1(frame, "chart.margins.subtitle", "answer",
                                        chart_margins_words_answer(frame, NULL)));
    if (chart->count > 0) {
        put_legend(chart);
        put_headings(chart);
    }
    for (size_t i = 0; i < chart->count; i++)
        put_row(chart, &chart->rows[i], i);
    frame->y += chart->count > 0 ? 12 : 0;
    const char *others = chart_margins_words_others(frame);
    if (others != NULL)
        chart_frame_sentence(frame, THEME_FONT_TEXT, others, 12);
    else if (chart->count == 0)
        chart_frame_sentence(frame, THEME_FONT_TEXT,
                             texts_get(frame->texts, "chart.margins.nothing"), 12);
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
