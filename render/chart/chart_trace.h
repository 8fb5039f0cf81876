#ifndef RANKLEDGER_CHART_TRACE_H
#define RANKLEDGER_CHART_TRACE_H

#include "chart_panel.h"

/*
 * Numbers at x = first, first + 1, ... as a line in a panel. What is not finite has no place: the
 * line breaks there. Where there are more numbers than pixels, each pixel shows its smallest and
 * its largest one.
 */
struct chart_trace {
    const double *values;
    size_t count;
    double first;
};

void chart_trace_line(struct chart_frame *frame, const struct chart_panel *panel,
                      const struct chart_trace *trace, const struct canvas_paint *paint);

/* The area between two traces of equal length that hold numbers at the same places. */
void chart_trace_band(struct chart_frame *frame, const struct chart_panel *panel,
                      const struct chart_trace *low, const struct chart_trace *high,
                      canvas_colour colour);

/* The index of the last finite number, or `count` if there is none. */
size_t chart_trace_last(const struct chart_trace *trace);

/* The place of number `i`, which must be finite. */
struct canvas_point chart_trace_at(const struct chart_panel *panel, const struct chart_trace *trace,
                                   size_t i);

#endif
