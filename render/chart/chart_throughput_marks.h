#ifndef RANKLEDGER_CHART_THROUGHPUT_MARKS_H
#define RANKLEDGER_CHART_THROUGHPUT_MARKS_H

#include "chart_lines.h"
#include "throughput_samples.h"

/* What stands on and below a bar of the throughput chart: its interval and its samples. */

/* Height of the strip of samples, its distance from the bar included. */
#define CHART_THROUGHPUT_STRIP 17.0

/* WHISKER (rounds) or WHISKER_CUT (within the run) for an interval, RANGE for the range of at least
 * two samples, NONE; with its ends. */
struct chart_throughput_spread {
    enum chart_sign sign;
    double lower, upper;
};
struct chart_throughput_spread chart_throughput_spread_of(const struct summary_candidate *candidate,
                                                          const struct throughput_samples *samples);

/* The largest value that the axis must hold for a bar of this length: one sample of many times the
 * others would make bars too short to compare, and lies beyond the axis. */
double chart_throughput_reach(const struct summary_candidate *candidate,
                              const struct throughput_samples *samples);

/* How many samples lie beyond the axis. */
size_t chart_throughput_beyond(const struct chart_plot *plot,
                               const struct throughput_samples *samples);

void chart_throughput_put_spread(struct chart_frame *frame, const struct chart_plot *plot,
                                 const struct chart_line *line,
                                 const struct chart_throughput_spread *spread);
/* A dot a sample on the axis; of dots in the same place one is drawn. */
void chart_throughput_put_samples(struct chart_frame *frame, const struct chart_plot *plot,
                                  const struct chart_line *line,
                                  const struct throughput_samples *samples);

#endif
