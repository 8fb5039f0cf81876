#ifndef RANKLEDGER_CHART_SPLIT_WORDS_H
#define RANKLEDGER_CHART_SPLIT_WORDS_H

#include "chart_lines.h"
#include "step_stack.h"

/* What the chart of a step's parts says in words. */

/* Width of the column of values. */
double chart_split_words_width(const struct chart_frame *frame);

/* Fills value and note of a line; `unit` is the axis', `width` the panel's. */
void chart_split_words_fill(struct chart_frame *frame, struct chart_line *line,
                            const struct step_stack *stack, struct axis_unit unit, double width);

/* What is measured, and whose exposed share is the smallest. */
const char *chart_split_words_subtitle(struct chart_frame *frame);

#endif
