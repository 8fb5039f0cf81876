#ifndef RANKLEDGER_CHART_MARGINS_STRIP_H
#define RANKLEDGER_CHART_MARGINS_STRIP_H

#include "chart_frame.h"
#include "chart_margins_axis.h"

/*
 * A strip: the axis of one limit, divided into the regions in which the answer is one and the
 * same, with a line at the present limit and a mark at what the selected candidate measured.
 */
struct chart_margins_strip {
    const struct summary_sensitivity *item;
    const struct summary_change *down, *up; /* NULL: no value changes the answer */
    double measured;                        /* by the selected candidate; NAN */
    bool ratio;                             /* shown as a percentage */
    bool any;                               /* any value at all changes the answer */
    struct chart_margins_bounds bounds;
    struct chart_axis_range range;
    struct chart_axis axis;
    double left, right, y; /* y: upper edge, the mark included */
};

#define CHART_MARGINS_STRIP_GAP 32.0 /* beside it, into which the outer numbers reach */

/* `selected` may be NULL. */
void chart_margins_strip_init(struct chart_margins_strip *strip, const struct chart_frame *frame,
                              const struct summary_sensitivity *item,
                              const struct summary_candidate *selected);

/* Chooses the axis so that its numbers fit; `left` and `right` are set. */
void chart_margins_strip_scale(struct chart_margins_strip *strip, struct chart_frame *frame);

/* Marks the areas that its regions use. */
void chart_margins_strip_areas(const struct chart_margins_strip *strip,
                               bool areas[THEME_AREA_COUNT]);

double chart_margins_strip_height(const struct chart_margins_strip *strip);
void chart_margins_strip_put(const struct chart_margins_strip *strip, struct chart_frame *frame);

#endif
