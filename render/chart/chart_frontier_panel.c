#include "chart_frontier_panel.h"

#include <math.h>

#include "chart_frontier_legend.h"
#include "chart_throughput_words.h"

#define HEIGHT_SHARE 0.5 /* of the width */
#define HEIGHT_MANY 0.62 /* with many candidates */
#define HEIGHT_PAGE 0.38 /* on paper */
#define MANY 15
#define ROW 17.0
#define INSET 6.0
#define CLEAR 3.0         /* from the edges, along which lines may run */
#define LEAST_WIDTH 108.0 /* of the minimum's name, right of the panel */
#define LEAST_GAP 10.0
/* Boxes a point needs: sign, interval, two parts of the front, name; and limits and texts. */
#define BOXES_A_POINT 5
#define BOXES_MORE 12

/* ---- Texts in the panel ---- */

static struct chart_cell text_cell(struct chart_frontier_panel *chart, const char *text,
                                   enum theme_font font, enum theme_ink ink)
{
    struct chart_cell cell = {0};
    struct chart_cell_style style =
        chart_frame_style(chart->frame, font, ink, chart->frame->content * 0.6, 1);
    chart_cell_add(&chart->frame->scene, &cell, text, &style);
    return cell;
}

/* The first of some places where the text is inside of `bounds` and clear of all boxes, which it
 * is added to. */
static bool place_text(struct chart_frontier_panel *chart, const struct chart_cell *cell,
                       const struct canvas_point *places, size_t count,
                       const struct canvas_box *bounds, struct canvas_point *at)
{
    for (size_t i = 0; i < count; i++) {
        struct canvas_box box = {places[i].x, places[i].y, cell->width, cell->height};
        bool inside = box.x >= bounds->x + CLEAR && box.y >= bounds->y + CLEAR &&
                      box.x + box.width <= bounds->x + bounds->width - CLEAR &&
                      box.y + box.height <= bounds->y + bounds->height - CLEAR;
        if (!inside || chart_frontier_boxes_meet(&chart->boxes, &box))
            continue;
        *at = places[i];
        chart_frontier_boxes_add(&chart->boxes, box);
        return true;
    }
    return false;
}

static void place_within(struct chart_frontier_panel *chart)
{
    const struct canvas_box *box = &chart->region;
    if (!chart->has_region)
        return;
    chart->within = text_cell(chart, chart_frontier_region_text(chart->frame, chart->points),
                              THEME_FONT_SMALL, THEME_GOOD);
    double left = box->x + INSET;
    double right = box->x + box->width - INSET - chart->within.width;
    double top = box->y + INSET;
    double bottom = box->y + box->height - INSET - chart->within.height;
    const struct canvas_point places[] = {
        {left, top}, {right, top}, {left, bottom}, {right, bottom}};
    chart->within_placed = place_text(chart, &chart->within, places, 4, box, &chart->within_at);
}

/* Below or above the last part of the front, which runs to the end of the panel. */
static void place_front(struct chart_frontier_panel *chart)
{
    const struct canvas_box *box = &chart->panel.box;
    if (chart->step_count == 0)
        return;
    chart->front = text_cell(chart, texts_get(chart->frame->texts, "chart.frontier.front"),
                             THEME_FONT_SMALL, THEME_QUIET);
    struct canvas_point end = chart->steps[chart->step_count - 1];
    struct canvas_point begin = chart->steps[0];
    double right = box->x + box->width - INSET - chart->front.width;
    const struct canvas_point places[] = {
        {right, end.y - 4 - chart->front.height},
        {right, end.y + 4},
        {begin.x + INSET, box->y + box->height - INSET - chart->front.height}};
    chart->front_placed = place_text(chart, &chart->front, places, 3, box, &chart->front_at);
}

/* ---- Layout ---- */

static void add_obstacles(struct chart_frontier_panel *chart)
{
    const struct chart_panel *panel = &chart->panel;
    const struct canvas_box *box = &panel->box;
    double size = CHART_FRONTIER_RADIUS + 2;
    for (size_t i = 0; i < chart->points->count; i++) {
        const struct chart_frontier_point *point = &chart->points->items[i];
        const struct summary_candidate *candidate = point->candidate;
        double half = point->first ? size + 4 : size;
        chart_frontier_boxes_add(
            &chart->boxes,
            (struct canvas_box){point->at.x - half, point->at.y - half, 2 * half, 2 * half});
        double top = chart_panel_y(panel, candidate->throughput_upper);
        double bottom = chart_panel_y(panel, candidate->throughput_lower);
        if (chart_frontier_has_interval(candidate))
            chart_frontier_boxes_add(
                &chart->boxes, (struct canvas_box){point->at.x - CHART_FRONTIER_CAP - 1, top - 1,
                                                   2 * CHART_FRONTIER_CAP + 2, bottom - top + 2});
    }
    chart_frontier_boxes_add_line(&chart->boxes, chart->steps, chart->step_count);
    double x = chart_panel_x(panel, chart->points->limit_mb);
    double y = chart_panel_y(panel, chart->points->least);
    const struct canvas_point limit[] = {{x, box->y}, {x, box->y + box->height}};
    const struct canvas_point least[] = {{box->x, y}, {box->x + box->width, y}};
    if (chart->points->limit_inside)
        chart_frontier_boxes_add_line(&chart->boxes, limit, 2);
    if (chart->points->least_inside)
        chart_frontier_boxes_add_line(&chart->boxes, least, 2);
}

