#include "chart_frontier_legend.h"

#include <math.h>

#include "chart_marker.h"

#define LINE 18.0
#define SIGN 14.0
#define LONG_SIGN 24.0
#define GAP 6.0
#define SPACE 16.0
#define MIDDLE 8.0 /* of a sign, below the upper edge of its line */
#define RADIUS 4.5
#define RING 4.0 /* distance of the ring of the first one */
#define CORNERS 24
#define PI 3.14159265358979323846

static void put_ring(struct chart_frame *frame, struct canvas_point at, double radius)
{
    struct canvas_point points[CORNERS + 1];
    struct canvas_paint paint = {CANVAS_NONE, CANVAS_NONE, frame->theme->ink[THEME_TEXT], 1.6, 0};
    for (size_t i = 0; i <= CORNERS; i++) {
        double angle = 2 * PI * (double)(i % CORNERS) / CORNERS;
        points[i] = (struct canvas_point){at.x + radius * cos(angle), at.y + radius * sin(angle)};
    }
    scene_polyline(&frame->scene, points, CORNERS + 1, &paint);
}

static void put_sign(struct chart_frame *frame, const struct theme_series *series,
                     struct canvas_point at, double radius, bool hollow)
{
    canvas_colour ground = frame->theme->ink[THEME_PAGE];
    struct theme_series inner = *series;
    inner.colour = ground;
    chart_marker(&frame->scene, series, at, radius, ground);
    if (hollow && series->marker != THEME_MARKER_RING)
        chart_marker(&frame->scene, &inner, at, 0.55 * radius, CANVAS_NONE);
}

void chart_frontier_sign(struct chart_frame *frame, const struct chart_frontier_point *point)
{
    put_sign(frame, point->series, point->at, CHART_FRONTIER_RADIUS, !point->candidate->eligible);
    if (point->first)
        put_ring(frame, point->at, CHART_FRONTIER_RADIUS + RING);
}

void chart_frontier_interval(struct chart_frame *frame, double x, double top, double bottom,
                             canvas_colour colour, bool within_run)
{
    struct scene *scene = &frame->scene;
    struct canvas_paint cap = {CANVAS_NONE, CANVAS_NONE, colour, 1.2, 0};
    struct canvas_paint line = cap;
    line.dash = within_run ? 3 : 0;
    scene_line(scene, (struct canvas_point){x, top}, (struct canvas_point){x, bottom}, &line);
    scene_line(scene, (struct canvas_point){x - CHART_FRONTIER_CAP, top},
               (struct canvas_point){x + CHART_FRONTIER_CAP, top}, &cap);
    scene_line(scene, (struct canvas_point){x - CHART_FRONTIER_CAP, bottom},
               (struct canvas_point){x + CHART_FRONTIER_CAP, bottom}, &cap);
}

const char *chart_frontier_region_text(const struct chart_frame *frame,
                                       const struct chart_frontier_points *points)
{
    return texts_get(frame->texts, isnan(points->least)      ? "chart.frontier.within_memory"
                                   : isnan(points->limit_mb) ? "chart.frontier.within_throughput"
                                                             : "chart.frontier.within");
}

/* ---- Entries ---- */

enum kind { STRATEGY, HOLLOW, INTERVAL, INTERVAL_CUT, FRONT, REGION };

struct entry {
    enum kind kind;
    const struct theme_series *series;
    const char *text;
};

static void draw_entry(struct chart_frame *frame, const struct entry *entry, double x)
{
    struct canvas_point at = {x + SIGN / 2, frame->y + MIDDLE};
    struct canvas_paint line = {CANVAS_NONE, CANVAS_NONE, frame->theme->ink[THEME_QUIET], 1.6, 0};
    struct canvas_box box = {x, at.y - 6, LONG_SIGN, 12};
    switch (entry->kind) {
    case STRATEGY:
        put_sign(frame, entry->series, at, RADIUS, false);
        break;
    case HOLLOW:
        put_sign(frame, entry->series, at, RADIUS, true);
        break;
    case INTERVAL:
    case INTERVAL_CUT:
        chart_frontier_interval(frame, at.x, at.y - 7, at.y + 7, frame->theme->ink[THEME_QUIET],
                                entry->kind == INTERVAL_CUT);
        break;
    case FRONT:
        scene_line(&frame->scene, (struct canvas_point){x, at.y},
                   (struct canvas_point){x + LONG_SIGN, at.y}, &line);
        break;
    case REGION:
        scene_rectangle(&frame->scene, box, &frame->theme->area[THEME_FEASIBLE]);
        break;
    }
}

