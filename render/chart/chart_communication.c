#include "chart_communication.h"

#include <math.h>

#include "chart_communication_words.h"
#include "chart_lines.h"

/*
 * A bar of counted bytes a collective with the formula as a mark, and beside it its bus bandwidth
 * with that of the collective alone, from the calibration, as a mark. Collectives of a few bytes
 * are told in words: their bars would not be seen.
 */

#define GAP 16.0
#define VALUE_GAP 10.0
#define MARK_HEIGHT 18.0
/* The calibration is often many times what training reaches; then it is told as a number alone, so
 * that the bars can be compared. */
#define ALONE_MOST 4.0

struct communication_chart {
    struct chart_frame frame;
    struct chart_communication_columns columns;
    struct chart_communication_row *rows;
    size_t count;
    double label_width;           /* of the widest */
    bool counted, formula, alone; /* seen */
};

bool chart_communication_has_content(const struct chart_input *input)
{
    const struct summary_group *group = &input->summary->groups[input->group];
    for (size_t i = 0; i < group->candidate_count; i++) {
        if (group->candidates[i].collective_count > 0)
            return true;
    }
    return false;
}

/* ---- Reading ---- */

static enum status read_row(struct communication_chart *chart, size_t i, struct diag *diag)
{
    struct chart_frame *frame = &chart->frame;
    struct chart_communication_row *row = &chart->rows[i];
    row->candidate = frame->rows.items[i];
    row->label = chart_frame_label(frame, row->candidate, chart->columns.label_width);
    chart->label_width = fmax(chart->label_width, row->label.width);
    communication_bars_of(row->candidate, &row->data);
    row->bars = arena_take_array(&frame->scene.arena, row->data.count + 1, sizeof *row->bars);
    if (row->bars == NULL)
        return diag_no_memory(diag);
    for (size_t k = 0; k < row->data.count; k++) {
        const struct communication_bar *bar = &row->data.items[k];
        row->bars[k].data = bar;
        chart->counted = chart->counted || !isnan(bar->counted_mb);
        chart->formula = chart->formula || (!isnan(bar->counted_mb) && !isnan(bar->expected_mb));
    }
    return STATUS_OK;
}

static enum status read_rows(struct communication_chart *chart, struct diag *diag)
{
    struct chart_frame *frame = &chart->frame;
    chart->count = frame->rows.count;
    chart->columns.label_width = frame->width >= CHART_WIDTH ? 170 : 152;
    chart->label_width = 60;
    chart->rows = arena_take_array(&frame->scene.arena, chart->count + 1, sizeof *chart->rows);
    if (chart->rows == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < chart->count; i++) {
        enum status status = read_row(chart, i, diag);
        if (status != STATUS_OK)
            return status;
    }
    if (chart_frame_is_slice(frame)) /* so that the panels of all pages are as wide */
        chart->label_width = chart->columns.label_width;
    return STATUS_OK;
}

struct reach {
    double amount_mb, rate, alone; /* the largest of all pages */
};

static struct reach reach_of(const struct communication_chart *chart)
{
    struct reach reach = {0, 0, 0};
    for (size_t i = 0; i < chart->frame.every.count; i++) {
        struct communication_bars bars;
        communication_bars_of(chart->frame.every.items[i], &bars);
        for (size_t k = 0; k < bars.count; k++) {
            reach.amount_mb = fmax(reach.amount_mb, communication_bars_reach(&bars.items[k]));
            reach.rate = fmax(reach.rate, bars.items[k].bus_gb_per_s); /* passes over NAN */
            reach.alone = fmax(reach.alone, bars.items[k].alone_gb_per_s);
        }
    }
    return reach;
}

/* ---- Columns ---- */

static struct axis_unit rate_unit(double largest)
{
    (void)largest;
    return (struct axis_unit){1, "GB/s"};
}

