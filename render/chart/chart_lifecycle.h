#ifndef RANKLEDGER_CHART_LIFECYCLE_H
#define RANKLEDGER_CHART_LIFECYCLE_H

#include "chart.h"

/* Memory over the phases of a run, by category, in a panel a candidate. */
enum status chart_lifecycle_draw(const struct chart_input *input, struct canvas *canvas,
                                 struct diag *diag) STATUS_CHECKED;

/* Whether any run recorded its memory by phase. */
bool chart_lifecycle_has_content(const struct chart_input *input);

#endif
