#include <math.h>

#include "canvas_part.h"
#include "chart.h"
#include "chart_frame.h"
#include "pdf_block.h"
#include "texts.h"

#define GAP 12.0
/* Charts are laid out for so many CSS pixels between their margins, so that on A4 their text of
 * 11.5 pixels is printed at 7.8 points; up to WIDTH_MOST, 6.4 points, where charts then fill a page
 * that they would leave half empty. The margins of a chart lie in those of the page. */
#define WIDTH_USUAL 760.0
#define WIDTH_MOST 920.0
#define TRIM (CHART_FRAME_MARGIN - 4) /* of a chart's margins above and below, pixels */
/* The most that is left above what comes first; a trial on an empty page does not have it. */
#define FIRST_GAP 18.0
/* Above words that follow a chart. */
#define WORDS_GAP 8.0
#define GAP_OF_WORDS 5.0 /* the usual, of pdf_text.c */
/* So many blocks of words may lead to a chart. */
#define LEAD_MOST 12
/* A chart's own title where it is the heading, pixels; below a heading of the page it has none. */
#define TITLE_ALONE 18.5
#define SUBTITLE 12.5
/* A chart in parts begins on the page of the one before if so much of a page is free. */
#define ROOM_FOR_PARTS 0.5

/* A chart being set: where its page goes once its height is known. */
struct setting {
    struct pdf_flow *flow;
    const struct chart_row *chart;
    struct chart_input input;
    struct theme theme; /* with titles that suit the page */
    double scale;       /* points to a CSS pixel */
    double room;        /* the most that it may be high; more is not placed */
    double height;      /* that it wanted, its share of the margins left out */
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

/* Draws the chart, laid out for `width` pixels between its margins, where it is no higher than
 * `room`. */
static enum status try_chart(struct setting *setting, double width, double room, struct diag *diag)
{
    struct canvas_part part;
    setting->scale = setting->flow->width / width;
    setting->room = room;
    setting->input.theme = &setting->theme;
    setting->input.width = width + 2 * CHART_FRAME_MARGIN;
    canvas_part_init(&part, setting->flow->document->canvas, setting->scale);
    part.place = place;
    part.context = setting;
    return setting->chart->draw(&setting->input, &part.canvas, diag);
}

static struct setting setting_of(struct pdf_flow *flow, const struct manuscript_block *block,
                                 bool bears_heading)
{
    const struct report_input *report = flow->input;
    struct setting setting = {.flow = flow,
                              .chart = block->chart,
                              .theme = *report->theme,
                              .input = {.summary = report->summary,
                                        .group = block->group,
                                        .texts = report->texts,
                                        .on_page = true,
                                        .below_heading = !bears_heading}};
    setting.theme.font[THEME_FONT_TITLE].size = TITLE_ALONE;
    setting.theme.font[THEME_FONT_SUBTITLE].size = SUBTITLE;
    return setting;
}

/* ---- Room ---- */

/* What is left of the page for a chart. */
static double room_left(const struct pdf_flow *flow)
{
    return (double)pdf_flow_lines_fit(flow, GAP, 1);
}

static double room_of_page(const struct pdf_flow *flow)
{
    double headings = 0;
    for (size_t i = 0; i < flow->waiting_count; i++)
        headings += flow->waiting[i].height;
    return flow->bottom - flow->top - headings;
}

/* ---- Several charts on one page ---- */

/* A chart with the words that lead to it, [first, chart), and those that follow, (chart, end). */
struct unit {
    const struct manuscript_block *first, *chart, *end;
};

/* The unit that begins with a block; without a chart if none does. */
static struct unit unit_at(const struct manuscript_block *first)
{
    struct unit unit = {.first = first};
    const struct manuscript_block *block = first;
    if (first == NULL || (first->kind != MANUSCRIPT_SECTION && first->kind != MANUSCRIPT_CHART))
        return unit;
    for (size_t count = 0; block != NULL && block->kind != MANUSCRIPT_CHART; count++) {
        bool words = block->kind == MANUSCRIPT_SECTION || block->kind == MANUSCRIPT_PARAGRAPH ||
                     block->kind == MANUSCRIPT_NOTICE;
        if (!words || count == LEAD_MOST || (block != first && pdf_block_begins_part(block)))
            return unit;
        block = block->next;
    }
    if (block == NULL)
        return unit;
    unit.chart = block;
    for (block = block->next; block != NULL && block->kind == MANUSCRIPT_PARAGRAPH;)
        block = block->next;
    unit.end = block;
    return unit;
}

/* How much of a page words take: they are set for a trial. */
static enum status height_of_words(const struct pdf_flow *flow,
                                   const struct manuscript_block *first,
                                   const struct manuscript_block *end, double *height,
                                   struct diag *diag)
{
    struct pdf_mark mark = pdf_document_mark(flow->document);
    struct pdf_flow trial = *flow;
    enum status status = STATUS_OK;
    *height = 0;
    if (first == end)
        return STATUS_OK;
    trial.bottom = INFINITY;
    trial.waiting_count = 0;
    if (pdf_document_add(trial.document) == NULL)
        return diag_no_memory(diag);
    trial.y = 0;
    trial.empty = true;
    for (; first != end && status == STATUS_OK; first = first->next)
        status = pdf_block_put(&trial, first, diag);
    *height = trial.y;
    for (size_t i = 0; i < trial.waiting_count; i++)
        *height += trial.waiting[i].height;
    pdf_document_return(flow->document, mark);
    return status;
}

/* The widths that are tried. Heights are measured at each: the height of a square panel follows the
 * page, small panels change places, lines break elsewhere. */
#define WIDTHS 3
static double width_at(size_t i)
{
    return WIDTH_USUAL + (WIDTH_MOST - WIDTH_USUAL) * (double)i / (WIDTHS - 1);
}

/* What charts in a row need of a page: their words, and the charts at each width. */
struct need {
    double words, charts[WIDTHS];
};

static enum status add_need(struct pdf_flow *flow, const struct unit *unit, struct need *need,
                            struct diag *diag)
{
    double lead = 0;
    double follows = 0;
    bool bears = false;
    bool first = need->charts[0] <= 0;
    bool headed = false; /* a heading takes the place of the gap above */
    for (const struct manuscript_block *block = unit->first; block != unit->chart;
         block = block->next) {
        bears = pdf_block_bears_heading(block);
        headed = block->kind == MANUSCRIPT_SECTION;
    }
    struct setting setting = setting_of(flow, unit->chart, bears);
    enum status status = height_of_words(flow, unit->first, unit->chart, &lead, diag);
    if (status == STATUS_OK)
        status = height_of_words(flow, unit->chart->next, unit->end, &follows, diag);
    for (size_t i = 0; i < WIDTHS && status == STATUS_OK; i++) {
        status = try_chart(&setting, width_at(i), 0, diag);
        need->charts[i] += setting.height;
    }
    double gaps = (headed ? 0 : GAP) + (first ? 0 : FIRST_GAP) + (follows > 0 ? WORDS_GAP : 0);
    need->words += lead + follows + gaps * flow->density.gap;
    return status;
}

/* The least width at which the charts fit; 0: none. */
static double width_for(const struct need *need, double room)
{
    for (size_t i = 0; i < WIDTHS; i++)
        if (need->words + need->charts[i] <= room)
            return width_at(i);
    return 0;
}

static bool fits(const struct need *need, double room)
{
    return width_for(need, room) > 0;
}

/* The room that the first unit gets: what is left of the page, or all of the next. */
static double begin_charts(struct pdf_flow *flow, const struct need *need)
{
    double room = flow->bottom - flow->top;
    double left = 0;
    if (flow->document->last != NULL)
        left = flow->bottom - flow->y - (flow->empty ? 0 : FIRST_GAP * flow->density.gap);
    if (fits(need, left))
        return left;
    if (fits(need, room) || left < need->words + ROOM_FOR_PARTS * room)
        pdf_flow_break(flow);
    return room;
}

enum status pdf_block_plan_charts(struct pdf_flow *flow, const struct manuscript_block *block,
                                  struct diag *diag)
{
    struct unit unit = unit_at(block);
    struct need need = {0};
    if (unit.chart == NULL || flow->charts_planned > 0)
        return STATUS_OK;
    enum status status = add_need(flow, &unit, &need, diag);
    double room = begin_charts(flow, &need);
    flow->chart_width = WIDTH_MOST;
    flow->charts_planned = 1;
    for (struct need all = need; status == STATUS_OK && fits(&all, room);) {
        need = all;
        flow->chart_width = width_for(&need, room);
        unit = unit_at(unit.end);
        if (unit.chart == NULL)
            break;
        status = add_need(flow, &unit, &all, diag);
        flow->charts_planned += status == STATUS_OK && fits(&all, room);
    }
    return status;
}

/* ---- One chart on several pages ---- */

/* Adds rows for as long as the chart stays within `most`: where panels stand side by side, some
 * take no more height. */
static enum status add_rows(struct setting *setting, size_t rows, double most, size_t *count,
                            struct diag *diag)
{
    enum status status = STATUS_OK;
    while (*count < rows && status == STATUS_OK) {
        setting->input.row_count = *count + 1;
        status = try_chart(setting, WIDTH_USUAL, 0, diag);
        if (setting->height > most)
            break;
        (*count)++;
    }
    return status;
}

/* How many rows a page takes, so that all pages have about as many. */
static enum status count_rows(struct setting *setting, size_t rows, size_t *count,
                              struct diag *diag)
{
    double room = room_of_page(setting->flow);
    size_t fit = (size_t)fmax(floor((double)rows * room / setting->height), 1);
    enum status status = STATUS_OK;
    setting->input.first_row = 0;
    while (status == STATUS_OK) {
        setting->input.row_count = fit;
        status = try_chart(setting, WIDTH_USUAL, 0, diag);
        if (setting->height <= room || fit == 1)
            break;
        fit -= (fit + 7) / 8;
    }
    if (status == STATUS_OK)
        status = add_rows(setting, rows, room, &fit, diag);
    double pages = ceil((double)rows / (double)fit);
    *count = (size_t)ceil((double)rows / pages);
    if (status != STATUS_OK || *count == fit)
        return status;
    setting->input.row_count = *count;
    status = try_chart(setting, WIDTH_USUAL, 0, diag);
    /* half a pixel: the same height, rounded another way */
    return status == STATUS_OK ? add_rows(setting, fit, setting->height + 0.5, count, diag)
                               : status;
}

/* The rows from first_row on, fewer than row_count if they do not fit. */
static enum status set_slice(struct setting *setting, struct diag *diag)
{
    const struct pdf_flow *flow = setting->flow;
    enum status status = STATUS_OK;
    double page = room_of_page(flow);
    double left = room_left(flow);
    /* Words that lead to the chart may stand on this page already: it begins below them. */
    double most = left >= ROOM_FOR_PARTS * page ? left : page;
    setting->placed = false;
    while (status == STATUS_OK && !setting->placed) {
        size_t count = setting->input.row_count;
        /* one row that is higher than a page stands out */
        double room = count == 1 ? INFINITY : most;
        status = try_chart(setting, WIDTH_USUAL, room, diag);
        if (!setting->placed)
            setting->input.row_count = count - (count + 7) / 8;
    }
    return status;
}

static enum status set_rows(struct setting *setting, size_t rows, struct diag *diag)
{
    size_t count = rows;
    enum status status = count_rows(setting, rows, &count, diag);
    for (size_t done = 0; done < rows && status == STATUS_OK; done += setting->input.row_count) {
        setting->input.first_row = done;
        setting->input.row_count = count < rows - done ? count : rows - done;
        status = set_slice(setting, diag);
    }
    return status;
}

/* ---- The chart ---- */

/* What a chart that stands in one piece may take: words that lead to it stay with it, and where
 * they do, a page was begun for both, or half of one is free. */
static double room_in_one(const struct setting *setting)
{
    const struct pdf_flow *flow = setting->flow;
    double page = room_of_page(flow);
    bool led = setting->input.below_heading && room_left(flow) >= ROOM_FOR_PARTS * page;
    return led ? room_left(flow) : page;
}

/* Higher than a page: in parts, or where it has none, smaller. */
static enum status set_high(struct setting *setting, struct diag *diag)
{
    size_t rows = chart_rows(setting->chart, &setting->input);
    if (rows > 1)
        return set_rows(setting, rows, diag);
    enum status status = STATUS_OK;
    setting->placed = false;
    for (double width = WIDTH_MOST; status == STATUS_OK && !setting->placed; width *= 1.2) {
        /* beside headings of a page's height nothing helps */
        double room = width < 10 * WIDTH_MOST ? room_in_one(setting) : INFINITY;
        status = try_chart(setting, width, room, diag);
    }
    return status;
}

enum status pdf_block_chart(struct pdf_flow *flow, const struct manuscript_block *block,
                            struct diag *diag)
{
    struct setting setting = setting_of(flow, block, flow->chart_bears_heading);
    enum status status = pdf_block_plan_charts(flow, block, diag);
    if (status != STATUS_OK)
        return status;
    flow->charts_planned--;
    status = try_chart(&setting, flow->chart_width, room_left(flow), diag);
    if (status == STATUS_OK && !setting.placed && flow->chart_width < WIDTH_MOST)
        status = try_chart(&setting, WIDTH_MOST, room_left(flow), diag);
    if (status == STATUS_OK && !setting.placed)
        status = try_chart(&setting, flow->chart_width, room_in_one(&setting), diag);
    if (status == STATUS_OK && !setting.placed)
        status = set_high(&setting, diag);
    flow->y += (WORDS_GAP - GAP_OF_WORDS) * flow->density.gap;
    return status;
}
