#include "chart_cell.h"

#include <math.h>

#define MARK_SIZE 9.0
#define MARK_ROOM 14.0

void chart_cell_add(struct scene *scene, struct chart_cell *cell, const char *text,
                    const struct chart_cell_style *style)
{
    double indent = style->mark != CHART_MARK_NONE ? MARK_ROOM : 0;
    struct text_fit_room room = {style->width - indent, style->lines, style->keep_end};
    struct text_fit fit = scene_fit(scene, style->font, text, room);
    for (size_t i = 0; i < fit.count && cell->count < CHART_CELL_LINES; i++) {
        struct canvas_extent extent = fit.lines[i].extent;
        cell->lines[cell->count] =
            (struct chart_cell_line){fit.lines[i], style->font, style->colour,
                                     i == 0 ? style->mark : CHART_MARK_NONE, indent};
        cell->width = fmax(cell->width, indent + extent.width);
        cell->height += (cell->count > 0 ? CHART_CELL_LEADING : 0) + extent.ascent + extent.descent;
        cell->count++;
    }
}

static void draw_mark(struct scene *scene, enum chart_mark mark, struct canvas_point corner,
                      canvas_colour colour)
{
    struct canvas_paint line = {CANVAS_NONE, CANVAS_NONE, colour, 1.8, 0};
    struct canvas_paint solid = {colour, CANVAS_NONE, CANVAS_NONE, 0, 0};
    double x = corner.x;
    double y = corner.y;
    double s = MARK_SIZE;
    switch (mark) {
    case CHART_MARK_CHECK:
        scene_polyline(scene,
                       (struct canvas_point[]){
                           {x, y + 0.55 * s}, {x + 0.38 * s, y + 0.92 * s}, {x + s, y + 0.1 * s}},
                       3, &line);
        break;
    case CHART_MARK_CROSS:
        scene_line(scene, (struct canvas_point){x + 0.05 * s, y + 0.05 * s},
                   (struct canvas_point){x + 0.95 * s, y + 0.95 * s}, &line);
        scene_line(scene, (struct canvas_point){x + 0.05 * s, y + 0.95 * s},
                   (struct canvas_point){x + 0.95 * s, y + 0.05 * s}, &line);
        break;
    case CHART_MARK_WARNING:
        scene_polyline(
            scene,
            (struct canvas_point[]){{x + s / 2, y}, {x + s, y + 0.95 * s}, {x, y + 0.95 * s}}, 3,
            &solid);
        break;
    case CHART_MARK_LIMIT:
        scene_line(scene, (struct canvas_point){x + s / 2, y - 1},
                   (struct canvas_point){x + s / 2, y + s + 1}, &line);
        break;
    case CHART_MARK_POINTER:
        scene_polyline(scene, (struct canvas_point[]){{x, y}, {x + s, y}, {x + s / 2, y + s}}, 3,
                       &solid);
        break;
    case CHART_MARK_NONE:
        break;
    }
}

void chart_cell_draw(struct scene *scene, const struct chart_cell *cell, struct canvas_point at)
{
    double y = at.y;
    for (size_t i = 0; i < cell->count; i++) {
        const struct chart_cell_line *line = &cell->lines[i];
        double baseline = y + line->text.extent.ascent;
        /* the middle of a capital letter, 0.72 em high */
        double middle = baseline - 0.36 * line->font->size;
        draw_mark(scene, line->mark, (struct canvas_point){at.x, middle - MARK_SIZE / 2},
                  line->colour);
        scene_text(scene, (struct canvas_point){at.x + line->indent, baseline}, line->font,
                   line->colour, line->text.text);
        y = baseline + line->text.extent.descent + CHART_CELL_LEADING;
    }
}
