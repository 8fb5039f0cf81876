#ifndef RANKLEDGER_CHART_BARS_H
#define RANKLEDGER_CHART_BARS_H

#include "chart_recorder.h"
#include "theme.h"

/* Finds the bars of a recorded chart and where they should end. */

/* The bars of an area, in the order in which they were drawn; the legend's swatches left out. */
size_t chart_bars_of(const struct chart_recorder *recorder, enum theme_area area,
                     const struct recording_item **found, size_t capacity);

/* The place of a value on the axis of the panel whose tick has this label. */
double chart_bars_place(const struct chart_recorder *recorder, double value, const char *tick,
                        double tick_value);

/* Where the line of a limit stands, counted from 0 in the order of drawing; NAN: there is none. */
double chart_bars_limit(const struct chart_recorder *recorder, size_t which);

#endif
