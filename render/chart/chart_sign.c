#include "chart_sign.h"

#include <math.h>

#include "chart_marker.h"

#define STROKE 1.6
#define HALO 4.0
#define DASH 3.0
#define DOT_SQUARE 1.5 /* up to this radius */
#define MARK_HEIGHT 14.0
#define RING 6.0
#define RING_CORNERS 20
#define AREA 12.0
#define PI 3.14159265358979323846

static struct canvas_paint stroke_of(canvas_colour colour, double width, double dash)
{
    return (struct canvas_paint){CANVAS_NONE, CANVAS_NONE, colour, width, dash};
}

static void put_bracket(struct scene *scene, const struct theme *theme, struct canvas_point from,
                        double to)
{
    struct canvas_paint line = stroke_of(theme->ink[THEME_TEXT], 1.3, 0);
    double top = from.y - CHART_SIGN_BRACKET_HEIGHT / 2;
    double bottom = from.y + CHART_SIGN_BRACKET_HEIGHT / 2;
    scene_polyline(scene,
                   (struct canvas_point[]){
                       {from.x + 0.65, top}, {from.x + 0.65, bottom}, {to, bottom}, {to, top}},
                   4, &line);
}

/* One polyline through both caps and the line between them. */
static void put_capped(struct scene *scene, const struct canvas_paint *paint,
                       struct canvas_point from, double to)
{
    double top = from.y - CHART_SIGN_CAP / 2;
    double bottom = from.y + CHART_SIGN_CAP / 2;
    scene_line(scene, from, (struct canvas_point){to, from.y}, paint);
    struct canvas_paint caps = *paint;
    caps.dash = 0;
    scene_line(scene, (struct canvas_point){from.x, top}, (struct canvas_point){from.x, bottom},
               &caps);
    scene_line(scene, (struct canvas_point){to, top}, (struct canvas_point){to, bottom}, &caps);
}

static void put_whisker(struct scene *scene, const struct theme *theme, double dash,
                        struct canvas_point from, double to)
{
    struct canvas_paint halo = stroke_of(theme->ink[THEME_PAGE], HALO, 0);
    struct canvas_paint line = stroke_of(theme->ink[THEME_TEXT], STROKE, dash);
    put_capped(scene, &halo, from, to);
    put_capped(scene, &line, from, to);
}

static void put_range(struct scene *scene, const struct theme *theme, struct canvas_point from,
                      double to)
{
    struct canvas_paint halo = stroke_of(theme->ink[THEME_PAGE], HALO, 0);
    struct canvas_paint line = stroke_of(theme->ink[THEME_TEXT], STROKE, 0);
    scene_line(scene, from, (struct canvas_point){to, from.y}, &halo);
    scene_line(scene, from, (struct canvas_point){to, from.y}, &line);
}

void chart_sign_dot(struct scene *scene, struct canvas_point at, double radius,
                    canvas_colour colour)
{
    struct canvas_paint paint = {colour, CANVAS_NONE, CANVAS_NONE, 0, 0};
    if (radius <= DOT_SQUARE) {
        scene_rectangle(scene,
                        (struct canvas_box){at.x - radius, at.y - radius, 2 * radius, 2 * radius},
                        &paint);
        return;
    }
    double near = radius * 0.414; /* tan(pi / 8): a regular octagon */
    scene_polyline(scene,
                   (struct canvas_point[]){{at.x - near, at.y - radius},
                                           {at.x + near, at.y - radius},
                                           {at.x + radius, at.y - near},
                                           {at.x + radius, at.y + near},
                                           {at.x + near, at.y + radius},
                                           {at.x - near, at.y + radius},
                                           {at.x - radius, at.y + near},
                                           {at.x - radius, at.y - near}},
                   8, &paint);
}

void chart_sign_mark(struct scene *scene, const struct theme *theme, struct canvas_point at,
                     double height)
{
    struct canvas_paint halo = stroke_of(theme->ink[THEME_PAGE], 3, 0);
    struct canvas_paint line = stroke_of(theme->ink[THEME_TEXT], 2, 0);
    struct canvas_point top = {at.x, at.y - height / 2};
    struct canvas_point bottom = {at.x, at.y + height / 2};
    scene_line(scene, top, bottom, &halo);
    scene_line(scene, top, bottom, &line);
}

