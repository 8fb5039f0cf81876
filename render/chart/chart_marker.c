#include "chart_marker.h"

#include <math.h>

#define CORNERS_MOST 16
#define PI 3.14159265358979323846

struct form {
    size_t corners;
    double turn;  /* of the first corner, in turns; 0 points to the right */
    double scale; /* of the radius, so that all forms look equally large */
};

static struct form form_of(enum theme_marker marker)
{
    switch (marker) {
    case THEME_MARKER_SQUARE:
        return (struct form){4, 0.125, 1.25};
    case THEME_MARKER_TRIANGLE:
        return (struct form){3, 0.75, 1.3};
    case THEME_MARKER_DIAMOND:
        return (struct form){4, 0, 1.3};
    case THEME_MARKER_INVERTED:
        return (struct form){3, 0.25, 1.3};
    case THEME_MARKER_CIRCLE:
    case THEME_MARKER_RING:
        break;
    }
    return (struct form){CORNERS_MOST, 0, 1};
}

void chart_marker(struct scene *scene, const struct theme_series *series,
                  struct canvas_point centre, double radius, canvas_colour ground)
{
    struct canvas_point corners[CORNERS_MOST];
    struct form form = form_of(series->marker);
    bool ring = series->marker == THEME_MARKER_RING;
    struct canvas_paint paint = {series->colour, CANVAS_NONE, ground, 1, 0};
    if (ring) {
        paint.fill = ground != CANVAS_NONE ? ground : 0xFFFFFF;
        paint.stroke = series->colour;
        paint.width = fmax(1, radius * 0.45);
    }
    for (size_t i = 0; i < form.corners; i++) {
        double angle = 2 * PI * (form.turn + (double)i / (double)form.corners);
        corners[i] = (struct canvas_point){centre.x + form.scale * radius * cos(angle),
                                           centre.y + form.scale * radius * sin(angle)};
    }
    scene_polyline(scene, corners, form.corners, &paint);
}

void chart_marker_cross(struct scene *scene, struct canvas_point centre, double radius,
                        canvas_colour colour, canvas_colour ground)
{
    const struct canvas_paint paints[] = {
        {CANVAS_NONE, CANVAS_NONE, ground, 4, 0},
        {CANVAS_NONE, CANVAS_NONE, colour, 2, 0},
    };
    double x = centre.x;
    double y = centre.y;
    for (size_t i = ground == CANVAS_NONE ? 1 : 0; i < 2; i++) {
        scene_line(scene, (struct canvas_point){x - radius, y - radius},
                   (struct canvas_point){x + radius, y + radius}, &paints[i]);
        scene_line(scene, (struct canvas_point){x - radius, y + radius},
                   (struct canvas_point){x + radius, y - radius}, &paints[i]);
    }
}
