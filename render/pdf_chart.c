#include <math.h>

#include "canvas_part.h"
#include "chart.h"
#include "chart_frame.h"
#include "pdf_block.h"
#include "texts.h"

#define GAP 12.0
/* Charts are laid out for so many CSS pixels between their margins, so that on A4 their text of
 * 11.5 pixels is printed at 7.8 points; up to WIDTH_MOST, 7.1 points, to fit what is left of a
 * page. The margins of a chart lie in those of the page. */
#define WIDTH_USUAL 760.0
#define WIDTH_MOST 836.0
#define TRIM (CHART_FRAME_MARGIN - 4) /* of a chart's margins above and below */

/* A chart being set: where its page goes once its height is known. */
struct setting {
    struct pdf_flow *flow;
    double scale;  /* points to a CSS pixel */
    double room;   /* the most that it may be high; more is not placed */
    double height; /* that it wanted */
    double shrink; /* a chart that cannot be parted and is higher than a page; else 1 */
    bool placed;
};

static struct scene *place(void *context, double width, double height, struct canvas_point *corner)
{
    struct setting *setting = context;
    struct pdf_flow *flow = setting->flow;
    double trim = TRIM * setting->scale;
    setting->height = height - 2 * trim;
    setting->placed = setting->height <= setting->room;
    if (!setting->placed)
        return NULL;
    corner->y = pdf_flow_take(flow, GAP, setting->height) - trim;
    corner->x = flow->left + (flow->width - width) / 2;
    return pdf_flow_scene(flow);
}

/* Draws the chart laid out for `width` pixels between its margins, if it is no higher than `room`.
 */
static enum status try_chart(struct setting *setting, const struct chart_row *chart,
                             struct chart_input *input, double width, struct diag *diag)
{
    struct canvas_part part;
    setting->scale = setting->flow->width / width * setting->shrink;
    canvas_part_init(&part, setting->flow->document->canvas, setting->scale);
    part.place = place;
    part.context = setting;
    input->width = width + 2 * CHART_FRAME_MARGIN;
    return chart->draw(input, &part.canvas, diag);
}

/* What is left of the page for a chart; of a new one all. */
static double room_left(const struct pdf_flow *flow)
{
    size_t points = pdf_flow_lines_fit(flow, GAP, 1);
    return (double)points;
}

static double room_of_page(const struct pdf_flow *flow)
{
    double headings = 0;
    for (size_t i = 0; i < flow->waiting_count; i++)
        headings += flow->waiting[i].height;
    return flow->bottom - flow->top - headings;
}

/* The chart whole: here, here a little smaller, or on the next page. */
static enum status set_whole(struct setting *setting, const struct chart_row *chart,
                             struct chart_input *input, struct diag *diag)
{
    double left = room_left(setting->flow);
    double page = room_of_page(setting->flow);
    setting->room = left;
    enum status status = try_chart(setting, chart, input, WIDTH_USUAL, diag);
    bool nearly = setting->height * WIDTH_USUAL / WIDTH_MOST <= left;
    if (status == STATUS_OK && !setting->placed && nearly)
        status = try_chart(setting, chart, input, WIDTH_MOST, diag);
    setting->room = page;
    if (status == STATUS_OK && !setting->placed && setting->height <= page)
        status = try_chart(setting, chart, input, WIDTH_USUAL, diag);
    if (status == STATUS_OK && !setting->placed)
        status = try_chart(setting, chart, input, WIDTH_MOST, diag);
    return status;
}

/* A chart of many rows on several pages, as many rows on each as it takes. */
static enum status set_rows(struct setting *setting, const struct chart_row *chart,
                            struct chart_input *input, size_t rows, struct diag *diag)
{
    double pages = ceil(setting->height / room_of_page(setting->flow));
    size_t count = (size_t)ceil((double)rows / fmax(pages, 2));
    enum status status = STATUS_OK;
    for (size_t done = 0; done < rows && status == STATUS_OK; done += input->row_count) {
        input->first_row = done;
        input->row_count = count < rows - done ? count : rows - done;
        setting->placed = false;
        setting->room = done == 0 ? room_left(setting->flow) : room_of_page(setting->flow);
        status = try_chart(setting, chart, input, WIDTH_USUAL, diag);
        setting->room = room_of_page(setting->flow);
        while (status == STATUS_OK && !setting->placed) {
            status = try_chart(setting, chart, input, WIDTH_USUAL, diag);
            if (setting->placed)
                break;
            if (input->row_count == 1) /* one row is higher than a page: it stands out */
                setting->room = INFINITY;
            else
                input->row_count = count = input->row_count - (input->row_count + 7) / 8;
        }
    }
    return status;
}

enum status pdf_block_chart(struct pdf_flow *flow, const struct manuscript_block *block,
                            struct diag *diag)
{
    const struct report_input *report = flow->input;
    struct chart_input input = {.summary = report->summary,
                                .group = block->group,
                                .texts = report->texts,
                                .theme = report->theme};
    struct setting setting = {.flow = flow, .shrink = 1};
    enum status status = set_whole(&setting, block->chart, &input, diag);
    if (status != STATUS_OK || setting.placed)
        return status;
    size_t rows = chart_rows(block->chart, &input);
    if (rows <= 1) {
        setting.shrink = room_of_page(flow) / setting.height;
        setting.room = INFINITY;
        return try_chart(&setting, block->chart, &input, WIDTH_MOST, diag);
    }
    return set_rows(&setting, block->chart, &input, rows, diag);
}
