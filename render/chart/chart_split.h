#ifndef RANKLEDGER_CHART_SPLIT_H
#define RANKLEDGER_CHART_SPLIT_H

#include "chart.h"

/* Time per step in parts, one row a candidate. */
enum status chart_split_draw(const struct chart_input *input, struct canvas *canvas,
                             struct diag *diag) STATUS_CHECKED;

/* Whether some run recorded the parts. */
bool chart_split_has_content(const struct chart_input *input);

#endif
