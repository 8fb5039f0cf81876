#ifndef RANKLEDGER_CHART_MARGINS_AXIS_H
#define RANKLEDGER_CHART_MARGINS_AXIS_H

#include <stddef.h>

#include "chart_axis.h"

/*
 * The axis of one limit: a range around the values that matter, with room beyond the outer ones.
 * It need not begin at zero, because what is drawn on it are regions and marks, not amounts that
 * are compared by length. It is logarithmic where the values are above zero and so far apart that
 * a linear one would hide the smaller ones.
 */

/* What values of the limit there can be at all; infinite where nothing bounds them. */
struct chart_margins_bounds {
    double least, most;
};

/* The range of values, of which those that are not finite are left out; empty if all are. */
struct chart_axis_range chart_margins_axis_range(const double *values, size_t count,
                                                 struct chart_margins_bounds bounds);

#endif
