#ifndef RANKLEDGER_CHART_MARGINS_H
#define RANKLEDGER_CHART_MARGINS_H

#include <stdbool.h>

#include "chart.h"

/* How far each limit may move, alone, before the answer changes, and what the answer then is. */
enum status chart_margins_draw(const struct chart_input *input, struct canvas *canvas,
                               struct diag *diag) STATUS_CHECKED;

/* Whether any value of any limit changes the answer: otherwise there is a sentence, no picture. */
bool chart_margins_has_content(const struct chart_input *input);

#endif
