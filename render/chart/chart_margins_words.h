#ifndef RANKLEDGER_CHART_MARGINS_WORDS_H
#define RANKLEDGER_CHART_MARGINS_WORDS_H

#include "chart_frame.h"

/* What the chart of margins says in words: the same as the workbook, and how far it is to there. */

/* The limit with its unit, its present value, and what the selected candidate (NULL: none)
 * measured of what is limited. */
void chart_margins_words_limit(struct chart_frame *frame, struct chart_cell *cell,
                               const struct summary_sensitivity *item,
                               const struct summary_candidate *selected, double measured,
                               double width);

/* Where the limit would have to go, the answer then, and the distance; that no value changes the
 * answer if `change` is NULL. */
void chart_margins_words_change(struct chart_frame *frame, struct chart_cell *cell,
                                const struct summary_sensitivity *item,
                                const struct summary_change *change, double width);

/* "accept zero1": the answer after a change; with NULL the present one. */
const char *chart_margins_words_answer(struct chart_frame *frame,
                                       const struct summary_change *change);

/* The limits that no value moves, as a sentence; NULL if there is none. */
const char *chart_margins_words_others(struct chart_frame *frame);

#endif
