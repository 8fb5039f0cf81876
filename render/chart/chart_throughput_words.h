#ifndef RANKLEDGER_CHART_THROUGHPUT_WORDS_H
#define RANKLEDGER_CHART_THROUGHPUT_WORDS_H

#include "chart_throughput_marks.h"

/* What the throughput chart says in words. */

#define CHART_THROUGHPUT_VALUE_WIDTH 164.0
#define CHART_THROUGHPUT_SHARE_WIDTH 100.0

/* "456,000 tokens/s", "12.3 M tokens/s"; in the scene's arena. */
const char *chart_throughput_words_rate(struct chart_frame *frame, double value, const char *unit);

/* The title of an axis of throughput: the prefix of its numbers and the unit (NULL: none). */
const char *chart_throughput_words_axis(struct chart_frame *frame, const char *prefix,
                                        const char *unit);

/* Fills the value of a line, and its note; `other_unit`: its bar is not on this axis. `width` is
 * the panel's. */
void chart_throughput_words_fill(struct chart_frame *frame, struct chart_line *line,
                                 bool other_unit, double width);

/* Adds the interval, or the range of the samples, to the value of a line. */
void chart_throughput_words_spread(struct chart_frame *frame, struct chart_line *line,
                                   const struct chart_throughput_spread *spread);

/* Adds to the note of a line that so many samples lie beyond the axis. */
void chart_throughput_words_beyond(struct chart_frame *frame, struct chart_line *line, size_t count,
                                   double width);

/* Fills the side cell: the exposed share and its verdict. */
void chart_throughput_words_share(struct chart_frame *frame, struct chart_line *line);

const char *chart_throughput_words_subtitle(struct chart_frame *frame);

#endif