/* From the left: labels, panel and values of bytes, panel and values of bandwidth. */
static void set_columns(struct communication_chart *chart)
{
    struct chart_communication_columns *columns = &chart->columns;
    struct chart_frame *frame = &chart->frame;
    struct reach reach = reach_of(chart);
    double right = frame->width - CHART_FRAME_MARGIN;
    columns->rates = reach.rate > 0;
    columns->amount_width = frame->width >= CHART_WIDTH ? 140 : 134;
    columns->rate_width = frame->width >= CHART_WIDTH ? 146 : 112;
    columns->amount.left = ceil(CHART_FRAME_MARGIN + chart->label_width + GAP);
    double panels = right - columns->amount.left - VALUE_GAP - columns->amount_width;
    if (columns->rates)
        panels -= GAP + VALUE_GAP + columns->rate_width;
    columns->amount.right = floor(columns->amount.left + (columns->rates ? 0.58 : 1) * panels);
    columns->amount_x = columns->amount.right + VALUE_GAP;
    columns->rate.left = columns->amount_x + columns->amount_width + GAP;
    columns->rate_x = right - columns->rate_width;
    columns->rate.right = columns->rate_x - VALUE_GAP;
    /* A note keeps clear of the second panel. */
    columns->note_width =
        (columns->rates ? columns->rate.left - GAP / 2 : right) - columns->amount.left - 8;
    columns->amount.limit = columns->rate.limit = NAN;
    chart_plot_scale(frame, &columns->amount, reach.amount_mb, axis_memory_unit);
    chart->alone = columns->rates && reach.alone > 0 && reach.alone <= ALONE_MOST * reach.rate;
    if (columns->rates)
        chart_plot_scale(frame, &columns->rate,
                         chart->alone ? fmax(reach.rate, reach.alone) : reach.rate, rate_unit);
}

/* ---- Bars ---- */

static void put_rectangle(struct communication_chart *chart, const struct chart_plot *plot,
                          double bar_y, double value, enum theme_area area)
{
    double to = chart_plot_x(plot, value);
    struct canvas_box box = {plot->left, bar_y, fmax(to - plot->left, 0.75),
                             CHART_COMMUNICATION_BAR};
    if (value > 0)
        scene_rectangle(&chart->frame.scene, box, &chart->frame.theme->area[area]);
}

static void put_mark(struct communication_chart *chart, const struct chart_plot *plot, double bar_y,
                     double value)
{
    chart_sign_mark(
        &chart->frame.scene, chart->frame.theme,
        (struct canvas_point){chart_plot_x(plot, value), bar_y + CHART_COMMUNICATION_BAR / 2},
        MARK_HEIGHT);
}

static void put_bar(struct communication_chart *chart, const struct chart_communication_bar *bar)
{
    const struct communication_bar *data = bar->data;
    const struct chart_communication_columns *columns = &chart->columns;
    bool counts = chart->frame.group->times_count;
    if (isnan(data->counted_mb) && !isnan(data->expected_mb))
        put_rectangle(chart, &columns->amount, bar->bar_y, data->expected_mb, THEME_BEYOND);
    if (!isnan(data->counted_mb)) {
        put_rectangle(chart, &columns->amount, bar->bar_y, data->counted_mb, THEME_COMMUNICATION);
        if (!isnan(data->expected_mb))
            put_mark(chart, &columns->amount, bar->bar_y, data->expected_mb);
    }
    if (!columns->rates)
        return;
    if (!isnan(data->bus_gb_per_s))
        put_rectangle(chart, &columns->rate, bar->bar_y, data->bus_gb_per_s,
                      counts ? THEME_BANDWIDTH : THEME_NOT_COUNTED);
    if (chart->alone && !isnan(data->alone_gb_per_s))
        put_mark(chart, &columns->rate, bar->bar_y, data->alone_gb_per_s);
}

static void put_bars(struct communication_chart *chart)
{
    for (size_t i = 0; i < chart->count; i++) {
        for (size_t k = 0; k < chart->rows[i].data.count; k++)
            put_bar(chart, &chart->rows[i].bars[k]);
    }
}

/* ---- Head ---- */

static bool has_uncounted(const struct communication_chart *chart)
{
    for (size_t i = 0; i < chart->count; i++) {
        if (chart->rows[i].data.count > 0 && isnan(chart->rows[i].data.items[0].counted_mb))
            return true;
    }
    return false;
}