static double put_entry(struct chart_frame *frame, const struct entry *entry, double x)
{
    const struct canvas_font *font = &frame->theme->font[THEME_FONT_SMALL];
    double sign = (entry->kind == FRONT || entry->kind == REGION ? LONG_SIGN : SIGN) + GAP;
    struct text_fit fit = scene_fit(&frame->scene, font, entry->text,
                                    (struct text_fit_room){frame->content - sign, 1, false});
    if (fit.count == 0)
        return x;
    double width = sign + fit.lines[0].extent.width;
    if (x + width > CHART_FRAME_MARGIN + frame->content && x > CHART_FRAME_MARGIN) {
        x = CHART_FRAME_MARGIN;
        frame->y += LINE;
    }
    draw_entry(frame, entry, x);
    scene_text(&frame->scene, (struct canvas_point){x + sign, frame->y + 12}, font,
               frame->theme->ink[THEME_QUIET], fit.lines[0].text);
    return x + width + SPACE;
}

static double put_strategies(struct chart_frame *frame, const struct chart_frontier_points *points,
                             double x)
{
    for (size_t i = 0; i < points->count; i++) {
        const struct chart_frontier_point *point = &points->items[i];
        const char *strategy = point->candidate->strategy;
        bool known = false;
        for (size_t k = 0; k < i; k++)
            known = known || points->items[k].series == point->series;
        struct entry entry = {STRATEGY, point->series,
                              strategy != NULL && strategy[0] != '\0'
                                  ? strategy
                                  : texts_get(frame->texts, "chart.unknown")};
        if (!known)
            x = put_entry(frame, &entry, x);
    }
    return x;
}

static const struct chart_frontier_point *
find_not_eligible(const struct chart_frontier_points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        if (!points->items[i].candidate->eligible)
            return &points->items[i];
    }
    return NULL;
}

static bool has_interval(const struct chart_frontier_points *points, bool within_run)
{
    for (size_t i = 0; i < points->count; i++) {
        const struct summary_candidate *candidate = points->items[i].candidate;
        if (chart_frontier_has_interval(candidate) &&
            chart_frontier_is_within_run(candidate) == within_run)
            return true;
    }
    return false;
}

void chart_frontier_legend_put(struct chart_frame *frame,
                               const struct chart_frontier_points *points,
                               const struct chart_frontier_legend *legend)
{
    const struct chart_frontier_point *hollow = find_not_eligible(points);
    const struct texts *texts = frame->texts;
    double x = put_strategies(frame, points, CHART_FRAME_MARGIN);
    struct entry entries[5];
    size_t count = 0;
    if (hollow != NULL)
        entries[count++] =
            (struct entry){HOLLOW, hollow->series, texts_get(texts, "verdict.not_eligible")};
    if (has_interval(points, false))
        entries[count++] =
            (struct entry){INTERVAL, NULL, texts_get(texts, "chart.throughput.rounds")};
    if (has_interval(points, true))
        entries[count++] =
            (struct entry){INTERVAL_CUT, NULL, texts_get(texts, "chart.throughput.within_run")};
    if (legend->front)
        entries[count++] = (struct entry){FRONT, NULL, texts_get(texts, "chart.frontier.front")};
    if (legend->region)
        entries[count++] = (struct entry){REGION, NULL, chart_frontier_region_text(frame, points)};
    for (size_t i = 0; i < count; i++)
        x = put_entry(frame, &entries[i], x);
    frame->y += LINE + 6;
}
