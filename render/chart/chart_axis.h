#ifndef RANKLEDGER_CHART_AXIS_H
#define RANKLEDGER_CHART_AXIS_H

#include <stdbool.h>

#include "axis.h"

/*
 * An axis of an XY panel. Bars need one from zero; dots and lines may use one over the range of
 * their values, or a logarithmic one. Values are in the base unit (MiB, ms), ticks in the shown
 * one.
 */

enum chart_axis_scale {
    CHART_AXIS_ZERO,  /* linear from zero; negative values lie at zero */
    CHART_AXIS_RANGE, /* linear over the values */
    CHART_AXIS_LOG2,  /* ticks at powers of 2: counts of ranks */
    CHART_AXIS_LOG10  /* ticks at powers of 10, within two decades at 2 and 5 times them, too */
};

/* The values that an axis must hold. Not finite ends count as none; on a logarithmic scale only
 * positive values have a place. */
struct chart_axis_range {
    double smallest, largest;
    struct axis_unit unit;
    enum chart_axis_scale scale;
    bool whole; /* a linear one ticks at integers: steps, ranks */
};

struct chart_axis {
    struct axis_unit unit;
    enum chart_axis_scale scale;
    double from, to; /* the ends, shown unit; from < to */
    double ticks[AXIS_TICKS_MAX + 1];
    size_t count;   /* at least 2 */
    int digits;     /* of a tick's label */
    bool exponents; /* labels as "1e+11": powers of ten, or numbers that are too wide */
};

/* Ends at ticks; at most `steps` (2 to AXIS_TICKS_MAX - 1) steps between them. */
struct chart_axis chart_axis_of(const struct chart_axis_range *range, size_t steps);

/* An empty range, and one grown to hold a value (not finite: unchanged). */
struct chart_axis_range chart_axis_range_empty(enum chart_axis_scale scale);
void chart_axis_range_add(struct chart_axis_range *range, double value);

/* Where a value lies: 0 at the axis' beginning (NAN, too) to 1 at its end; clamped. */
double chart_axis_share(const struct chart_axis *axis, double value);

/* The label of tick `i` without unit. Returns `out`. */
char *chart_axis_label(const struct chart_axis *axis, size_t i, char *out, size_t capacity);

#endif