static void put_legend(struct communication_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    struct chart_frame_key keys[3];
    struct chart_sign_key sign = {CHART_SIGN_MARK,
                                  texts_get(frame->texts, "chart.communication.mark")};
    size_t count = 0;
    if (chart->alone)
        sign.text = texts_get(frame->texts, "chart.communication.marks");
    if (chart->counted)
        keys[count++] = (struct chart_frame_key){
            THEME_COMMUNICATION, texts_get(frame->texts, "chart.communication.counted"), NULL};
    if (has_uncounted(chart))
        keys[count++] = (struct chart_frame_key){
            THEME_BEYOND, texts_get(frame->texts, "chart.communication.uncounted"), NULL};
    if (chart->columns.rates && frame->group->times_count)
        keys[count++] = (struct chart_frame_key){
            THEME_BANDWIDTH, texts_get(frame->texts, "chart.communication.bandwidth"), NULL};
    else if (chart->columns.rates)
        keys[count++] = (struct chart_frame_key){
            THEME_NOT_COUNTED, texts_get(frame->texts, "chart.throughput.not_counted"), NULL};
    struct chart_frame_keys all = {keys, count};
    chart_frame_legend_signs(frame, &all, &sign, chart->formula || chart->alone ? 1 : 0);
}

static void put_headings(struct communication_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    const struct chart_communication_columns *columns = &chart->columns;
    struct chart_plot_heading headings[] = {
        {texts_get(frame->texts, "column.strategy"), CHART_FRAME_MARGIN, chart->label_width},
        {chart_frame_say1(frame, "chart.communication.axis", "unit",
                          columns->amount.axis.unit.name),
         columns->amount.left, columns->amount.right - columns->amount.left},
        {texts_get(frame->texts, "chart.communication.value"), columns->amount_x,
         columns->amount_width},
        {texts_get(frame->texts, "chart.communication.rate_axis"), columns->rate.left,
         columns->rate.right - columns->rate.left},
        {texts_get(frame->texts, "chart.communication.rate_value"), columns->rate_x,
         columns->rate_width},
    };
    chart_plot_put_headings(frame, headings, columns->rates ? 5 : 3);
}

static void put_notices(struct communication_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    if (!frame->group->times_count && chart->columns.rates)
        chart_frame_notice(frame, texts_get(frame->texts, "chart.split.times"));
    if (!chart_communication_has_content(frame->input) && frame->every.count > 0)
        chart_frame_notice(frame, texts_get(frame->texts, "chart.communication.none"));
}

/* ---- The whole ---- */

static void lay_out(struct communication_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    struct chart_communication_columns *columns = &chart->columns;
    set_columns(chart);
    for (size_t i = 0; i < chart->count; i++)
        chart_communication_words_fill(frame, &chart->rows[i], columns);
    put_notices(chart);
    put_legend(chart);
    put_headings(chart);
    chart_communication_rows_place(chart->rows, chart->count, frame, columns);
    chart_plot_grid(frame, &columns->amount);
    if (columns->rates)
        chart_plot_grid(frame, &columns->rate);
    put_bars(chart);
    chart_communication_rows_put_texts(chart->rows, chart->count, frame, columns);
    chart_plot_numbers(frame, &columns->amount);
    if (columns->rates)
        chart_plot_numbers(frame, &columns->rate);
    frame->y += chart_plot_numbers_height();
}

enum status chart_communication_draw(const struct chart_input *input, struct canvas *canvas,
                                     struct diag *diag)
{
    struct communication_chart chart = {.count = 0};
    const char *title = texts_get(input->texts, "chart.communication.title");
    enum status status = chart_frame_init(&chart.frame, input, canvas, diag);
    if (status == STATUS_OK)
        status = read_rows(&chart, diag);
    if (status == STATUS_OK) {
        chart_frame_header(&chart.frame, title, chart_communication_words_subtitle(&chart.frame));
        lay_out(&chart);
        status = chart_frame_finish(&chart.frame, title, diag);
    }
    chart_frame_fini(&chart.frame);
    return status;
}
