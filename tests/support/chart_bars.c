#include "chart_bars.h"

#include <criterion/criterion.h>
#include <math.h>

#define BAR 22 /* chart_lines.h */

static bool same_paint(const struct canvas_paint *a, const struct canvas_paint *b)
{
    return a->fill == b->fill && a->hatch == b->hatch && a->stroke == b->stroke &&
           a->dash == b->dash;
}

size_t chart_bars_of(const struct chart_recorder *recorder, enum theme_area area,
                     const struct recording_item **found, size_t capacity)
{
    size_t count = 0;
    for (size_t i = 0; i < recorder->canvas.count; i++) {
        const struct recording_item *item = &recorder->canvas.items[i];
        if (item->kind == RECORDING_RECTANGLE && item->box.height == BAR && count < capacity &&
            same_paint(&item->paint, &recorder->theme->area[area]))
            found[count++] = item;
    }
    return count;
}

double chart_bars_place(const struct chart_recorder *recorder, double value, const char *tick,
                        double tick_value)
{
    const struct recording_item *zero = recording_canvas_find(&recorder->canvas, "0");
    const struct recording_item *other = recording_canvas_find(&recorder->canvas, tick);
    cr_assert_not_null(zero);
    cr_assert_not_null(other, "no tick %s", tick);
    double from = zero->box.x + zero->box.width / 2;
    double to = other->box.x + other->box.width / 2;
    return from + (to - from) * value / tick_value;
}

double chart_bars_limit(const struct chart_recorder *recorder, size_t which)
{
    for (size_t i = 0; i < recorder->canvas.count; i++) {
        const struct recording_item *item = &recorder->canvas.items[i];
        if (item->kind == RECORDING_POLYLINE && item->box.height > 20 &&
            item->paint.stroke == recorder->theme->ink[THEME_LIMIT] && which-- == 0)
            return item->box.x;
    }
    return NAN;
}