void chart_sign_ring(struct scene *scene, const struct theme *theme, struct canvas_point at)
{
    const struct canvas_paint paints[] = {stroke_of(theme->ink[THEME_PAGE], 3.4, 0),
                                          stroke_of(theme->ink[THEME_TEXT], 1.4, 0)};
    struct canvas_point points[RING_CORNERS + 1];
    for (size_t i = 0; i <= RING_CORNERS; i++) {
        double angle = 2 * PI * (double)i / RING_CORNERS;
        points[i] = (struct canvas_point){at.x + RING * cos(angle), at.y + RING * sin(angle)};
    }
    for (size_t i = 0; i < 2; i++)
        scene_polyline(scene, points, RING_CORNERS + 1, &paints[i]);
}

/* Signs of lines and areas of a panel. */
static void put_part(struct scene *scene, const struct theme *theme, enum chart_sign sign,
                     const struct canvas_point *ends)
{
    const struct canvas_paint limit = stroke_of(theme->ink[THEME_LIMIT], STROKE, 0);
    const struct canvas_paint dotted = stroke_of(theme->ink[THEME_AXIS], 1, 2);
    const struct canvas_paint thin = stroke_of(theme->ink[THEME_AXIS], 0.9, 0);
    const struct canvas_paint dashed = stroke_of(theme->ink[THEME_TEXT], 1, 4);
    const struct canvas_paint strong = stroke_of(theme->ink[THEME_TEXT], 1.8, 0);
    struct canvas_paint area = {sign == CHART_SIGN_BAND ? theme->area[THEME_ELIGIBLE].fill
                                                        : theme->ink[THEME_GRID],
                                CANVAS_NONE, CANVAS_NONE, 0, 0};
    double x = (ends[0].x + ends[1].x) / 2;
    double y = ends[0].y;
    struct canvas_box box = {ends[0].x, y - AREA / 2, ends[1].x - ends[0].x, AREA};
    if (sign == CHART_SIGN_BAND || sign == CHART_SIGN_GREY)
        scene_rectangle(scene, box, &area);
    else if (sign == CHART_SIGN_UPRIGHT || sign == CHART_SIGN_LIMIT)
        scene_line(scene, (struct canvas_point){x, y - AREA / 2},
                   (struct canvas_point){x, y + AREA / 2},
                   sign == CHART_SIGN_LIMIT ? &limit : &dotted);
    else
        scene_line(scene, ends[0], ends[1],
                   sign == CHART_SIGN_LINE        ? &strong
                   : sign == CHART_SIGN_LINE_THIN ? &thin
                                                  : &dashed);
}

void chart_sign_put(struct scene *scene, const struct theme *theme, enum chart_sign sign,
                    struct canvas_point from, double to)
{
    switch (sign) {
    case CHART_SIGN_BRACKET:
        put_bracket(scene, theme, from, to);
        break;
    case CHART_SIGN_WHISKER:
        put_whisker(scene, theme, 0, from, to);
        break;
    case CHART_SIGN_WHISKER_CUT:
        put_whisker(scene, theme, DASH, from, to);
        break;
    case CHART_SIGN_RANGE:
        put_range(scene, theme, from, to);
        break;
    case CHART_SIGN_DOT:
        chart_sign_dot(scene, from, 2, theme->ink[THEME_TEXT]);
        break;
    case CHART_SIGN_MARK:
        chart_sign_mark(scene, theme, from, MARK_HEIGHT);
        break;
    case CHART_SIGN_CROSS:
        chart_marker_cross(scene, from, 4, theme->ink[THEME_BAD], CANVAS_NONE);
        break;
    case CHART_SIGN_RING:
        chart_sign_ring(scene, theme, from);
        break;
    case CHART_SIGN_LINE:
    case CHART_SIGN_LINE_THIN:
    case CHART_SIGN_LINE_DASHED:
    case CHART_SIGN_BAND:
    case CHART_SIGN_UPRIGHT:
    case CHART_SIGN_LIMIT:
    case CHART_SIGN_GREY:
        put_part(scene, theme, sign, (struct canvas_point[]){from, {to, from.y}});
        break;
    case CHART_SIGN_NONE:
        break;
    }
}
