#include "canvas_shape.h"

#include <math.h>

#include "canvas_hatch.h"

void canvas_shape_colour(cairo_t *target, canvas_colour colour)
{
    cairo_set_source_rgb(target, (double)(colour >> 16 & 0xFF) / 255,
                         (double)(colour >> 8 & 0xFF) / 255, (double)(colour & 0xFF) / 255);
}

static void box_path(cairo_t *target, const struct canvas_box *box)
{
    cairo_rectangle(target, box->x, box->y, box->width, box->height);
}

static void hatch_box(cairo_t *target, const struct canvas_box *box, canvas_colour colour)
{
    struct canvas_point line[2];
    canvas_shape_colour(target, colour);
    cairo_set_dash(target, NULL, 0, 0);
    cairo_set_line_width(target, CANVAS_HATCH_WIDTH);
    for (size_t i = 0; canvas_hatch_line(box, i, line); i++) {
        cairo_move_to(target, line[0].x, line[0].y);
        cairo_line_to(target, line[1].x, line[1].y);
    }
    cairo_stroke(target);
}

static void set_stroke(cairo_t *target, const struct canvas_paint *paint)
{
    canvas_shape_colour(target, paint->stroke);
    cairo_set_line_width(target, paint->width);
    if (paint->dash > 0)
        cairo_set_dash(target, &paint->dash, 1, 0);
    else
        cairo_set_dash(target, NULL, 0, 0);
}

void canvas_shape_rectangle(cairo_t *target, const struct canvas_box *box,
                            const struct canvas_paint *paint)
{
    if (paint->fill != CANVAS_NONE) {
        box_path(target, box);
        canvas_shape_colour(target, paint->fill);
        cairo_fill(target);
    }
    if (paint->hatch != CANVAS_NONE)
        hatch_box(target, box, paint->hatch);
    if (paint->stroke == CANVAS_NONE || paint->width <= 0)
        return;
    double inset = fmin(paint->width, fmin(box->width, box->height)) / 2;
    struct canvas_box edge = {box->x + inset, box->y + inset, box->width - 2 * inset,
                              box->height - 2 * inset};
    set_stroke(target, paint);
    box_path(target, &edge);
    cairo_stroke(target);
}

void canvas_shape_polyline(cairo_t *target, const struct canvas_point *points, size_t count,
                           const struct canvas_paint *paint)
{
    for (size_t i = 0; i < count; i++)
        cairo_line_to(target, points[i].x, points[i].y);
    if (paint->fill != CANVAS_NONE) {
        cairo_close_path(target);
        canvas_shape_colour(target, paint->fill);
        cairo_fill_preserve(target);
    }
    if (paint->stroke != CANVAS_NONE && paint->width > 0) {
        set_stroke(target, paint);
        cairo_stroke_preserve(target);
    }
    cairo_new_path(target);
}