static const char *limit_text(struct chart_frontier_panel *chart, const char *text, bool inside)
{
    return inside ? text : chart_frame_say1(chart->frame, "chart.limit_beyond", "limit", text);
}

static void make_limit_texts(struct chart_frontier_panel *chart)
{
    struct chart_frame *frame = chart->frame;
    const struct chart_frontier_points *points = chart->points;
    char memory[64];
    if (!isnan(points->limit_mb)) {
        axis_memory_label(axis_memory_unit(points->limit_mb), points->limit_mb, true, memory,
                          sizeof memory);
        const char *text = chart_frame_say1(frame, "chart.limit", "limit", memory);
        chart->limit = text_cell(chart, limit_text(chart, text, points->limit_inside),
                                 THEME_FONT_SMALL_STRONG, THEME_LIMIT);
    }
    if (!isnan(points->least)) {
        struct chart_cell_style style =
            chart_frame_style(frame, THEME_FONT_SMALL_STRONG, THEME_LIMIT, LEAST_WIDTH, 6);
        const char *rate = chart_throughput_words_rate(frame, points->least, points->unit);
        const char *text = chart_frame_say1(frame, "chart.throughput.minimum", "limit", rate);
        chart_cell_add(&frame->scene, &chart->least, limit_text(chart, text, points->least_inside),
                       &style);
    }
}

/* Chooses the axes, first without and then with the room that their numbers take. */
static void place_panel(struct chart_frontier_panel *chart)
{
    struct chart_frame *frame = chart->frame;
    struct canvas_box *box = &chart->panel.box;
    double usual = chart->frame->input->on_page ? HEIGHT_PAGE : HEIGHT_SHARE;
    double share = chart->points->count > MANY ? HEIGHT_MANY : usual;
    double right = isnan(chart->points->least) ? INSET : LEAST_WIDTH + LEAST_GAP;
    *box = (struct canvas_box){CHART_FRAME_MARGIN, 0, frame->content - right,
                               round(share * frame->content)};
    chart_frontier_scale(chart->points, frame, &chart->panel);
    double numbers = chart_panel_numbers_width(frame, &chart->panel.y);
    box->x += numbers;
    box->width -= numbers;
    chart_frontier_scale(chart->points, frame, &chart->panel);
    make_limit_texts(chart);
    const char *title =
        chart_throughput_words_axis(frame, chart->panel.y.unit.name, chart->points->unit);
    chart->title = text_cell(chart, title, THEME_FONT_SMALL_STRONG, THEME_TEXT);
    /* Above the panel stand its title and the name of the limit, beside each other if they may. */
    double limit_x = chart_panel_x(&chart->panel, chart->points->limit_mb) - chart->limit.width / 2;
    bool beside = limit_x > CHART_FRAME_MARGIN + chart->title.width + 2 * LEAST_GAP;
    double limit = chart->limit.count > 0 && !beside ? ROW : 0;
    box->y = ceil(frame->y + CHART_PANEL_TITLE + limit);
}

enum status chart_frontier_panel_place(struct chart_frontier_panel *chart, struct diag *diag)
{
    struct chart_frame *frame = chart->frame;
    enum status status = chart_frontier_boxes_init(
        &chart->boxes, frame, BOXES_A_POINT * chart->points->count + BOXES_MORE, diag);
    if (status != STATUS_OK)
        return status;
    place_panel(chart);
    chart_frontier_place(chart->points, &chart->panel);
    chart->steps = chart_frontier_steps(chart->points, frame, &chart->panel, &chart->step_count);
    chart->has_region = chart_frontier_region(chart->points, &chart->panel, &chart->region);
    add_obstacles(chart);
    status = chart_frontier_names_place(&chart->names, chart->points, frame, &chart->panel,
                                        &chart->boxes, diag);
    if (status != STATUS_OK)
        return status;
    /* What else stands in the panel has the legend to go to. */
    for (size_t i = 0; i < chart->names.count; i++) {
        const struct chart_label *label = &chart->names.labels[i];
        if (label->placed)
            chart_frontier_boxes_add(&chart->boxes,
                                     (struct canvas_box){label->at.x, label->at.y,
                                                         label->cell.width, label->cell.height});
    }
    place_within(chart);
    place_front(chart);
    return STATUS_OK;
}

/* ---- Drawing ---- */

