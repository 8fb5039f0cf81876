#ifndef RANKLEDGER_CHART_MARGINS_SCALE_H
#define RANKLEDGER_CHART_MARGINS_SCALE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The axis of one limit: a range around the values that matter. It need not begin at zero, because
 * what is drawn on it are regions and marks, not amounts that are compared by length.
 */

#define CHART_MARGINS_TICKS 8

/* What values of the limit there can be at all; infinite where nothing bounds them. */
struct chart_margins_bounds {
    double least, most;
};

struct chart_margins_scale {
    double from, to; /* from < to */
    bool logarithmic;
    bool empty; /* there is no value to put on it */
    struct chart_margins_bounds bounds;
    double ticks[CHART_MARGINS_TICKS];
    size_t tick_count;
    int digits; /* significant ones that tell the ticks apart */
};

/*
 * The scale for values (those that are not finite are left out), with room beyond the outer ones;
 * logarithmic where the values are above zero and so far apart that a linear one would hide the
 * smaller ones.
 */
struct chart_margins_scale chart_margins_scale_of(const double *values, size_t count,
                                                  struct chart_margins_bounds bounds);

/* Sets at most `most` ticks with round numbers, none beyond the bounds. */
void chart_margins_scale_ticks(struct chart_margins_scale *scale, size_t most);

/* Where a value lies, 0 to 1; clamped. */
double chart_margins_scale_share(const struct chart_margins_scale *scale, double value);

#endif
