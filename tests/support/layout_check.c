#include "layout_check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "theme.h"

/* A hundredth of a pixel: sums of measured heights carry rounding errors. */
#define EXACT 0.01
/* The box of a text has the whole em; an area of its line's height may be this much lower. */
#define EM_ROOM 3.5
#define CONTRAST 4.5

static void note(struct layout_check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void note(struct layout_check *check, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (check->faults++ == 0)
        vsnprintf(check->first, sizeof check->first, format, arguments);
    va_end(arguments);
}

static double right_of(const struct canvas_box *box)
{
    return box->x + box->width;
}

static double bottom_of(const struct canvas_box *box)
{
    return box->y + box->height;
}

static bool overlap(const struct canvas_box *a, const struct canvas_box *b)
{
    return a->x < right_of(b) - EXACT && b->x < right_of(a) - EXACT &&
           a->y < bottom_of(b) - EXACT && b->y < bottom_of(a) - EXACT;
}

/* Whether an area reaches around a text. */
static bool contains(const struct canvas_box *area, const struct canvas_box *text)
{
    return area->x <= text->x + 1 && right_of(area) >= right_of(text) - 1 &&
           area->y <= text->y + EM_ROOM && bottom_of(area) >= bottom_of(text) - EM_ROOM;
}

static void check_inside_page(struct layout_check *check, const struct recording_canvas *canvas)
{
    for (size_t i = 0; i < canvas->count; i++) {
        const struct recording_item *item = &canvas->items[i];
        if (item->box.x < -EXACT || item->box.y < -EXACT ||
            right_of(&item->box) > canvas->page.width + EXACT ||
            bottom_of(&item->box) > canvas->page.height + EXACT)
            note(check, "item %zu (%s) at %g,%g %gx%g leaves the page", i,
                 item->text != NULL ? item->text : "a shape", item->box.x, item->box.y,
                 item->box.width, item->box.height);
    }
}

static void check_against_texts(struct layout_check *check, const struct recording_canvas *canvas,
                                size_t index)
{
    const struct recording_item *text = &canvas->items[index];
    for (size_t i = index + 1; i < canvas->count; i++) {
        const struct recording_item *other = &canvas->items[i];
        if (other->kind == RECORDING_TEXT && overlap(&text->box, &other->box))
            note(check, "\"%s\" overlaps \"%s\"", text->text, other->text);
    }
}

/* ---- Lines ---- */

/* Cuts the part of a segment, from `*from` to `*to` of its length, that lies within [low, high] in
 * one direction; false: none does. */
static bool cut(double start, double length, double low, double high, double *from, double *to)
{
    if (length == 0)
        return start > low && start < high;
    double a = (low - start) / length;
    double b = (high - start) / length;
    *from = fmax(*from, fmin(a, b));
    *to = fmin(*to, fmax(a, b));
    return *from < *to;
}

static bool crosses(const struct canvas_point *a, const struct canvas_point *b,
                    const struct canvas_box *box)
{
    double from = 0;
    double to = 1;
    return cut(a->x, b->x - a->x, box->x + EXACT, right_of(box) - EXACT, &from, &to) &&
           cut(a->y, b->y - a->y, box->y + EXACT, bottom_of(box) - EXACT, &from, &to);
}

static bool line_meets(const struct recording_item *line, const struct canvas_box *box)
{
    struct canvas_box around = {line->box.x - 1, line->box.y - 1, line->box.width + 2,
                                line->box.height + 2};
    if (!overlap(&around, box))
        return false;
    if (line->paint.fill != CANVAS_NONE)
        return overlap(&line->box, box);
    for (size_t i = 1; i < line->points; i++) {
        if (crosses(&line->places[i - 1], &line->places[i], box))
            return true;
    }
    return false;
}

/* Lines may run through a text only where a later ground has covered them. */
static bool is_covered(const struct recording_canvas *canvas, size_t line, size_t text)
{
    for (size_t i = line + 1; i < text; i++) {
        const struct recording_item *item = &canvas->items[i];
        if (item->kind == RECORDING_RECTANGLE && item->paint.fill != CANVAS_NONE &&
            contains(&item->box, &canvas->items[text].box))
            return true;
    }
    return false;
}

static void check_against_lines(struct layout_check *check, const struct recording_canvas *canvas,
                                size_t index)
{
    const struct recording_item *text = &canvas->items[index];
    for (size_t i = 0; i < canvas->count; i++) {
        const struct recording_item *line = &canvas->items[i];
        if (line->kind == RECORDING_POLYLINE && line_meets(line, &text->box) &&
            !(i < index && is_covered(canvas, i, index)))
            note(check, "a line of %zu points at %g,%g %gx%g crosses \"%s\"", line->points,
                 line->box.x, line->box.y, line->box.width, line->box.height, text->text);
    }
}

/* ---- Areas ---- */

static void check_against_areas(struct layout_check *check, const struct recording_canvas *canvas,
                                size_t index)
{
    const struct recording_item *text = &canvas->items[index];
    canvas_colour ground = canvas->page.background;
    bool hatched = false;
    for (size_t i = 0; i < canvas->count; i++) {
        const struct recording_item *area = &canvas->items[i];
        if (area->kind != RECORDING_RECTANGLE || !overlap(&area->box, &text->box))
            continue;
        bool around = contains(&area->box, &text->box);
        if (i > index)
            note(check, "an area hides \"%s\"", text->text);
        else if (!around && !is_covered(canvas, i, index))
            note(check, "the edge of an area at %g,%g %gx%g crosses \"%s\"", area->box.x,
                 area->box.y, area->box.width, area->box.height, text->text);
        if (around && area->paint.fill != CANVAS_NONE)
            ground = area->paint.fill;
        hatched = around && (hatched || area->paint.fill != CANVAS_NONE)
                      ? area->paint.hatch != CANVAS_NONE
                      : hatched;
    }
    if (hatched)
        note(check, "\"%s\" stands on a hatch", text->text);
    double contrast = theme_contrast(ground, text->colour);
    if (contrast < CONTRAST)
        note(check, "\"%s\" has a contrast of %.2f (%06x on %06x)", text->text, contrast,
             (unsigned)text->colour, (unsigned)ground);
}

struct layout_check layout_check_page(const struct recording_canvas *canvas)
{
    struct layout_check check = {.faults = 0};
    check_inside_page(&check, canvas);
    for (size_t i = 0; i < canvas->count; i++) {
        if (canvas->items[i].kind != RECORDING_TEXT || canvas->items[i].text[0] == '\0')
            continue;
        check_against_texts(&check, canvas, i);
        check_against_lines(&check, canvas, i);
        check_against_areas(&check, canvas, i);
    }
    return check;
}

const char *layout_check_cut(const struct recording_canvas *canvas)
{
    static const char ellipsis[] = "...";
    for (size_t i = 0; i < canvas->count; i++) {
        const struct recording_item *item = &canvas->items[i];
        if (item->kind == RECORDING_TEXT && strstr(item->text, ellipsis) != NULL)
            return item->text;
    }
    return NULL;
}