/* A horizontal (`across`) or vertical line of the grid that makes room for what stands on it. */
static void put_grid_line(struct chart_frontier_panel *chart, struct canvas_box line, bool across,
                          const struct canvas_paint *paint)
{
    double from = across ? line.x : line.y;
    double end = across ? line.x + line.width : line.y + line.height;
    while (from < end) {
        double gap = end;
        double next = end;
        for (size_t i = 0; i < chart->boxes.count; i++) {
            const struct canvas_box *box = &chart->boxes.items[i];
            double near = across ? box->x - 2 : box->y - 1;
            double far = across ? box->x + box->width + 2 : box->y + box->height + 1;
            bool meets = across ? line.y > box->y - 1 && line.y < box->y + box->height + 1
                                : line.x > box->x - 2 && line.x < box->x + box->width + 2;
            if (meets && far > from && near < gap) {
                gap = fmax(near, from);
                next = far;
            }
        }
        struct canvas_point a = {across ? from : line.x, across ? line.y : from};
        struct canvas_point b = {across ? gap : line.x, across ? line.y : gap};
        if (gap > from)
            scene_line(&chart->frame->scene, a, b, paint);
        from = gap < end ? next : end;
    }
}

static void put_grid(struct chart_frontier_panel *chart)
{
    const struct chart_panel *panel = &chart->panel;
    const struct canvas_box *box = &panel->box;
    struct canvas_paint paint = {CANVAS_NONE, CANVAS_NONE, chart->frame->theme->ink[THEME_GRID], 1,
                                 0};
    for (size_t i = 0; i < panel->x.count; i++) {
        double x = chart_panel_x(panel, panel->x.ticks[i] * panel->x.unit.factor);
        put_grid_line(chart, (struct canvas_box){x, box->y, 0, box->height}, false, &paint);
    }
    for (size_t i = 0; i < panel->y.count; i++) {
        double y = chart_panel_y(panel, panel->y.ticks[i] * panel->y.unit.factor);
        put_grid_line(chart, (struct canvas_box){box->x, y, box->width, 0}, true, &paint);
    }
}

static void put_interval(struct chart_frontier_panel *chart,
                         const struct chart_frontier_point *point)
{
    const struct summary_candidate *candidate = point->candidate;
    if (chart_frontier_has_interval(candidate))
        chart_frontier_interval(chart->frame, point->at.x,
                                chart_panel_y(&chart->panel, candidate->throughput_upper),
                                chart_panel_y(&chart->panel, candidate->throughput_lower),
                                point->series->colour, chart_frontier_is_within_run(candidate));
}

static void put_texts(struct chart_frontier_panel *chart)
{
    struct scene *scene = &chart->frame->scene;
    const struct canvas_box *box = &chart->panel.box;
    double line = chart_panel_x(&chart->panel, chart->points->limit_mb);
    double x = fmin(box->x + box->width - chart->limit.width, line - chart->limit.width / 2);
    chart_cell_draw(scene, &chart->limit,
                    (struct canvas_point){fmax(box->x, x), box->y - 4 - chart->limit.height});
    double middle = chart_panel_y(&chart->panel, chart->points->least);
    double y = fmin(box->y + box->height - chart->least.height, middle - chart->least.height / 2);
    chart_cell_draw(scene, &chart->least,
                    (struct canvas_point){box->x + box->width + LEAST_GAP, fmax(box->y, y)});
    if (chart->within_placed)
        chart_cell_draw(scene, &chart->within, chart->within_at);
    if (chart->front_placed)
        chart_cell_draw(scene, &chart->front, chart->front_at);
}

void chart_frontier_panel_put(struct chart_frontier_panel *chart)
{
    struct chart_frame *frame = chart->frame;
    struct canvas_paint front = {CANVAS_NONE, CANVAS_NONE, frame->theme->ink[THEME_QUIET], 1.6, 0};
    chart_cell_draw(&frame->scene, &chart->title,
                    (struct canvas_point){CHART_FRAME_MARGIN, frame->y});
    if (chart->has_region)
        scene_rectangle(&frame->scene, chart->region, &frame->theme->area[THEME_FEASIBLE]);
    put_grid(chart);
    if (chart->points->limit_inside)
        chart_panel_limit_x(frame, &chart->panel, chart->points->limit_mb);
    if (chart->points->least_inside)
        chart_panel_limit_y(frame, &chart->panel, chart->points->least);
    for (size_t i = 1; i < chart->step_count; i++) /* parts, so that none is taken for an area */
        scene_line(&frame->scene, chart->steps[i - 1], chart->steps[i], &front);
    for (size_t i = 0; i < chart->points->count; i++)
        put_interval(chart, &chart->points->items[i]);
    chart_labels_put(frame, chart->names.labels, chart->names.count);
    for (size_t i = 0; i < chart->points->count; i++)
        chart_frontier_sign(frame, &chart->points->items[i]);
    put_texts(chart);
    chart_panel_numbers(frame, &chart->panel, CHART_PANEL_X | CHART_PANEL_Y);
    chart_panel_titles(
        frame, &chart->panel, CHART_FRAME_MARGIN,
        chart_frame_say1(frame, "chart.memory.axis", "unit", chart->panel.x.unit.name), NULL);
    frame->y = chart->panel.box.y + chart->panel.box.height + CHART_PANEL_NUMBERS + 26;
}
